import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock, systemClock } from "../async/index.ts";
import { Journal, type JournalOptions } from "./journal.ts";
import type { JournalLine } from "./journal-line.ts";
import { followJournal, searchJournal, verifyJournal } from "./journal-reader.ts";
import { parseObjectPattern } from "./object-pattern.ts";

const AT = Date.UTC(2020, 0, 1);
const ref = (name: string) => ({ group: "apps", kind: "Deployment", namespace: "kube-system", name });
const entry = (name: string, at = AT) => ({
  at,
  action: "apply",
  object: ref(name),
  cause: "file dns.yaml:1 changed",
  result: "configured",
});

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-journal-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const place = () => ({ directories: [directory], set: "" });
const path = () => join(directory, "audit.jsonl");
const linesOf = (file = path()): JournalLine[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

function journal(options: Partial<JournalOptions> = {}): Journal {
  return new Journal({
    directories: [directory],
    set: "",
    instance: "cp-1",
    clock: systemClock,
    onTrouble: () => {},
    ...options,
  });
}

/** A journal with these names, written and closed. */
function written(names: readonly string[], options: Partial<JournalOptions> = {}): void {
  const made = journal(options);
  for (const name of names) {
    made.append(entry(name));
    made.flush();
  }
  made.close();
}

describe("a journal", () => {
  it("writes lines that each hold the hash of the one before", () => {
    written(["a", "b"]);

    const [a, b] = linesOf();
    expect(a).toMatchObject({ seq: 1, time: "2020-01-01T00:00:00.000Z", instance: "cp-1", prev: "0".repeat(64) });
    expect(b).toMatchObject({ seq: 2, object: ref("b"), prev: a?.hash });
  });

  it("goes on where the process before it ended", async () => {
    written(["a"]);
    written(["b"]);

    expect(linesOf().map(({ seq }) => seq)).toEqual([1, 2]);
    expect(await verifyJournal(place())).toMatchObject({ lines: 2, first: 1, last: 2, faults: [] });
  });

  it("is one chain where two processes write in turn", async () => {
    const [one, other] = [journal({ instance: "daemon" }), journal({ instance: "apply" })];
    for (const each of [one, other, one, one, other]) {
      each.append(entry("a"));
      each.flush();
    }
    one.close();
    other.close();

    expect(linesOf().map(({ seq, instance }) => `${seq} ${instance}`)).toEqual([
      "1 daemon",
      "2 apply",
      "3 daemon",
      "4 daemon",
      "5 apply",
    ]);
    expect((await verifyJournal(place())).faults).toEqual([]);
  });

  it("rotates by size, and the chain goes on over the files", async () => {
    written(
      Array.from({ length: 40 }, (_, n) => `object-${n}`),
      { maxBytes: 4_000 },
    );

    expect(existsSync(join(directory, "audit.3.jsonl"))).toBe(true);
    expect(await verifyJournal(place())).toMatchObject({ lines: 40, first: 1, last: 40, faults: [] });
    expect(await searchJournal(place(), {})).toHaveLength(40);
  });

  it("takes off what a crash left of a line, and records it as a gap", async () => {
    written(["a"]);
    appendFileSync(path(), '{"seq":2,"time":"2020-01-');
    written(["b"]);

    expect(linesOf().map(({ seq, action }) => `${seq} ${action}`)).toEqual(["1 apply", "2 gap", "3 apply"]);
    expect(await verifyJournal(place())).toMatchObject({ gaps: 1, lost: 1, faults: [] });
  });

  it("is whole with half a line at its end, which counts as a gap", async () => {
    written(["a"]);
    appendFileSync(path(), '{"seq":2,"time":"2020-01-');

    expect(await verifyJournal(place())).toMatchObject({ lines: 1, gaps: 1, lost: 1, faults: [] });
  });

  it("takes the lock of a process that is gone", () => {
    mkdirSync(directory, { recursive: true });
    // Larger than any process number that Linux gives.
    writeFileSync(join(directory, "audit.lock"), "4194305");

    written(["a"]);

    expect(linesOf()).toHaveLength(1);
  });

  it("uses the first directory that can be written", () => {
    const blocked = join(directory, "file");
    writeFileSync(blocked, "");

    written(["a"], { directories: [join(blocked, "below"), join(directory, "second")] });

    expect(linesOf(join(directory, "second", "audit.jsonl"))).toHaveLength(1);
  });
});

describe("a journal on a disk that takes nothing", () => {
  it("keeps lines, says so once, and writes them when it can", async () => {
    const clock = new ManualClock();
    const troubles: (string | undefined)[] = [];
    const blocked = join(directory, "state");
    writeFileSync(blocked, "");
    const made = journal({ directories: [blocked], clock, onTrouble: (message) => troubles.push(message) });

    made.append(entry("a"));
    made.flush();
    made.append(entry("b"));
    made.flush();
    expect(made.state).toMatchObject({ buffered: 2, written: 0, trouble: expect.stringMatching(/EEXIST|ENOTDIR/) });
    rmSync(blocked);
    await clock.advance(5_000);
    made.close();

    expect(troubles).toEqual([expect.any(String), undefined]);
    expect(linesOf(join(blocked, "audit.jsonl")).map(({ object }) => object?.name)).toEqual(["a", "b"]);
  });

  it("records what memory could not hold as a gap, behind the lines that it held", async () => {
    const clock = new ManualClock();
    const blocked = join(directory, "state");
    writeFileSync(blocked, "");
    const made = journal({ directories: [blocked], clock });

    for (let n = 0; n < 5_007; n += 1) made.append(entry(`object-${n}`, AT + n));
    made.flush();
    expect(made.state).toMatchObject({ buffered: 5_000, lost: 7 });
    rmSync(blocked);
    await clock.advance(5_000);
    made.append(entry("later"));
    made.close();

    const lines = linesOf(join(blocked, "audit.jsonl"));
    expect(lines.slice(-3).map(({ action, lost }) => [action, lost])).toEqual([
      ["apply", undefined],
      ["gap", 7],
      ["apply", undefined],
    ]);
    expect(lines.at(-2)?.cause).toContain("from 2020-01-01T00:00:05.000Z to 2020-01-01T00:00:05.006Z");
    expect(await verifyJournal({ directories: [blocked], set: "" })).toMatchObject({ gaps: 1, lost: 7, faults: [] });
  });
});

describe("a disk that becomes full under the journal", () => {
  afterEach(() => void spawnSync("umount", ["--lazy", directory]));

  it("takes no line twice, nor half of one, once there is room again", async ({ skip }) => {
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "keelson-journal", directory]);
    if (mounted.status !== 0) return skip(`mounting takes root rights: ${mounted.stderr ?? mounted.error}`);
    const clock = new ManualClock();
    const made = journal({ clock });
    made.append(entry("before"));
    made.flush();
    const filler = join(directory, "filler");
    fill(filler);
    // Room for some of the lines that come now.
    truncateSync(filler, statSync(filler).size - 4096);

    const names = Array.from({ length: 60 }, (_, at) => `object-${at}`);
    for (const name of names) made.append(entry(name));
    made.flush();
    expect(made.state).toMatchObject({ buffered: 60, trouble: expect.stringContaining("ENOSPC") });
    expect(linesOf().map(({ object }) => object?.name)).toEqual(["before"]);
    rmSync(filler);
    await clock.advance(5_000);
    made.close();

    expect(linesOf().map(({ object }) => object?.name)).toEqual(["before", ...names]);
    expect(await verifyJournal(place())).toMatchObject({ lines: 61, gaps: 0, lost: 0, faults: [] });
  });

  function fill(filler: string): void {
    writeFileSync(filler, "");
    const isFull = (error: unknown): boolean => error instanceof Error && error.message.includes("ENOSPC");
    for (;;) {
      try {
        appendFileSync(filler, Buffer.alloc(4096));
      } catch (error) {
        if (isFull(error)) return;
        throw error;
      }
    }
  }
});

