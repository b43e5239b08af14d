import { describe, expect, it } from "vitest";
import { ManualClock } from "../../async/index.ts";
import type { DesiredInput } from "../../converge/index.ts";
import { KeelsonError } from "../../errors/index.ts";
import type { Revision } from "../../history/index.ts";
import { ChangeLog, silentLogger } from "../../log/index.ts";
import type { Hold } from "./control.ts";
import { Declarations, type HoldChange } from "./declarations.ts";
import { desiredAddons } from "./desired.ts";
import { configMap, snapshotOf } from "./samples.case.ts";

const MODE = { "addonmanager.kubernetes.io/mode": "Reconcile" };
const addonsOf = (...names: readonly string[]) =>
  desiredAddons(snapshotOf(Object.fromEntries(names.map((name) => [`${name}.yaml`, configMap(name, MODE)]))));
const hold = (revision: number, at = 1): Hold => ({ revision, at, by: "alice", reason: "why" });
const NOTHING = { hold: undefined, resumed: undefined };

function revisionOf(...names: readonly string[]): Revision {
  const contents = addonsOf(...names).input.declared.map(({ manifest }) => ({
    ref: { group: "", kind: "ConfigMap", namespace: "default", name: manifest.name },
    mode: "Reconcile" as const,
    manifest,
  }));
  return { contents } as unknown as Revision;
}

/** Declarations on an engine that takes everything, and a store with these revisions. */
function bed(revisions: Readonly<Record<number, Revision>>) {
  const declared: (readonly [names: string, cause: string | undefined, isHeld: boolean | undefined])[] = [];
  const changes: HoldChange["kind"][] = [];
  const declarations = new Declarations(
    {
      engine: {
        declare: async ({ declared: all, cause, isHeld }: DesiredInput) => {
          declared.push([all.map(({ manifest }) => manifest.name).join(" "), cause, isHeld]);
        },
      },
      store: {
        load: async (revision) => {
          const found = revisions[revision];
          if (found === undefined) throw new KeelsonError("NotFound", "not there");
          return found;
        },
      },
      clock: new ManualClock(),
      log: silentLogger,
      said: new ChangeLog(silentLogger),
      onDeclared: () => {},
      onHold: ({ kind }) => changes.push(kind),
    },
    new AbortController().signal,
  );
  return { declarations, declared, changes };
}

describe("Declarations", () => {
  it("desire nothing before it is known whether a revision is held", async () => {
    const { declarations, declared } = bed({});

    declarations.onDirectory(addonsOf("a"));
    expect(declared).toEqual([]);
    await declarations.onControl(NOTHING);

    expect(declared).toEqual([["a", undefined, undefined]]);
  });

  it("desire the revision that is held from the start, and never the directory", async () => {
    const { declarations, declared, changes } = bed({ 7: revisionOf("old") });

    declarations.onDirectory(addonsOf("a"));
    await declarations.onControl({ ...NOTHING, hold: hold(7) });

    expect(declared).toEqual([["old", "rollback to 7 by alice: why", true]]);
    // Nobody has decided anything just now.
    expect(changes).toEqual([]);
  });

  it("show changes of the directory as waiting, and apply them on resume", async () => {
    const { declarations, declared, changes } = bed({ 7: revisionOf("old", "both") });
    declarations.onDirectory(addonsOf("a"));
    await declarations.onControl(NOTHING);
    await declarations.onControl({ ...NOTHING, hold: hold(7) });

    declarations.onDirectory(addonsOf("both", "b"));
    expect(declarations.report()).toMatchObject({ revision: 7, waiting: { added: 1, changed: 0, removed: 1 } });
    await declarations.onControl({ hold: undefined, resumed: { by: "bob", at: 2 } });
    declarations.onDirectory(addonsOf("c"));

    expect(declared.slice(1)).toEqual([
      ["old both", "rollback to 7 by alice: why", true],
      ["both b", "resume by bob", undefined],
      ["c", undefined, undefined],
    ]);
    expect(changes).toEqual(["held", "resumed"]);
    expect(declarations.report()).toBeUndefined();
  });

  it("go on with what was desired where a revision is gone, and say so", async () => {
    const { declarations, declared, changes } = bed({});
    declarations.onDirectory(addonsOf("a"));
    await declarations.onControl(NOTHING);

    await declarations.onControl({ ...NOTHING, hold: hold(7) });
    declarations.onDirectory(addonsOf("b"));

    expect(declared.map(([names]) => names)).toEqual(["a", "b"]);
    expect(changes).toEqual(["refused"]);
    expect(declarations.report()).toMatchObject({ revision: 7, refused: "not there" });
  });

  it("desire nothing at a start whose held revision is gone, until somebody resumes", async () => {
    const { declarations, declared } = bed({});
    declarations.onDirectory(addonsOf("a"));

    await declarations.onControl({ ...NOTHING, hold: hold(7) });
    expect(declared).toEqual([]);
    await declarations.onControl(NOTHING);

    expect(declared.map(([names]) => names)).toEqual(["a"]);
  });

  it("follow the same word once", async () => {
    const { declarations, declared } = bed({ 7: revisionOf("old") });
    await declarations.onControl(NOTHING);

    await declarations.onControl({ ...NOTHING, hold: hold(7) });
    await declarations.onControl({ ...NOTHING, hold: hold(7) });
    await declarations.onControl({ ...NOTHING, hold: hold(7, 2) });

    expect(declared).toHaveLength(2);
  });
});
