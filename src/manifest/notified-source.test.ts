import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../async/index.ts";
import { DirectorySource, type FileSystem, type ManifestSnapshot, nodeFileSystem } from "./index.ts";
import { useSourceBed } from "./source-bed.case.ts";

const bed = useSourceBed();

/** Writes a file without a word to the source. */
function write(name: string, value: string): void {
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  v: "${value}"\n`;
  writeFileSync(join(bed.path, name), text);
}

/** A source that hears of changes when the test says so, on a clock of the test's own. */
async function watched() {
  const path = join(bed.path, "a.yaml");
  write("a.yaml", "1");
  const then = Date.now() / 1000 - 3600;
  utimesSync(path, then, then);
  let scans = 0;
  let notify = (): void => {};
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    list(real) {
      scans += 1;
      return nodeFileSystem.list(real);
    },
    watch(real, { onEvent }) {
      if (real === bed.path) notify = () => onEvent("a.yaml");
      return { close: () => {} };
    },
  };
  const clock = new ManualClock(Date.now() + 3_600_000);
  const snapshots: ManifestSnapshot[] = [];
  const source = new DirectorySource({ root: bed.path, clock, fileSystem });
  const listener = { onSnapshot: (snapshot: ManifestSnapshot) => snapshots.push(snapshot), onWarning: () => {} };
  source.watch(listener, bed.signal).catch(() => {});
  await clock.advance(100);
  return {
    clock,
    notify: () => notify(),
    scans: () => scans,
    snapshots,
    /** The value that the newest snapshot shows. */
    shown: () => /"v":"(.+?)"/.exec(snapshots.at(-1)?.objects[0]?.body ?? "")?.[1],
  };
}

describe("a source that is notified", () => {
  it("shows a change when the settle time has gone by since it was told of it", async () => {
    const { clock, notify, shown } = await watched();

    write("a.yaml", "2");
    notify();
    await clock.advance(249);
    expect(shown()).toBe("1");

    await clock.advance(1);
    expect(shown()).toBe("2");
  });

  it("starts the settle time anew at each word of a further write", async () => {
    const { clock, notify, shown } = await watched();

    for (const value of ["2", "3", "4"]) {
      write("a.yaml", value);
      notify();
      await clock.advance(200);
    }
    expect(shown()).toBe("1");

    await clock.advance(50);
    expect(shown()).toBe("4");
  });

  it("looks at the directory once for a change, and not again to load the file", async () => {
    const { clock, notify, scans, shown } = await watched();
    const before = scans();

    write("a.yaml", "2");
    notify();
    await clock.advance(300);

    expect([scans() - before, shown()]).toEqual([1, "2"]);
  });

  it("shows together what was written and what was removed at a time", async () => {
    const { clock, notify, snapshots } = await watched();
    write("b.yaml", "1");
    notify();
    await clock.advance(300);
    const before = snapshots.length;

    write("b.yaml", "2");
    rmSync(join(bed.path, "a.yaml"));
    notify();
    await clock.advance(400);

    const shown = snapshots.slice(before).map(({ objects }) => objects.map(({ origin, body }) => [origin.file, body]));
    const halves = shown.filter((objects) => {
      const [a, b] = ["a.yaml", "b.yaml"].map((name) => objects.find(([file]) => file === name)?.[1]);
      return (a === undefined) !== (b?.includes('"v":"2"') === true);
    });
    expect(halves).toEqual([]);
    expect(snapshots.at(-1)?.objects[0]?.body).toContain('"v":"2"');
  });

  it("finds at the load that a file was written again without a word, and shows what it has become", async () => {
    const { clock, notify, shown } = await watched();

    write("a.yaml", "2");
    notify();
    await clock.advance(100);
    write("a.yaml", "other");
    await clock.advance(200);
    expect(shown()).toBe("1");

    await clock.advance(600);
    expect(shown()).toBe("other");
  });
});
