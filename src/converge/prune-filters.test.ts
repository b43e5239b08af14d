import { describe, expect, it } from "vitest";
import { MissingTracker } from "./missing.ts";
import { judgePrune, PRUNE_FILTERS, type PruneContext } from "./prune-filters.ts";
import type { LiveRecord } from "./record.ts";
import { desired, desiredSet, live, pruneContext } from "./samples.case.ts";

const other = desired({ name: "other" });

/** A tracker that saw ConfigMap a leave while `broken` could not be read, or while the directory was empty. */
function leftBeside(broken: readonly string[], isEmpty = false): MissingTracker {
  const tracker = new MissingTracker();
  tracker.advance(desiredSet([desired({ name: "a" }), other]), 0);
  tracker.advance(desiredSet(isEmpty ? [] : [other], { broken }), 0);
  if (isEmpty) tracker.advance(desiredSet([other], { broken }), 0);
  return tracker;
}

/**
 * What makes each row of the decision table match, in the table's order. A row's object also matches all the rows below
 * it, so that the order itself is tested.
 */
interface Row {
  readonly row: string;
  readonly filter: string;
  readonly verdict: string;
  readonly isConfirmable?: boolean;
  readonly live?: Partial<LiveRecord>;
  readonly context?: Partial<PruneContext>;
}

const rows: readonly Row[] = [
  { row: "no class label", filter: "not-of-the-class", verdict: "ignore", live: { classLabels: [] } },
  {
    row: "1: the same uid is desired",
    filter: "same-object",
    verdict: "ignore",
    context: { isDesiredUid: () => true },
  },
  { row: "already being deleted", filter: "terminating", verdict: "ignore", live: { terminating: [] } },
  {
    row: "3: its document is there, unlabelled",
    filter: "mentioned",
    verdict: "keep",
    context: { desired: desiredSet([other], { mentioned: new Set(["ConfigMap/default/a"]) }) },
  },
  { row: "4: Keelson's own", filter: "protected", verdict: "release", live: { isKeelsonOwn: true } },
  { row: "5: prune disabled", filter: "prune-disabled", verdict: "keep", live: { isPruneDisabled: true } },
  { row: "5: a controller owns it", filter: "controlled", verdict: "keep", live: { hasController: true } },
  {
    row: "5: not in the prune list",
    filter: "not-in-prune-list",
    verdict: "keep",
    context: { isPrunable: () => false },
  },
  {
    row: "6: labels without our proof, last-applied",
    filter: "unproven",
    verdict: "keep",
    isConfirmable: true,
    live: { isProven: false, hasLastApplied: true },
  },
  {
    row: "7: labels alone",
    filter: "unproven",
    verdict: "ignore",
    live: { isProven: false, hasLastApplied: false },
  },
  {
    row: "8: behind an unreadable document",
    filter: "behind-a-problem",
    verdict: "keep",
    isConfirmable: true,
    context: { missing: leftBeside(["b.yaml@x"]) },
  },
  {
    row: "9: since the directory was empty",
    filter: "source-was-empty",
    verdict: "keep",
    isConfirmable: true,
    context: { missing: leftBeside([], true) },
  },
  {
    row: "10: left a moment ago",
    filter: "just-left",
    verdict: "wait",
    context: { missing: leftBeside([]), now: 1_999 },
  },
  { row: "11: paused", filter: "switched-off", verdict: "keep", context: { isOff: true } },
];

