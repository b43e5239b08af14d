import { adopt } from "./adopt.ts";
import { demo } from "./demo.ts";
import {
  audit,
  diffRevisions,
  followAudit,
  history,
  pause,
  resume,
  rollback,
  showRevision,
  unpause,
  verifyAudit,
} from "./history.ts";
import { planOffline } from "./offline.ts";
import type { Operations } from "./operations.ts";
import { rbac } from "./rbac.ts";
import { run } from "./run.ts";
import { sandbox } from "./sandbox.ts";
import { applyOnce, applyPlan, confirmPrune, explain, fsck, lint, planOnce } from "./single-pass.ts";
import { sriovWebhook } from "./sriov-webhook.ts";
import { status, watchStatus } from "./status.ts";

/** Everything that the command line offers. */
export const operations: Operations = {
  run,
  plan: planOnce,
  planOffline,
  apply: applyOnce,
  applyPlan,
  adopt,
  explain,
  fsck,
  lint,
  rbac,
  status,
  watchStatus,
  confirmPrune,
  history,
  showRevision,
  diffRevisions,
  rollback,
  resume,
  pause,
  unpause,
  audit,
  followAudit,
  verifyAudit,
  sandbox,
  demo,
  sriovWebhook,
};
