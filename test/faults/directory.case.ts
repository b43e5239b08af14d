import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { expect, it, type TestContext } from "vitest";
import { eventually } from "../control-plane/index.ts";
import {
  type Admin,
  configMap,
  configMapPath,
  expectSurvival,
  file,
  fresh,
  type KeelsonProcess,
  numbered,
  PATIENT,
  type ProcessOptions,
  uidsOf,
} from "./bed/index.ts";

/** What the cases of this suite are handed. */
export interface LocalBed {
  readonly admin: () => Admin;
  readonly start: (context: TestContext, options: Omit<ProcessOptions, "kubeconfig">) => KeelsonProcess;
  /** Names of ConfigMaps of a set that Keelson has sent a DELETE for. */
  readonly deleted: (set: string) => Promise<readonly string[]>;
}

const paths = (...names: readonly string[]): readonly string[] => names.map((name) => configMapPath(name));

/** A directory, or what it lies on, goes away or moves. */
export function directoryCases({ admin, start, deleted }: LocalBed): void {
  const three = (set: string): Readonly<Record<string, string>> => ({
    "a.yaml": file(configMap(`${set}-a`)),
    "b/b.yaml": file(configMap(`${set}-b`)),
    "c.yaml": file(configMap(`${set}-c`)),
  });
  const started = async (
    context: TestContext,
    set: string,
  ): Promise<{ keelson: KeelsonProcess; before: Readonly<Record<string, string>> }> => {
    const keelson = start(context, { set, files: three(set) });
    await keelson.converged(admin(), 3);
    return { keelson, before: await uidsOf(admin(), paths(`${set}-a`, `${set}-b`, `${set}-c`)) };
  };

  it.concurrent("holds everything while its directory is renamed away, and goes on when it is back", async (context) => {
    const set = fresh("renamed");
    const { keelson, before } = await started(context, set);

    renameSync(keelson.directory, `${keelson.directory}.away`);
    await keelson.statusWhere(admin(), "three objects held", ({ summary }) => summary.held === 3);
    writeFileSync(`${keelson.directory}.away/c.yaml`, file(configMap(`${set}-c`, "2")));
    renameSync(`${keelson.directory}.away`, keelson.directory);
    await keelson.converged(admin(), 3);

    expect((await admin().find(configMapPath(`${set}-c`))).data).toEqual({ a: "2" });
    await expectSurvival(admin(), before);
    expect(await deleted(set)).toEqual([]);
  });

  it.concurrent("holds everything when its directory is emptied under it", async (context) => {
    const set = fresh("emptied");
    const { keelson, before } = await started(context, set);

    for (const name of ["a.yaml", "b", "c.yaml"]) keelson.remove(name);
    await keelson.statusWhere(admin(), "three objects held", ({ summary }) => summary.held === 3);
    for (const [name, text] of Object.entries(three(set))) keelson.write(name, text);
    await keelson.converged(admin(), 3);

    await expectSurvival(admin(), before);
    expect(await deleted(set)).toEqual([]);
  });

  it.concurrent("holds everything when the file system under its directory is unmounted", async (context) => {
    const set = fresh("unmounted");
    const keelson = start(context, { set });
    const mounted = spawnSync("mount", ["-t", "tmpfs", "keelson-faults", keelson.directory], { encoding: "utf8" });
    if (mounted.status !== 0) return context.skip(`mounting takes root rights: ${mounted.stderr ?? mounted.error}`);
    const unmount = (): void => void spawnSync("umount", ["--lazy", keelson.directory]);
    context.onTestFinished(unmount);
    for (const [name, text] of Object.entries(three(set))) keelson.write(name, text);
    await keelson.converged(admin(), 3);
    const before = await uidsOf(admin(), paths(`${set}-a`, `${set}-b`, `${set}-c`));

    unmount();
    await keelson.statusWhere(admin(), "three objects held", ({ summary }) => summary.held === 3);

    await expectSurvival(admin(), before);
    expect(await deleted(set)).toEqual([]);
  });

  it.concurrent("deletes nothing of a file that was cut between two documents and then written to its end", async (context) => {
    const set = fresh("cut");
    const pruneSettle = { KEELSON_PRUNE_SETTLE: "5s" };
    const all = (value: string): string =>
      file(configMap(`${set}-a`, value), configMap(`${set}-b`), configMap(`${set}-c`));
    const files = { "cut.yaml": all("1"), "witness.yaml": file(configMap(`${set}-witness`)) };
    const keelson = start(context, { set, files, env: pruneSettle });
    await keelson.converged(admin(), 4);
    const before = await uidsOf(admin(), paths(`${set}-a`, `${set}-b`, `${set}-c`));

    keelson.write("cut.yaml", file(configMap(`${set}-a`, "2")));
    await eventually("the cut file has been read", async () => (await read(`${set}-a`)) === "2", PATIENT);
    keelson.write("cut.yaml", all("3"));
    keelson.remove("witness.yaml");
    // What vanished later is gone: so the time of what was cut is over, too.
    await eventually(
      "the witness is deleted",
      async () => !(await admin().get(configMapPath(`${set}-witness`))),
      PATIENT,
    );

    await keelson.converged(admin(), 3);
    await expectSurvival(admin(), before);
    expect(await read(`${set}-a`)).toBe("3");
  });

  it.concurrent("waits for the end of a file that is written piece by piece", async (context) => {
    const set = fresh("pieces");
    const text = file(...numbered(set, 6));
    const keelson = start(context, { set, files: { "pieces.yaml": text } });
    await keelson.converged(admin(), 6);
    const before = await uidsOf(admin(), paths(`${set}-1`, `${set}-6`));

    const changed = text.replaceAll('"a":"1"', '"a":"2"');
    const output = openSync(keelson.path("pieces.yaml"), "w");
    const size = Math.ceil(changed.length / 7);
    for (let at = 0; at < changed.length; at += size) {
      writeSync(output, changed.slice(at, at + size));
      // One event loop turn of the daemon's file notifications, not a wait for anything.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    closeSync(output);
    await eventually("the last document is applied", async () => (await read(`${set}-6`)) === "2", PATIENT);

    await keelson.converged(admin(), 6);
    await expectSurvival(admin(), before);
  });

  it.concurrent("takes a file that is replaced atomically, and a volume whose link is swapped, as one change", async (context) => {
    const set = fresh("swap");
    const keelson = start(context, { set, files: { "a.yaml": file(configMap(`${set}-a`)) } });
    mkdirSync(keelson.path("..v1"));
    mkdirSync(keelson.path("..v2"));
    writeFileSync(keelson.path("..v1/b.yaml"), file(configMap(`${set}-b`)));
    writeFileSync(keelson.path("..v2/b.yaml"), file(configMap(`${set}-b`, "2")));
    symlinkSync("..v1", keelson.path("..data"));
    symlinkSync("..data/b.yaml", keelson.path("b.yaml"));
    await keelson.converged(admin(), 2);
    const before = await uidsOf(admin(), paths(`${set}-a`, `${set}-b`));

    writeFileSync(`${keelson.directory}.new`, file(configMap(`${set}-a`, "2")));
    renameSync(`${keelson.directory}.new`, keelson.path("a.yaml"));
    symlinkSync("..v2", keelson.path("..data_tmp"));
    renameSync(keelson.path("..data_tmp"), keelson.path("..data"));
    rmSync(keelson.path("..v1"), { recursive: true });
    await eventually(
      "both are applied",
      async () => (await read(`${set}-a`)) === "2" && (await read(`${set}-b`)) === "2",
      PATIENT,
    );

    await keelson.converged(admin(), 2);
    await expectSurvival(admin(), before);
    expect(await deleted(set)).toEqual([]);
  });

  it.concurrent.for<readonly [string, (path: string) => void]>([
    ["a directory", (path: string) => mkdirSync(path)],
    ["a dangling link", (path: string) => symlinkSync("nowhere", path)],
    ["a link to itself", (path: string) => symlinkSync(path, path)],
    ["a FIFO", (path: string) => void spawnSync("mkfifo", [path])],
  ])(
    "holds what was in a file that has become %s, tells of it, and applies the others",
    async ([what, make], context) => {
      const set = fresh(what.toLowerCase().replaceAll(/\W+/g, "-"));
      const keelson = start(context, {
        set,
        files: { "x.yaml": file(configMap(`${set}-x`)), "y.yaml": file(configMap(`${set}-y`)) },
      });
      await keelson.converged(admin(), 2);
      const before = await uidsOf(admin(), paths(`${set}-x`));

      keelson.remove("x.yaml");
      make(keelson.path("x.yaml"));
      keelson.write("y.yaml", file(configMap(`${set}-y`, "2"), configMap(`${set}-z`)));
      const status = await keelson.statusWhere(
        admin(),
        "x is held, the others are applied",
        ({ summary, problems }) => summary.held === 1 && summary.converged === 2 && problems.length > 0,
      );

      expect(status.problems.map((problem) => problem.file)).toEqual(["x.yaml"]);
      expect(await read(`${set}-y`)).toBe("2");
      await expectSurvival(admin(), before);
      keelson.remove("x.yaml");
      keelson.write("x.yaml", file(configMap(`${set}-x`)));
      await keelson.converged(admin(), 3);
      await expectSurvival(admin(), before);
    },
  );

  async function read(name: string): Promise<string | undefined> {
    return (await admin().get(configMapPath(name)))?.data?.a;
  }
}

const DEEP = `${Array.from({ length: 100 }, (_, level) => `${" ".repeat(level)}a:`).join("\n")} 1\n`;
const HEAD = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\n  labels: {addonmanager.kubernetes.io/mode: Reconcile}\n`;

/** Text that no program likes, in place of a file that was fine; `isBroken`: nothing of it can be used. */
const HOSTILE: readonly (readonly [string, boolean, (name: string) => string | Uint8Array])[] = [
  ["an alias bomb", true, (name) => `${HEAD(name)}data: *i\n${bomb()}`],
  ["an alias bomb of its own anchors", true, (name) => `${bomb()}${HEAD(name)}data: {a: *i}\n`],
  ["a mapping a hundred levels deep", true, () => DEEP],
  ["ten thousand open brackets", true, (name) => `${HEAD(name)}data: ${"[".repeat(10_000)}\n`],
  [
    "__proto__ as a key of everything",
    true,
    () => "__proto__: {apiVersion: v1, kind: ConfigMap}\nconstructor: {prototype: {a: 1}}\n",
  ],
  ["25 MiB in one file", true, (name) => `${HEAD(name)}data: {a: "1"}\n${"# filler\n".repeat((25 << 20) / 9)}`],
  ["NUL bytes", true, (name) => `${HEAD(name)}data: {a: "\0"}\n`],
  ["a block of NUL bytes, as a crash leaves it", true, () => new Uint8Array(4096)],
  [
    "bytes that are not UTF-8",
    true,
    (name) =>
      Buffer.concat([Buffer.from(`${HEAD(name)}data: {a: "`), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('"}\n')]),
  ],
  [
    // Mere text, as kubectl reads it: nothing is made of the tag.
    "a tag that would make code",
    false,
    (name) => `${HEAD(name)}data: {a: !!js/function "function () { process.exit(1) }"}\n`,
  ],
];

