import { readdirSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { MetricName } from "./metric-table.ts";

/**
 * The process as the system and the engine of JavaScript see it, under the names that Prometheus' own clients use. Read
 * when asked, by no timer: prom-client's collector wakes the process a hundred times a second.
 */
export function processFigures(): readonly (readonly [MetricName, number])[] {
  const cpu = process.cpuUsage();
  const memory = process.memoryUsage();
  return [
    ["process_cpu_seconds_total", (cpu.user + cpu.system) / 1e6],
    ["process_resident_memory_bytes", memory.rss],
    ["process_start_time_seconds", performance.timeOrigin / 1000],
    ...descriptors(),
    ["nodejs_heap_size_total_bytes", memory.heapTotal],
    ["nodejs_heap_size_used_bytes", memory.heapUsed],
    ["nodejs_external_memory_bytes", memory.external],
    ["nodejs_eventloop_busy_seconds_total", performance.eventLoopUtilization().active / 1000],
  ];
}

/** Where there is no /proc, nothing is told. */
function descriptors(): readonly (readonly [MetricName, number])[] {
  try {
    // The listing itself holds one.
    const open = readdirSync("/proc/self/fd").length - 1;
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    const most: (readonly [MetricName, number])[] = limit === undefined ? [] : [["process_max_fds", Number(limit)]];
    return [["process_open_fds", open], ...most];
  } catch {
    return [];
  }
}
