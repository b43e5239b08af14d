import type { EngineMeter } from "../metrics/index.ts";
import { groupKindKey } from "../object/index.ts";
import type { Change } from "./change-set.ts";
import type { EngineListener } from "./engine-types.ts";

/** A listener that also has a meter count what it is told; the listener itself where there is no meter. */
export function meteredListener(listener: EngineListener, meter: EngineMeter | undefined): EngineListener {
  if (meter === undefined) return listener;
  return {
    onChange: (change) => {
      meter.changed(change.outcome);
      countRepair(change, meter);
      listener.onChange(change);
    },
    onStatus: () => listener.onStatus(),
    onAvailability: (resource, error) => listener.onAvailability(resource, error),
    onDefinitionsUnwatched: (resource, error) => listener.onDefinitionsUnwatched?.(resource, error),
    onReachable: (isReachable, error) => listener.onReachable(isReachable, error),
    onFight: (key, fight, step) => {
      meter.fightBegan();
      listener.onFight(key, fight, step);
    },
    onUnserved: (kinds) => listener.onUnserved(kinds),
    onSelfCheckMiss: (key) => {
      meter.selfCheckMissed();
      listener.onSelfCheckMiss(key);
    },
    onPass: (ms) => {
      meter.passed(ms);
      listener.onPass?.(ms);
    },
  };
}

/** Drift that was put right: fields that others had changed, or an object that was gone. */
function countRepair({ outcome, step, ref }: Change, meter: EngineMeter): void {
  if (outcome !== "configured" && outcome !== "created") return;
  const { reason } = step;
  if (reason.kind === "deleted") meter.repaired(groupKindKey(ref), []);
  if (reason.kind !== "drifted") return;
  const managers = reason.fields.flatMap(({ owner }) => (owner === undefined ? [] : [owner.manager]));
  meter.repaired(groupKindKey(ref), managers);
}