describe("verifyJournal", () => {
  const tamper = (change: (lines: string[]) => string[]): void => {
    const lines = readFileSync(path(), "utf8").trimEnd().split("\n");
    writeFileSync(path(), `${change(lines).join("\n")}\n`);
  };

  it.each([
    {
      name: "a changed line",
      change: (lines: string[]) => lines.with(1, lines[1]?.replace('"b"', '"x"') ?? ""),
      fault: "this line was changed",
      line: 2,
    },
    {
      name: "a missing line",
      change: (lines: string[]) => lines.toSpliced(1, 1),
      fault: "lines 2 to 2 are missing",
      line: 2,
    },
    {
      name: "a line that is gone from the end",
      change: (lines: string[]) => lines.slice(0, 2),
      fault: "lines 3 to 3 are missing at the end",
      line: 2,
    },
    {
      name: "a line that is none",
      change: (lines: string[]) => lines.with(1, "{}"),
      fault: "no line of a journal",
      line: 2,
    },
    {
      name: "lines in another order",
      change: (lines: string[]) => [lines[0] ?? "", lines[2] ?? "", lines[1] ?? ""],
      fault: "missing before",
      line: 2,
    },
  ])("finds $name", async ({ change, fault, line }) => {
    written(["a", "b", "c"]);

    tamper(change);

    const { faults } = await verifyJournal(place());
    expect(faults[0]).toMatchObject({ line, message: expect.stringContaining(fault) });
  });

  it("finds a line that was replaced together with its hash", async () => {
    written(["a", "b", "c"]);
    const elsewhere = join(directory, "forged");
    written(["a", "x", "c"], { directories: [elsewhere] });
    const forged = readFileSync(join(elsewhere, "audit.jsonl"), "utf8").split("\n")[1] ?? "";

    tamper((lines) => lines.with(1, forged));

    expect((await verifyJournal(place())).faults).toMatchObject([
      { line: 3, message: "the line before this one is not the one that was written" },
    ]);
  });

  it("says where it looked when there is no journal", async () => {
    await expect(verifyJournal(place())).rejects.toMatchObject({
      code: "NotFound",
      message: expect.stringContaining(path()),
    });
  });
});

