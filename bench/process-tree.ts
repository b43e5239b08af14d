import { readFileSync } from "node:fs";

/** CPU seconds that a process and its descendants have used, from /proc: in steps of 10 ms. */
export function cpuSecondsOf(pid: number): number {
  return sum(treeOf(pid), (member) => ticksOf(member, 11) + ticksOf(member, 12)) / ticksPerSecond;
}

/** Resident memory of a process and its descendants, in MB (10^6 bytes). */
export function residentMegabytesOf(pid: number): number {
  return sum(treeOf(pid), (member) => statusKilobytes(member, "VmRSS")) * 1.024e-3;
}

/** The most memory that a process and its descendants have had resident, in MB. */
export function peakMegabytesOf(pid: number): number {
  return sum(treeOf(pid), (member) => statusKilobytes(member, "VmHWM")) * 1.024e-3;
}

/** CPU seconds of all the children that this process has waited for, their own children included. */
export function cpuSecondsOfEndedChildren(): number {
  return (ticksOf(process.pid, 13) + ticksOf(process.pid, 14)) / ticksPerSecond;
}

/** The share of the machine's CPU that was in use during the last minute or so, by whatever: 1 is one core. */
export function loadAverage(): number {
  return Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0]);
}

// USER_HZ: 100 on every Linux that Node supports.
const ticksPerSecond = 100;

function treeOf(pid: number): readonly number[] {
  const children = (read(`/proc/${pid}/task/${pid}/children`) ?? "").split(" ").filter((word) => word !== "");
  return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
}

/** Field of /proc/PID/stat, counted from behind the program's name, which may hold blanks. */
function ticksOf(pid: number, field: number): number {
  const stat = read(`/proc/${pid}/stat`) ?? "";
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[field] ?? 0);
}

function statusKilobytes(pid: number, name: string): number {
  const line = (read(`/proc/${pid}/status`) ?? "").split("\n").find((candidate) => candidate.startsWith(`${name}:`));
  return Number(line?.split(/\s+/)[1] ?? 0);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // It has ended meanwhile.
  }
}

function sum(members: readonly number[], measure: (member: number) => number): number {
  return members.reduce((total, member) => total + measure(member), 0);
}
