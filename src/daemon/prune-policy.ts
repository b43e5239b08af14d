import type { PrunePolicy } from "../converge/index.ts";
import type { Settings } from "./settings.ts";
import { prunableKinds } from "./settings-prune-list.ts";

/** What the settings let prune do. */
export function prunePolicy(settings: Settings): PrunePolicy {
  return {
    kinds: prunableKinds(settings),
    allKinds: settings.pruneAllKinds,
    isOff: !settings.prune,
    legacy: settings.legacyPrune,
    limit: settings.pruneLimit,
    settleMs: settings.pruneSettleMs,
  };
}
