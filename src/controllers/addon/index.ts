/**
 * # controllers/addon: the addon manager
 *
 * A directory of labelled manifests, kept true in a cluster: `desired.ts` reads the labels, `reconciler.ts` runs the
 * daemon (start-up waits, admission controls, election, interval), `pass.ts` a single pass, `status.ts` says how things
 * stand, `rights.ts` computes the RBAC that a directory needs. What is decided about an object is the engine's part.
 *
 * Invariants: nothing is written without the lead; everything said in log, Events and status is said once until it
 * changes, and holds no value of a Secret; what has to survive a restart stands in the status ConfigMap.
 *
 * It does not parse files, choose among credentials, or serve HTTP.
 */
export { treatedAdmission } from "./admission.ts";
export { type AdoptOptions, adoptPass } from "./adopt.ts";
export { type BoundPlan, parseBoundPlan } from "./bound-plan.ts";
export { type PauseTarget, removePauses, staleConfirmation, writeConfirmation, writePause } from "./control.ts";
export { desiredAddons } from "./desired.ts";
export { explainPass } from "./explain.ts";
export { fsckPass } from "./fsck.ts";
export { heldDigest } from "./held.ts";
export { addonIdentity, namesOf, type SetNames } from "./identity.ts";
export { lintReport } from "./lint.ts";
export { askForAnswer, type LivenessPorts, watchStatusText } from "./liveness.ts";
export { readOwn } from "./own-config-map.ts";
export { applyPass, applyPlannedPass, type PassOptions, type PassPorts, planPass } from "./pass.ts";
export { type RbacNames, rbacObjects } from "./rbac-objects.ts";
export { AddonController, type AddonOptions, type AddonPorts } from "./reconciler.ts";
export type * from "./reports.ts";
export {
  type HistoryPorts,
  type Request,
  readHistory,
  readRevision,
  readRevisionDiff,
  requestPause,
  requestResume,
  requestRollback,
  requestUnpause,
} from "./requests.ts";
export { computeRights, declaredNamespaces, prunedKindsOf, type Right, type RightsInput } from "./rights.ts";
export { STATUS_KEY } from "./state.ts";
export type * from "./status-reports.ts";
export type { AddonView, Spectator } from "./view.ts";