describe("judgePrune", () => {
  it.each(rows)("$row: $filter says $verdict", ({ filter, verdict, isConfirmable = false, ...row }) => {
    const judged = judgePrune(live({}, row.live), pruneContext(row.context));

    expect(judged?.filter).toBe(filter);
    expect(judged?.verdict).toMatchObject({ kind: verdict, ...(verdict === "keep" ? { isConfirmable } : {}) });
  });

  it("deletes what passes every row", () => {
    expect(judgePrune(live({}), pruneContext())).toBeUndefined();
  });

  it("has a row here for each of its filters, in the order of the table", () => {
    const inTable = [...new Set(rows.map(({ filter }) => filter))];

    expect(PRUNE_FILTERS.map(({ name }) => name)).toEqual(inTable);
  });

  it.each(
    rows.flatMap((upper, at) =>
      rows
        .slice(at + 1)
        .filter((lower) => canBoth(upper, lower))
        .map((lower) => ({ upper, lower })),
    ),
  )("decides by $upper.filter before $lower.filter", ({ upper, lower }) => {
    const record = live({}, { ...lower.live, ...upper.live });
    const context = pruneContext({ ...lower.context, ...upper.context });

    expect(judgePrune(record, context)?.filter).toBe(upper.filter);
  });

  it.each([
    { name: "kube-system", isReleased: true },
    { name: "kube-public", isReleased: true },
    { name: "kube-node-lease", isReleased: true },
    { name: "default", isReleased: true },
    { name: "kube-system-2", isReleased: false },
  ])("releases Namespace $name rather than deleting it: $isReleased", ({ name, isReleased }) => {
    const judged = judgePrune(live({ kind: "Namespace", namespace: "", name }), pruneContext());

    expect(judged?.verdict.kind).toBe(isReleased ? "release" : undefined);
  });

  it("does not take a kind called Namespace of another group for a Namespace", () => {
    const ref = { group: "example.com", kind: "Namespace", namespace: "", name: "kube-system" };

    expect(judgePrune(live(ref), pruneContext())).toBeUndefined();
  });

  it("releases only what our Apply entry is on", () => {
    const ref = { kind: "Namespace", namespace: "", name: "kube-system" };
    const record = live(ref, { hasApplyEntry: false, isProven: false });

    expect(judgePrune(record, pruneContext())?.verdict).toEqual({ kind: "ignore" });
  });

  describe("row 6", () => {
    const leftOver = live({}, { isProven: false, hasLastApplied: true });

    it.each([
      { name: "--legacy-prune=auto", context: { legacyPrune: "auto" as const } },
      { name: "a confirmation", context: { confirmed: new Set([leftOver.uid]) } },
    ])("is sent on by $name", ({ context }) => {
      expect(judgePrune(leftOver, pruneContext(context))).toBeUndefined();
    });

    it("still meets row 8 after --legacy-prune=auto", () => {
      const context = pruneContext({ legacyPrune: "auto", missing: leftBeside(["b.yaml@x"]) });

      expect(judgePrune(leftOver, context)?.filter).toBe("behind-a-problem");
    });

    it("prunes no look-alike without last-applied, auto or not", () => {
      const copy = live({}, { isProven: false });

      expect(judgePrune(copy, pruneContext({ legacyPrune: "auto" }))?.verdict).toEqual({ kind: "ignore" });
    });
  });

  it.each([
    { name: "row 8", missing: leftBeside(["b.yaml@x"]) },
    { name: "row 9", missing: leftBeside([], true) },
  ])("lets a confirmation of that very uid pass $name, and of no other", ({ missing }) => {
    expect(judgePrune(live({}), pruneContext({ missing, confirmed: new Set(["uid-a"]) }))).toBeUndefined();
    expect(judgePrune(live({}), pruneContext({ missing, confirmed: new Set(["uid-b"]) }))?.verdict.kind).toBe("keep");
  });

  it("confirms no row that is not confirmable", () => {
    const context = pruneContext({ isOff: true, confirmed: new Set(["uid-a"]) });

    expect(judgePrune(live({}), context)?.filter).toBe("switched-off");
    expect(judgePrune(live({}, { isPruneDisabled: true }), context)?.filter).toBe("prune-disabled");
  });

  it("names the file that holds an object, without its digest", () => {
    const judged = judgePrune(live({}), pruneContext({ missing: leftBeside(["team@corp/b.yaml@0a1b"]) }));

    expect(judged?.verdict).toMatchObject({
      reason: expect.stringMatching(/: mend the file team@corp\/b\.yaml first$/),
    });
  });

  describe("row 10", () => {
    it("counts from the moment since when the file has been quiet", () => {
      const reduced = new Map([["a.yaml", 5_000]]);
      const context = (now: number): PruneContext =>
        pruneContext({ desired: desiredSet([other], { reduced }), missing: leftBeside([]), now });

      expect(judgePrune(live({}), context(6_999))?.verdict).toEqual({ kind: "wait", untilMs: 7_000 });
      expect(judgePrune(live({}), context(7_000))).toBeUndefined();
    });

    it("does not count from before the object was missing", () => {
      const tracker = new MissingTracker();
      tracker.advance(desiredSet([desired({ name: "a" }), other]), 0);
      tracker.advance(desiredSet([other]), 9_000);
      const reduced = new Map([["a.yaml", 1_000]]);
      const context = pruneContext({ desired: desiredSet([other], { reduced }), missing: tracker, now: 9_500 });

      expect(judgePrune(live({}), context)?.verdict).toEqual({ kind: "wait", untilMs: 11_000 });
    });
  });
});

/** Two rows that one object can match at once: neither takes back what the other needs. */
function canBoth(upper: Row, lower: Row): boolean {
  if (upper.filter === lower.filter) return false;
  const overwritten = Object.keys(upper.live ?? {}).some((key) => key in (lower.live ?? {}));
  const shared = Object.keys(upper.context ?? {}).some((key) => key in (lower.context ?? {}));
  return !overwritten && !shared;
}

describe("judgePrune, while a revision is held", () => {
  it.each([
    { name: "the document is still there", set: { mentioned: new Set(["ConfigMap/default/a"]) }, missing: undefined },
    { name: "a file cannot be read", set: {}, missing: leftBeside(["b.yaml@x"]) },
    { name: "the directory was empty", set: {}, missing: leftBeside([], true) },
    { name: "it has just left", set: { reduced: new Map([["a.yaml", 3_599_999]]) }, missing: leftBeside([]) },
  ])("lets nothing of the directory keep an object: $name", ({ set, missing }) => {
    const judge = (isHeld: boolean) => {
      const wanted = desiredSet([other], { ...set, isHeld });
      return judgePrune(live({}), pruneContext({ desired: wanted, ...(missing === undefined ? {} : { missing }) }));
    };

    expect(judge(false)).toBeDefined();
    expect(judge(true)).toBeUndefined();
  });

  it("keeps what every other guard keeps", () => {
    const context = pruneContext({ desired: desiredSet([other], { isHeld: true }) });

    expect(judgePrune(live({}, { isPruneDisabled: true }), context)?.filter).toBe("prune-disabled");
    expect(judgePrune(live({}, { isProven: false, hasLastApplied: true }), context)?.filter).toBe("unproven");
  });
});
