import type { Command } from "./command.ts";
import { adoptCommand } from "./commands/adopt.ts";
import { applyCommand } from "./commands/apply.ts";
import { auditCommand } from "./commands/audit.ts";
import { completionCommand } from "./commands/completion.ts";
import { demoCommand } from "./commands/demo.ts";
import { diffCommand } from "./commands/diff.ts";
import { fsckCommand } from "./commands/fsck.ts";
import { historyCommand } from "./commands/history.ts";
import { lintCommand } from "./commands/lint.ts";
import { pauseCommand } from "./commands/pause.ts";
import { planCommand } from "./commands/plan.ts";
import { pruneCommand } from "./commands/prune.ts";
import { rbacCommand } from "./commands/rbac.ts";
import { renderCommand } from "./commands/render.ts";
import { resumeCommand } from "./commands/resume.ts";
import { rollbackCommand } from "./commands/rollback.ts";
import { runCommand } from "./commands/run.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { showCommand } from "./commands/show.ts";
import { sriovWebhookCommand } from "./commands/sriov-webhook.ts";
import { statusCommand } from "./commands/status.ts";
import { unpauseCommand } from "./commands/unpause.ts";
import { versionCommand } from "./commands/version.ts";
import { waitCommand } from "./commands/wait.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  runCommand,
  planCommand,
  applyCommand,
  lintCommand,
  renderCommand,
  rbacCommand,
  statusCommand,
  waitCommand,
  fsckCommand,
  adoptCommand,
  pruneCommand,
  historyCommand,
  showCommand,
  diffCommand,
  rollbackCommand,
  resumeCommand,
  pauseCommand,
  unpauseCommand,
  auditCommand,
  sriovWebhookCommand,
  sandboxCommand,
  demoCommand,
  versionCommand,
  completionCommand,
];
