import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../test/control-plane/binaries.ts";

/** What can be measured by itself, in the order in which it is printed. */
export const partNames = [
  "first",
  "one-pass",
  "steady",
  "drift",
  "file",
  "restart",
  "rss",
  "serving",
  "history",
  "version",
  "sandbox",
  "sriov",
] as const;
export type PartName = (typeof partNames)[number];

/** One line of the summary: a bar, and what stands against it. */
export interface Figure {
  readonly name: string;
  readonly bar: string;
  readonly measured: string;
  readonly isMet: boolean;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The outcome of one part. */
export interface Section {
  readonly part: PartName;
  readonly title: string;
  /** How it was measured, in a sentence or two. */
  readonly method: string;
  readonly figures: readonly Figure[];
  readonly tables: readonly Table[];
  /** What a reader should know: what was skipped and why, what was asked that should not have been. */
  readonly notes: readonly string[];
}

interface StoredSection extends Section {
  readonly date: string;
  readonly command: string;
  readonly machine: string;
  /** Load average before the first measurement: near 0 on a machine that does nothing else. */
  readonly load: number;
}

const storePath = join(repositoryRoot, "bench/results.json");
const reportPath = join(repositoryRoot, "bench/RESULTS.md");

/** Replaces the parts that were measured, keeps the others, and writes bench/RESULTS.md anew. */
export function saveSections(sections: readonly Section[], { command, load }: { command: string; load: number }): void {
  const stored = new Map(loadSections().map((section) => [section.part, section]));
  const date = new Date().toISOString().slice(0, 10);
  for (const section of sections) {
    stored.set(section.part, {
      ...section,
      date,
      command: `${command} --only ${section.part}`,
      machine: describeMachine(),
      load,
    });
  }
  const all = partNames.flatMap((part) => stored.get(part) ?? []);
  writeFileSync(storePath, `${JSON.stringify(all, undefined, 2)}\n`);
  writeFileSync(reportPath, renderReport(all));
}

/** Cores, memory and Node, and nothing that names a machine. */
export function describeMachine(): string {
  return `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, Node ${process.versions.node}`;
}

/** The summary and the tables of what was measured, as Markdown. */
export function renderSections(sections: readonly Section[]): string {
  return [...renderSummary(sections), ...sections.flatMap((section) => renderSection(section))].join("\n");
}

function loadSections(): readonly StoredSection[] {
  if (!existsSync(storePath)) return [];
  return JSON.parse(readFileSync(storePath, "utf8")) as readonly StoredSection[];
}

function renderReport(sections: readonly StoredSection[]): string {
  const machines = [...new Set(sections.map(({ machine }) => machine))];
  const lines = [
    "# Results of `make bench`",
    "",
    "Written by the bench; the figures of each part are of one run, on the machine named with it, with everything",
    "(etcd, kube-apiserver 1.37, kube-controller-manager, the bench and what is measured) on the same cores. Each",
    "measurement has a fresh control plane; requests are counted by the API server's audit log. The load is `N` objects",
    "in files of five: ConfigMap, ServiceAccount, Service, ClusterRole and Deployment (no replicas) in equal parts, one",
    "in ten EnsureExists; the SR-IOV controller has a load of its own.",
    "",
    ...(machines.length === 1 ? [`Machine: ${machines[0]}.`, ""] : []),
    ...renderSummary(sections),
    ...sections.flatMap((section) => [...renderSection(section), describeRun(section, machines.length > 1), ""]),
  ];
  return lines.join("\n");
}

function describeRun({ date, machine, load, command }: StoredSection, namesMachine: boolean): string {
  const where = namesMachine ? `, ${machine}` : "";
  // One measurement after the other keeps the load of the machine below 2 by itself.
  const busy = load > 1 ? `, on a machine that was busy with other work (load average ${load.toFixed(1)})` : "";
  return `Measured on ${date}${where}${busy} by \`${command}\`.`;
}

function renderSummary(sections: readonly Section[]): readonly string[] {
  const rows = sections.flatMap(({ figures }) =>
    figures.map(({ name, bar, measured, isMet }) => [name, bar, measured, isMet ? "met" : "**missed**"]),
  );
  return renderTable({ title: "Summary", columns: ["figure", "bar", "measured", ""], rows }, "##");
}

function renderSection({ title, method, tables, notes }: Section): readonly string[] {
  return [
    `## ${title}`,
    "",
    method,
    "",
    ...tables.flatMap((table) => renderTable(table, "###")),
    ...notes.map((note) => `- ${note}`),
    ...(notes.length > 0 ? [""] : []),
  ];
}

function renderTable({ title, columns, rows }: Table, heading: string): readonly string[] {
  const widths = columns.map((column, at) => Math.max(3, column.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, at) => (cells[at] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [`${heading} ${title}`, "", line(columns), rule, ...rows.map(line), ""];
}