function bomb(): string {
  const names = [..."abcdefghi"];
  const lines = names
    .slice(1)
    .map((name, index) => `${name}: &${name} [${`*${names[index]}, `.repeat(9)}*${names[index]}]`);
  return ["a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]", ...lines, ""].join("\n");
}

/** Hostile content: one daemon, a file for each. */
export function hostileCases({ admin, start, deleted }: LocalBed): void {
  it.concurrent("survives hostile files: tells of each, deletes nothing of what was in them, and applies the others", async (context) => {
    const set = fresh("hostile");
    const name = (index: number): string => `${set}-${index}`;
    const fine = Object.fromEntries(HOSTILE.map((_, index) => [`f${index}.yaml`, file(configMap(name(index)))]));
    const keelson = start(context, { set, files: fine });
    await keelson.converged(admin(), HOSTILE.length);
    const before = await uidsOf(admin(), paths(...HOSTILE.map((_, index) => name(index))));
    const pid = keelson.pid;

    HOSTILE.forEach(([, , text], index) => {
      keelson.write(`f${index}.yaml`, text(name(index)));
    });
    keelson.write("good.yaml", file(configMap(`${set}-good`)));
    const broken = HOSTILE.flatMap(([, isBroken], index) => (isBroken ? [`f${index}.yaml`] : [])).sort();
    const status = await keelson.statusWhere(
      admin(),
      "every hostile file is a problem, the good one is applied",
      ({ problems, summary }) =>
        broken.every((each) => problems.some((problem) => problem.file === each)) &&
        summary.converged === HOSTILE.length - broken.length + 1,
    );

    expect([...new Set(status.problems.map((problem) => problem.file))].sort()).toEqual(broken);
    expect(status.summary.held).toBe(broken.length);
    expect((await admin().find(configMapPath(`${set}-good`))).data).toEqual({ a: "1" });
    await expectSurvival(admin(), before);
    expect(await deleted(set)).toEqual([]);
    expect([keelson.isRunning, keelson.pid]).toEqual([true, pid]);
    for (const [file_, text] of Object.entries(fine)) keelson.write(file_, text);
    await keelson.converged(admin(), HOSTILE.length + 1);
    await expectSurvival(admin(), before);
  });

  it.concurrent("takes keys named as parts of a JavaScript object for what they are", async (context) => {
    const set = fresh("proto");
    const text = `${HEAD(set)}data: {__proto__: "1", constructor: "2", toString: "3", hasOwnProperty: "4"}\n`;
    const keelson = start(context, { set, files: { "a.yaml": text } });

    await keelson.converged(admin(), 1);

    const raw = JSON.stringify(await admin().find(configMapPath(set)));
    expect(raw).toContain('"__proto__":"1"');
    expect((await admin().find(configMapPath(set))).data.hasOwnProperty).toBe("4");
  });

  it.concurrent("reads its directory anew at SIGHUP, though nothing has told of a change", async (context) => {
    const set = fresh("hup");
    const keelson = start(context, {
      set,
      files: { "a.yaml": file(configMap(`${set}-a`)), "b.yaml": file(configMap(`${set}-b`)) },
    });
    await keelson.converged(admin(), 2);
    // The same file under another name outside: a write through it tells the directory nothing.
    const outside = `${keelson.directory}.other`;
    renameSync(keelson.path("a.yaml"), outside);
    spawnSync("ln", [outside, keelson.path("a.yaml")]);
    keelson.write("b.yaml", file(configMap(`${set}-b`, "2")));
    await eventually(
      "b is applied",
      async () => (await admin().find(configMapPath(`${set}-b`))).data.a === "2",
      PATIENT,
    );
    const looked = performance.now();

    writeFileSync(outside, readFileSync(outside, "utf8").replace('"1"', '"2"'));
    keelson.signal("SIGHUP");
    await eventually(
      "a is applied",
      async () => (await admin().find(configMapPath(`${set}-a`))).data.a === "2",
      PATIENT,
    );

    // Without the signal it would have looked ten seconds after its last look.
    expect(performance.now() - looked).toBeLessThan(9_000);
    expect(keelson.isRunning).toBe(true);
  });
}
