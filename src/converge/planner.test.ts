import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../async/index.ts";
import type { DesiredObject } from "./desired.ts";
import type { PrunePolicy } from "./engine-types.ts";
import { plan } from "./plan.ts";
import { Planner } from "./planner.ts";
import { type Baseline, baselineOf, type LiveRecord } from "./record.ts";
import { desired, desiredSet, digest, live } from "./samples.case.ts";

const NAMES = ["a", "b", "c"] as const;
const PRUNE: PrunePolicy = {
  kinds: [{ group: "", version: "v1", kind: "ConfigMap" }],
  allKinds: false,
  isOff: false,
  legacy: "hold",
  limit: undefined,
  settleMs: 2_000,
};

/** What of a record decides, each in a state of its own. */
const RECORDS: readonly Partial<LiveRecord>[] = [
  {},
  { valueHash: "other" },
  { isProven: false, hasApplyEntry: false },
  { isProven: false, hasLastApplied: true },
  { classLabels: [] },
  { hasController: true },
  { isProven: false, hasApplyEntry: false, hasController: true },
  { isPruneDisabled: true },
  { terminating: [] },
  { uid: "uid-a" },
  { uid: "uid-b" },
  { uid: "uid-a", isProven: false, hasApplyEntry: false, isPruneDisabled: true },
];
const OBJECTS: readonly Partial<DesiredObject>[] = [
  {},
  { mode: "EnsureExists" },
  { mode: "Absent" },
  { digest: digest(2) },
  { resource: undefined },
];

const name = fc.constantFrom(...NAMES);
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("live"), name, as: fc.constantFrom(...RECORDS) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("gone"), name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("applied"), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("declared"),
      objects: fc.dictionary(name, fc.constantFrom(...OBJECTS)),
      mentioned: fc.subarray([...NAMES]),
      isHeld: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant("confirmed"), name }),
  fc.record({ kind: fc.constant("prune"), isOn: fc.boolean() }),
  fc.record({ kind: fc.constant("paused"), names: fc.subarray([...NAMES]) }),
  fc.record({ kind: fc.constant("time"), ms: fc.nat({ max: 5_000 }) }),
);

class Bed {
  readonly clock: ManualClock = new ManualClock();
  readonly records: Map<string, LiveRecord> = new Map();
  readonly baselines: Map<string, Baseline> = new Map();
  readonly planner: Planner;

  constructor() {
    const { clock, records, baselines } = this;
    this.planner = new Planner({ clock, prune: PRUNE, records, baselines });
  }
}

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

async function apply(bed: Bed, step: Operation): Promise<void> {
  const { planner, records, baselines } = bed;
  if ("as" in step) {
    const record = live({ name: step.name }, step.as);
    records.set(record.key, record);
    planner.onLive(record.key);
  } else if ("objects" in step) {
    const objects = Object.entries(step.objects).map(([name, as]) => desired({ name }, as));
    const before = planner.desired.objects;
    const changed = objects.filter((object) => before.get(object.key) !== object).map(({ key }) => key);
    const mentioned = new Set(step.mentioned.map((name) => desired({ name }).key));
    planner.take(desiredSet(objects, { mentioned, isHeld: step.isHeld }), changed);
  } else if ("isOn" in step) planner.setPrune(step.isOn);
  else if ("names" in step) {
    const paused: ReadonlySet<string> = new Set(step.names);
    planner.setPauses(step.names.length === 0 ? undefined : (ref) => (paused.has(ref.name) ? 9e12 : undefined));
  } else if ("ms" in step) await bed.clock.advance(step.ms);
  else {
    const { key } = desired({ name: step.name });
    const record = records.get(key);
    if (step.kind === "gone") {
      records.delete(key);
      planner.onLive(key);
    } else if (record !== undefined && step.kind === "applied") {
      baselines.set(key, baselineOf(record, digest(1)));
      planner.touch(key);
    } else if (record !== undefined) planner.confirm([record.uid]);
  }
}

describe("the planner", () => {
  it("plans, looking at what has changed, exactly what a look at everything plans", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
        const bed = new Bed();
        for (const step of operations) {
          await apply(bed, step);

          expect(bed.planner.plan()).toEqual(plan(bed.planner.input()));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("remembers as missing, change by change, exactly what a look at everything finds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
        const bed = new Bed();
        for (const step of operations) {
          await apply(bed, step);
          const changeByChange = bed.planner.state(true, () => false);
          bed.planner.reset();

          expect(changeByChange).toEqual(bed.planner.state(true, () => false));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("judges anew what was ignored for its uid alone, once no desired object has that uid", async () => {
    const bed = new Bed();
    const alike = { uid: "uid-a", isProven: false, hasApplyEntry: false, isPruneDisabled: true };
    await apply(bed, { kind: "declared", objects: { a: {} }, mentioned: [], isHeld: false });
    await apply(bed, { kind: "live", name: "a", as: {} });
    await apply(bed, { kind: "live", name: "b", as: alike });
    expect(bed.planner.plan().kept).toEqual([]);

    await apply(bed, { kind: "live", name: "a", as: { uid: "uid-new" } });
    expect(bed.planner.plan().kept).toMatchObject([{ filter: "prune-disabled" }]);
  });

  it("forgets a confirmation once its object is gone or desired again", async () => {
    const bed = new Bed();
    await apply(bed, { kind: "declared", objects: {}, mentioned: [], isHeld: false });
    await apply(bed, { kind: "live", name: "a", as: { isProven: false, hasLastApplied: true } });
    expect(bed.planner.plan().kept).toHaveLength(1);

    await apply(bed, { kind: "confirmed", name: "a" });
    expect(bed.planner.state(true, () => false).confirmed).toEqual(["uid-a"]);

    await apply(bed, { kind: "declared", objects: { a: {} }, mentioned: [], isHeld: false });
    await apply(bed, { kind: "declared", objects: {}, mentioned: [], isHeld: false });
    expect([bed.planner.plan().kept.length, bed.planner.state(true, () => false).confirmed]).toEqual([1, []]);
  });
});
