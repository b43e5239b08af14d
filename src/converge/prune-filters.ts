import { groupKindKey, type ObjectRef } from "../object/index.ts";
import type { DesiredSet } from "./desired.ts";
import type { MissingTracker } from "./missing.ts";
import type { LiveRecord } from "./record.ts";

/** What the prune rules look at, beside the object itself. */
export interface PruneContext {
  readonly desired: DesiredSet;
  readonly missing: MissingTracker;
  /** Whether a desired object resolves to this uid: the same object under another group is no delete. */
  readonly isDesiredUid: (uid: string) => boolean;
  /** Whether the kind may be pruned (the prune list, or every kind). */
  readonly isPrunable: (ref: ObjectRef) => boolean;
  /** What becomes of left-overs of the original, which carry the labels without our proof. */
  readonly legacyPrune: "hold" | "auto";
  /** uids that a person confirmed. */
  readonly confirmed: ReadonlySet<string>;
  /** Prune is switched off (`--no-prune`). */
  readonly isOff: boolean;
  /** Monotonic milliseconds. */
  readonly now: number;
  readonly pruneSettleMs: number;
}

/** What a filter says where it matches; `undefined` passes the object on. */
export type Verdict =
  | { readonly kind: "ignore" }
  | { readonly kind: "release" }
  | { readonly kind: "keep"; readonly reason: string; readonly isConfirmable: boolean }
  | { readonly kind: "wait"; readonly untilMs: number };

/** One rule of the prune table. */
export interface PruneFilter {
  readonly name: string;
  readonly judge: (live: LiveRecord, context: PruneContext) => Verdict | undefined;
}

const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set(["kube-system", "kube-public", "kube-node-lease", "default"]);

const keep = (reason: string, isConfirmable = false): Verdict => ({ kind: "keep", reason, isConfirmable });

/**
 * The rules by which a live object of the pruned class that is not desired is kept, in order: the first that matches
 * decides, and an object that passes all of them is deleted (`design`: section 3, rows 1 to 11). While a revision is held
 * the rules that guard against faults of the directory (rows 3 and 8 to 10) say nothing.
 */
export const PRUNE_FILTERS: readonly PruneFilter[] = [
  {
    name: "not-of-the-class",
    judge: (live) => (live.classLabels.length === 0 ? { kind: "ignore" } : undefined),
  },
  {
    name: "same-object",
    judge: (live, { isDesiredUid }) => (isDesiredUid(live.uid) ? { kind: "ignore" } : undefined),
  },
  {
    name: "terminating",
    judge: (live) => (live.terminating === undefined ? undefined : { kind: "ignore" }),
  },
  {
    name: "mentioned",
    judge: (live, { desired }) =>
      desired.mentioned.has(live.key) && !desired.isHeld
        ? keep("its document is still in the directory, without a label that says what to do with it")
        : undefined,
  },
  {
    name: "protected",
    judge: (live) => (live.hasApplyEntry && isProtected(live) ? { kind: "release" } : undefined),
  },
  {
    name: "prune-disabled",
    judge: (live) => (live.isPruneDisabled ? keep("annotation keelson.dev/prune: disabled") : undefined),
  },
  {
    name: "controlled",
    judge: (live) => (live.hasController ? keep("a controller owns it") : undefined),
  },
  {
    name: "not-in-prune-list",
    judge: (live, { isPrunable }) =>
      isPrunable(live.ref) ? undefined : keep(`${groupKindKey(live.ref)} is not in the prune list`),
  },
  {
    name: "unproven",
    judge: (live, { legacyPrune, confirmed }) => {
      if (live.isProven) return undefined;
      if (!live.hasLastApplied) return { kind: "ignore" };
      if (legacyPrune === "auto" || confirmed.has(live.uid)) return undefined;
      return keep("carries the labels but was not applied by Keelson: perhaps a left-over of the addon manager", true);
    },
  },
  {
    name: "behind-a-problem",
    judge: (live, { missing, confirmed, desired }) => {
      if (confirmed.has(live.uid) || desired.isHeld) return undefined;
      const [holder] = missing.holdersOf(live.key);
      return holder === undefined
        ? undefined
        : keep(`it may be in a document that cannot be read: mend the file ${fileOf(holder)} first`, true);
    },
  },
  {
    name: "source-was-empty",
    judge: (live, { missing, confirmed, desired }) =>
      missing.of(live.key).sinceEmpty && !confirmed.has(live.uid) && !desired.isHeld
        ? keep("the directory was missing or empty when it was last looked for", true)
        : undefined,
  },
  {
    name: "just-left",
    judge: (live, { missing, desired, now, pruneSettleMs }) => {
      if (desired.isHeld) return undefined;
      const { file, sinceMs } = missing.of(live.key);
      const quietSince = (file === undefined ? undefined : desired.reduced.get(file)) ?? sinceMs;
      const untilMs = Math.max(quietSince, sinceMs) + pruneSettleMs;
      return untilMs > now ? { kind: "wait", untilMs } : undefined;
    },
  },
  {
    name: "switched-off",
    judge: (_live, { isOff }) => (isOff ? keep("prune is switched off") : undefined),
  },
];

function isProtected(live: LiveRecord): boolean {
  if (live.isKeelsonOwn) return true;
  return live.ref.kind === "Namespace" && live.ref.group === "" && SYSTEM_NAMESPACES.has(live.ref.name);
}

/** Problem keys end with a digest behind the last `@`. */
function fileOf(problem: string): string {
  const at = problem.lastIndexOf("@");
  return at < 0 ? problem : problem.slice(0, at);
}

/** The first verdict on an object, with the name of the filter that gave it; undefined: it is to be deleted. */
export function judgePrune(
  live: LiveRecord,
  context: PruneContext,
): { readonly filter: string; readonly verdict: Verdict } | undefined {
  for (const { name, judge } of PRUNE_FILTERS) {
    const verdict = judge(live, context);
    if (verdict !== undefined) return { filter: name, verdict };
  }
  return undefined;
}
