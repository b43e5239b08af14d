/**
 * # controllers/sriov-operator-config: the infrastructure of the SR-IOV operator
 *
 * One SriovOperatorConfig, `default` in the operator's namespace, says which components run: `watches.ts` reads it,
 * `components.ts` says what each component is rendered with, `desired.ts` renders them, `reconciler.ts` has the engine
 * keep them, `teardown.ts` undoes what no owner reference collects, `status.ts` says how things stand. The webhook that
 * checks the operator's resources is in the files `admission-*.ts`.
 *
 * Invariants: nothing is written without the lead; the config is never written but for its finalizer and its status; a
 * component that cannot be rendered stops no other, and what it made before stays; the MachineConfig is neither listed
 * nor watched, and never removed with the config.
 *
 * It does not configure nodes: policies, networks, node states and draining are other controllers' work.
 */
export { runAdmissionWebhook } from "./admission-webhook.ts";
export { requireEnvironment } from "./environment.ts";
export { SRIOV_LEASE } from "./identity.ts";
export {
  type SriovHealth,
  SriovOperatorConfigController,
  type SriovOptions,
  type SriovPorts,
} from "./reconciler.ts";
