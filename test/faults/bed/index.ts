/**
 * # bed: what the fault tests share
 *
 * The built program as a process of its own ({@link KeelsonProcess}), everybody else's hands on the cluster
 * ({@link Admin}), and manifests as text. Nothing here shares code with src/: the program is held against the API server
 * and its audit log, never against its own modules.
 *
 * Invariants: each process has a directory, a set name and a log of its own and ends with its test; every wait polls with
 * a deadline that a loaded machine can keep.
 *
 * It deliberately never waits for an amount of time, but for what is to be seen.
 */
export { Admin, type Live } from "./admin.ts";
export { adminOf } from "./cluster.ts";
export { fresh } from "./fresh.ts";
export { KeelsonProcess, type ProcessEnd, type ProcessOptions, startKeelson } from "./keelson-process.ts";
export { expectEachOnce, type Ledger, ledgerOf } from "./ledger.ts";
export {
  configMap,
  configMapPath,
  crd,
  custom,
  ensured,
  file,
  type Manifest,
  manifest,
  numbered,
  reconciled,
  secret,
} from "./manifests.ts";
export { PATIENT } from "./patience.ts";
export { expectSurvival, uidsOf } from "./survivors.ts";
export { startWebhook, type Webhook } from "./webhook.ts";
