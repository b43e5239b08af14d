import { renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ManualClock, systemClock } from "../async/index.ts";
import { DirectorySource, FileError, type FileSystem, type ManifestSnapshot, nodeFileSystem } from "./index.ts";
import { configMap, names, useSourceBed } from "./source-bed.case.ts";

const bed = useSourceBed();

/** Waits until `look` gives something truthy. */
async function eventually<T>(look: () => T | undefined | false, patienceMs = 5_000): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error("did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A source on a clock of the test's own: nothing moves but when `advance` says so. */
function watched(options: { readonly root?: string; readonly fileSystem?: FileSystem } = {}) {
  const clock = new ManualClock(Date.now() + 3_600_000);
  const snapshots: ManifestSnapshot[] = [];
  const warnings: string[] = [];
  const source = new DirectorySource({ root: options.root ?? bed.path, clock, ...options });
  const ended = source.watch(
    { onSnapshot: (snapshot) => snapshots.push(snapshot), onWarning: (message) => warnings.push(message) },
    bed.signal,
  );
  return {
    clock,
    source,
    snapshots,
    warnings,
    ended,
    get last(): ManifestSnapshot | undefined {
      return snapshots.at(-1);
    },
    /** Lets the source see what is there now. */
    async look(): Promise<void> {
      source.rescan();
      await clock.advance(20);
    },
  };
}

describe("DirectorySource.watch", () => {
  it("shows a change within 100 ms after the settle time", async () => {
    bed.putOld("a.yaml", configMap("a"));
    const snapshots: ManifestSnapshot[] = [];
    const watching: string[] = [];
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      watch: (path, callbacks) => {
        watching.push(path);
        return nodeFileSystem.watch(path, callbacks);
      },
    };
    const source = new DirectorySource({ root: bed.path, clock: systemClock, fileSystem });
    const ended = source.watch({ onSnapshot: (s) => snapshots.push(s), onWarning: () => {} }, bed.signal);
    await eventually(() => snapshots.length > 0 && watching.length === 2);

    bed.put("sub/b.yaml", configMap("b"));
    const before = performance.now();
    await eventually(() => names(snapshots.at(-1)).includes("b"));

    const took = performance.now() - before;
    expect(took).toBeGreaterThan(240);
    expect(took).toBeLessThan(450);
    expect(snapshots.at(-1)?.oldestChange).toBeGreaterThan(before - 60);
    bed.abort();
    await ended;
  });

  it("keeps the last quiet content of a file that is being written, and shows others meanwhile", async () => {
    bed.putOld("a.yaml", configMap("a", "1"));
    const test = watched();
    await test.clock.advance(20);

    bed.put("a.yaml", configMap("a", "2"));
    await test.look();
    await test.clock.advance(200);
    bed.put("a.yaml", configMap("a", "33"));
    bed.put("b.yaml", configMap("b"));
    await test.look();
    await test.clock.advance(200);
    bed.put("a.yaml", configMap("a", "444"));
    await test.look();
    await test.clock.advance(100);

    expect(names(test.last)).toEqual(["a", "b"]);
    expect(test.last?.objects[0]?.body).toContain('"1"');
    expect([...(test.last?.unsettled ?? [])]).toEqual(["a.yaml"]);
    await test.clock.advance(300);
    expect(test.last?.objects[0]?.body).toContain('"444"');
    expect(test.last?.unsettled.size).toBe(0);
  });

  it("starts the time of a file cut between two documents anew at every further write", async () => {
    const whole = `${configMap("a")}---\n${configMap("b")}`;
    bed.putOld("bundle.yaml", whole);
    const test = watched();
    await test.clock.advance(20);

    bed.put("bundle.yaml", configMap("a"));
    await test.look();
    const cutAt = test.clock.monotonic();
    await test.clock.advance(300);
    expect(names(test.last)).toEqual(["a"]);
    expect(test.last?.reduced.get("bundle.yaml")).toBeGreaterThan(cutAt - 25);
    await test.clock.advance(1_500);
    bed.put("bundle.yaml", `${configMap("a")}---\n`);
    await test.look();
    const wroteAt = test.clock.monotonic();

    // Nobody who waits for two seconds of quiet prunes b now.
    expect(test.last?.reduced.get("bundle.yaml")).toBeGreaterThan(wroteAt - 25);
    bed.put("bundle.yaml", whole);
    await test.look();
    await test.clock.advance(300);
    expect(names(test.last)).toEqual(["a", "b"]);
  });

  it("notes a file that lost an object as reduced, even where it grew", async () => {
    bed.putOld("a.yaml", configMap("a"));
    bed.putOld("b.yaml", configMap("b"));
    const test = watched();
    await test.clock.advance(20);

    bed.put("a.yaml", configMap("other", "a much longer value than before"));
    bed.put("b.yaml", configMap("b", "a much longer value than before"));
    await test.look();
    await test.clock.advance(300);

    expect(names(test.last)).toEqual(["other", "b"]);
    expect([...(test.last?.reduced.keys() ?? [])]).toEqual(["a.yaml"]);
  });

  it("shows that a file vanished after the settle time, and since when", async () => {
    bed.putOld("a.yaml", configMap("a"));
    bed.putOld("b.yaml", configMap("b"));
    const test = watched();
    await test.clock.advance(20);

    unlinkSync(join(bed.path, "a.yaml"));
    await test.look();
    const goneAt = test.clock.monotonic();
    expect(names(test.last)).toEqual(["a", "b"]);
    await test.clock.advance(300);

    expect(names(test.last)).toEqual(["b"]);
    expect(test.last?.reduced.get("a.yaml")).toBeCloseTo(goneAt, -2);
    await test.clock.advance(11 * 60_000);
    bed.put("c.yaml", configMap("c"));
    await test.look();
    await test.clock.advance(300);
    expect(test.last?.reduced.size).toBe(0);
  });

  it("keeps the objects of a file that vanished while another one is being written", async () => {
    bed.putOld("a.yaml", configMap("a"));
    const test = watched();
    await test.clock.advance(20);

    unlinkSync(join(bed.path, "a.yaml"));
    for (let round = 0; round < 10; round += 1) {
      bed.put("moved.yaml", configMap("a", "x".repeat(round)));
      await test.look();
      await test.clock.advance(200);
      expect(names(test.last)).toEqual(["a"]);
    }
    await test.clock.advance(300);

    expect(test.last?.objects.map(({ origin }) => origin.file)).toEqual(["moved.yaml"]);
    expect(test.snapshots.every((snapshot) => names(snapshot).length === 1)).toBe(true);
  });

  it("replaces a ConfigMap volume's objects in one snapshot", async () => {
    for (const version of ["1", "2"]) {
      bed.putOld(`..v${version}/a.yaml`, configMap("a", version));
      bed.putOld(`..v${version}/b.yaml`, configMap("b", version));
    }
    symlinkSync("..v1", join(bed.path, "..data"));
    for (const name of ["a.yaml", "b.yaml"]) symlinkSync(`..data/${name}`, join(bed.path, name));
    const test = watched();
    await test.clock.advance(20);

    symlinkSync("..v2", join(bed.path, "..data_tmp"));
    renameSync(join(bed.path, "..data_tmp"), join(bed.path, "..data"));
    rmSync(join(bed.path, "..v1"), { recursive: true });
    await test.look();
    await test.clock.advance(300);

    const versions = test.snapshots.map(({ objects }) =>
      objects.map(({ body }) => /"v":"(.)"/.exec(body)?.[1]).join(""),
    );
    expect(new Set(versions)).toEqual(new Set(["11", "22"]));
  });

  it("reports a missing root after the settle time, and its objects when it is back", async () => {
    const root = join(bed.path, "root");
    bed.putOld("root/a.yaml", configMap("a"));
    const test = watched({ root });
    await test.clock.advance(20);

    renameSync(root, join(bed.path, "away"));
    await test.look();
    expect(test.last?.state.kind).toBe("read");
    await test.clock.advance(300);
    expect(test.last).toMatchObject({ state: { kind: "missing", error: "ENOENT" }, objects: [] });
    expect(test.last?.reduced.size).toBe(0);

    renameSync(join(bed.path, "away"), root);
    await test.clock.advance(2_000);
    expect(test.last?.state.kind).toBe("read");
    expect(names(test.last)).toEqual(["a"]);
  });

  it("does not report a root that is swapped for another by way of nothing", async () => {
    bed.putOld("v1/a.yaml", configMap("a"));
    bed.putOld("v2/a.yaml", configMap("a", "2"));
    const root = join(bed.path, "current");
    symlinkSync("v1", root);
    const test = watched({ root });
    await test.clock.advance(20);

    unlinkSync(root);
    await test.look();
    symlinkSync("v2", root);
    await test.look();
    await test.clock.advance(300);

    expect(test.snapshots.every(({ state }) => state.kind === "read")).toBe(true);
    expect(test.last?.objects[0]?.body).toContain('"2"');
  });

  it("makes no snapshot of a file that was only touched", async () => {
    bed.putOld("a.yaml", configMap("a"));
    const test = watched();
    await test.clock.advance(20);
    const [first] = test.snapshots;

    bed.put("a.yaml", configMap("a"));
    await test.look();
    await test.clock.advance(300);

    expect(test.last?.objects[0]).toBe(first?.objects[0]);
    expect(test.last?.oldestChange).toBeUndefined();
  });

  it("polls, with one warning, where notifications are exhausted", async () => {
    bed.putOld("a.yaml", configMap("a"));
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      watch: () => {
        throw new FileError("ENOSPC", "no space left on device");
      },
    };
    const test = watched({ fileSystem });
    await test.clock.advance(20);

    bed.put("b.yaml", configMap("b"));
    await test.clock.advance(1_500);

    expect(names(test.last)).toEqual(["a", "b"]);
    expect(test.warnings).toHaveLength(1);
    expect(test.warnings[0]).toContain("ENOSPC");
  });

  it("polls where notifications end later, and closes its watchers", async () => {
    bed.putOld("a.yaml", configMap("a"));
    let open = 0;
    let fail: (() => void) | undefined;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      watch: (_, { onError }) => {
        open += 1;
        fail ??= () => onError(new FileError("EMFILE", "too many open files"));
        return { close: () => (open -= 1) };
      },
    };
    const test = watched({ fileSystem });
    await test.clock.advance(50);
    expect(open).toBe(2);

    fail?.();
    fail?.();
    bed.put("b.yaml", configMap("b"));
    await test.clock.advance(1_500);

    expect(open).toBe(0);
    expect(test.warnings).toHaveLength(1);
    expect(names(test.last)).toContain("b");
  });

  it("finds by polling what was not notified", async () => {
    bed.putOld("a.yaml", configMap("a"));
    const fileSystem: FileSystem = { ...nodeFileSystem, watch: () => ({ close: () => {} }) };
    const test = watched({ fileSystem });
    await test.clock.advance(100);

    bed.put("b.yaml", configMap("b"));
    await test.clock.advance(29_000);
    expect(names(test.last)).toEqual(["a"]);
    await test.clock.advance(2_000);

    expect(names(test.last)).toEqual(["a", "b"]);
  });

  it("tries a file again that could not be read", async () => {
    bed.putOld("a.yaml", configMap("a"));
    let isBroken = true;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      read: (path, limit) => {
        if (isBroken) throw new FileError("EIO", "input/output error");
        return nodeFileSystem.read(path, limit);
      },
    };
    const test = watched({ fileSystem });
    await test.clock.advance(20);
    expect(test.last?.problems).toMatchObject([{ key: "a.yaml@EIO" }]);

    isBroken = false;
    await test.clock.advance(6_000);

    expect(test.last?.problems).toEqual([]);
    expect(names(test.last)).toEqual(["a"]);
  });

  it("waits again for a file that changes while it is read", async () => {
    bed.putOld("a.yaml", configMap("a"));
    let races = 1;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      read: (path, limit) => {
        const read = nodeFileSystem.read(path, limit);
        return races-- > 0 ? { ...read, identity: "" } : read;
      },
    };
    const test = watched({ fileSystem });
    await test.clock.advance(20);
    expect(test.snapshots).toEqual([]);

    await test.clock.advance(300);

    expect(names(test.last)).toEqual(["a"]);
  });

  it("re-reads everything on rescan, and then only what changed", async () => {
    bed.putOld("a.yaml", configMap("a"));
    bed.putOld("b.yaml", configMap("b"));
    const reads: string[] = [];
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      read: (path, limit) => {
        reads.push(path.slice(bed.path.length + 1));
        return nodeFileSystem.read(path, limit);
      },
    };
    const test = watched({ fileSystem });
    await test.clock.advance(50);
    expect(reads).toEqual(["a.yaml", "b.yaml"]);

    bed.put("b.yaml", configMap("b", "2"));
    await test.clock.advance(11_000);
    expect(reads).toEqual(["a.yaml", "b.yaml", "b.yaml"]);
    await test.look();

    expect(reads.slice(3)).toEqual(["a.yaml", "b.yaml"]);
  });

  it("leaves no watcher and no timer behind", async () => {
    bed.putOld("a/b/c.yaml", configMap("c"));
    let open = 0;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      watch: (path, callbacks) => {
        open += 1;
        const watch = nodeFileSystem.watch(path, callbacks);
        return {
          close: () => {
            open -= 1;
            watch.close();
          },
        };
      },
    };
    const test = watched({ fileSystem });
    await test.clock.advance(50);
    expect(open).toBe(4);

    bed.abort();
    await test.ended;

    expect(open).toBe(0);
    expect(test.clock.pending).toBe(0);
  });
});
