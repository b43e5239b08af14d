import {
  CLIENT_SIDE_MANAGERS,
  entryOf,
  type KubeObject,
  LAST_APPLIED_ANNOTATION,
  type ManagersMigration,
  takeOver,
} from "../object/index.ts";
import type { SetIdentity } from "./set.ts";

type Owning = Pick<SetIdentity, "manager" | "predecessors">;

/**
 * What has to be folded into our Apply entry before an apply of ours may be relied on to drop what left the manifest:
 * our own Update entry (an object that was only ensured), those of the set's predecessors and, on an object with kubectl's last-applied annotation, the
 * entries of client-side tools. Without that annotation `kubectl create` and the like are a user's own fields, which
 * stay as they would under `kubectl apply`. Undefined where there is nothing to do.
 */
export function takeoverOf(live: KubeObject, identity: Owning): ManagersMigration | undefined {
  const { manager, predecessors = [] } = identity;
  const clientSide = hasLastApplied(live) ? CLIENT_SIDE_MANAGERS : [];
  return takeOver(live, { manager, clientSideManagers: [...predecessors, ...clientSide] });
}

/** Whether {@link takeoverOf} finds something; cheap where it does not, as this is asked for every event. */
export function needsTakeover(live: KubeObject, identity: Owning): boolean {
  const { manager, predecessors = [] } = identity;
  const hasEntry = [manager, ...predecessors].some((name) => entryOf(live, name, "Update") !== undefined);
  if (!hasEntry && !hasLastApplied(live)) return false;
  return takeoverOf(live, identity) !== undefined;
}

function hasLastApplied(live: KubeObject): boolean {
  return live.metadata.annotations?.[LAST_APPLIED_ANNOTATION] !== undefined;
}
