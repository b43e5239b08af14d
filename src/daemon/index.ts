/**
 * # daemon: the composition root
 *
 * The only place that wires folders together: settings in, operations out. The command line sees {@link operations} and
 * the reports they answer with.
 *
 * It decides nothing about an object; that is `converge`'s and the controllers' part.
 */
export { durationMs, loadSettings, type SettingsSource } from "./load-settings.ts";
export type { AuditQuery, Environment, OperationIo, Operations, WebhookServer } from "./operations.ts";
export type { RbacOptions } from "./rbac-options.ts";
export * from "./reports.ts";
export type { DemoOptions, SandboxOptions } from "./sandbox-options.ts";
export type { Facts, Setting, SettingsCommand, SettingsTable } from "./setting.ts";
export type {
  ControllerName,
  LeaderElectMode,
  LegacyPruneMode,
  Settings,
} from "./settings.ts";
export { KUBECTL_FLAGS, type KubectlFlagInput, type KubectlFlagSpec } from "./settings-kubectl.ts";
export { SETTINGS } from "./settings-table.ts";
export type { HttpAddress, PruneLimit } from "./settings-values.ts";
export { operations } from "./wired.ts";
