import type { EngineListener, PrunePolicy } from "../converge/index.ts";

/** A listener that is told of nothing but what `listener` has a method for. */
export function engineListener(listener: Partial<EngineListener> = {}): EngineListener {
  const ignore = (): void => {};
  return {
    onChange: ignore,
    onStatus: ignore,
    onAvailability: ignore,
    onReachable: ignore,
    onFight: ignore,
    onUnserved: ignore,
    onSelfCheckMiss: ignore,
    ...listener,
  };
}

/**
 * A prune policy: off, unless `policy` says otherwise. Where it is on (`isOff: false`), `kinds` or `allKinds` must name
 * what may be pruned. Other defaults: look-alikes of the original addon manager are held, no limit, a file must have been
 * gone for 2 s, as the daemon waits.
 */
export function prunePolicy(policy: Partial<PrunePolicy> = {}): PrunePolicy {
  return { kinds: [], allKinds: false, isOff: true, legacy: "hold", limit: undefined, settleMs: 2_000, ...policy };
}