describe("searchJournal", () => {
  it("finds lines by object and time", async () => {
    const made = journal();
    for (const [n, name] of ["a", "b", "a", "a"].entries()) made.append(entry(name, AT + n * 1_000));
    made.close();

    const found = await searchJournal(place(), { object: parseObjectPattern("deployment/a"), since: AT + 1_500 });

    expect(found.map(({ seq }) => seq)).toEqual([3, 4]);
    expect(await searchJournal(place(), { object: parseObjectPattern("configmap/a") })).toEqual([]);
    expect(await searchJournal(place(), { limit: 1 })).toMatchObject([{ seq: 4 }]);
  });

  it("searches 100,000 lines within a second", async () => {
    const made = journal();
    for (let n = 0; n < 100_000; n += 1) {
      made.append({
        ...entry(`object-${n % 1_000}`, AT + n),
        fields: [{ path: "spec.replicas", before: 5, after: 2 }],
      });
      if (n % 4_000 === 3_999) made.flush();
    }
    made.close();

    // Processor time: the machine may be busy with other things.
    const started = process.cpuUsage();
    const found = await searchJournal(place(), { object: parseObjectPattern("deployment/kube-system/object-77") });
    const all = await searchJournal(place(), { since: AT + 99_990 });
    const { user, system } = process.cpuUsage(started);
    const tookMs = (user + system) / 1_000;

    expect(found).toHaveLength(100);
    expect(all).toHaveLength(10);
    expect(tookMs).toBeLessThan(1_000);
  });
});

describe("followJournal", () => {
  it("tells of lines as they are written, over a rotation", async () => {
    const made = journal({ maxBytes: 1_200 });
    made.append(entry("before"));
    made.flush();
    const stop = new AbortController();
    const seen: string[] = [];
    const onLine = ({ object }: JournalLine): number => seen.push(object?.name ?? "");
    const following = followJournal(place(), { clock: systemClock, onLine }, stop.signal);

    for (const name of ["a", "b", "c"]) {
      made.append(entry(name));
      made.flush();
    }

    await expect.poll(() => seen).toEqual(["a", "b", "c"]);
    stop.abort();
    await following;
    made.close();
  });
});
