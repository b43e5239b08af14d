import type { EngineStatus } from "../../converge/index.ts";
import { type Digest, digestOf } from "../../object/index.ts";
import type { HeldObject, HeldReport } from "./reports.ts";

type Kept = EngineStatus["kept"][number];

/** Objects that are shown; the digest always covers all. */
const SHOWN = 500;

/**
 * The digest of what `prune --confirm` would release: group-kind, namespace, name and uid of every confirmable object.
 * Undefined where there is none. A list that has changed has another digest, so a confirmation never covers more than a
 * person saw.
 */
export function heldDigest(kept: readonly Kept[]): Digest | undefined {
  const held = kept.filter(({ isConfirmable }) => isConfirmable).map(({ live }) => [live.key, live.uid]);
  return held.length === 0 ? undefined : digestOf(held.sort());
}

/** What prune keeps, for people. */
export function heldReport(kept: readonly Kept[]): HeldReport {
  const digest = heldDigest(kept);
  const inOrder = [...kept].sort((a, b) => Number(b.isConfirmable) - Number(a.isConfirmable));
  const objects = inOrder.slice(0, SHOWN).map(
    ({ live, reason, isConfirmable }): HeldObject => ({
      object: live.ref,
      uid: live.uid,
      reason,
      confirmable: isConfirmable,
    }),
  );
  return digest === undefined ? { objects } : { digest, objects };
}
