/**
 * # library: what `import { … } from "keelson"` gives
 *
 * The parts of Keelson that are of use in other programs: the convergence engine, ownership in managedFields, the reader
 * of manifests, the renderer of Go templates, the embedded API server, and the client that these need.
 *
 * Invariants: importing does nothing (no I/O, no environment, no timers); everything here is described in
 * `docs/reference/library.md`, whose examples are tests; what is not exported here may change in any version.
 *
 * It is not the daemon: no election, no Events, no status, no revisions. A program that wants those runs `keelson run`.
 */

// The embedded API server.
export { type ApiServer, type ApiServerOptions, type StoreSnapshot, startApiServer } from "../apiserver/index.ts";
// Time, and errors.
export { type Clock, ManualClock, systemClock } from "../async/index.ts";
// Add-ons: what the labels of manifests ask for, as an engine takes it.
export { addonIdentity, desiredAddons, namesOf, type SetNames } from "../controllers/addon/index.ts";
// The engine.
export {
  type Change,
  type Cluster,
  type Decision,
  type Declared,
  type DesiredInput,
  type DesiredObject,
  describeReason,
  Engine,
  type EngineListener,
  type EngineOptions,
  type EngineState,
  type EngineStatus,
  type Mode,
  type Outcome,
  type Plan,
  type PrunePolicy,
  type Reason,
  refOfStep,
  type SetIdentity,
  type Step,
} from "../converge/index.ts";
export { type Disposition, ERROR_CODES, type ErrorCode, isKeelsonError, KeelsonError } from "../errors/index.ts";
// Go templates.
export {
  type ExtraFunction,
  type MissingKey,
  type ParseOptions,
  parseTemplate,
  type Template,
  type TemplateData,
} from "../gotemplate/index.ts";
// The client.
export {
  type ApiResource,
  type ClientSettings,
  type ClusterConfig,
  createClient,
  type KubeClient,
  type KubeconfigSources,
  loadKubeconfig,
  type Target,
  type WriteResult,
} from "../kube/index.ts";
// The reader.
export {
  DirectorySource,
  type DirectorySourceOptions,
  type LoadedText,
  loadDirectoryOnce,
  loadText,
  type ManifestObject,
  type ManifestSnapshot,
  type Origin,
  type Problem,
  type RenderedFolder,
  type RenderOptions,
  type Source,
  type SourceListener,
  TemplateFolder,
} from "../manifest/index.ts";
// Ownership.
export {
  coversDesired,
  type DriftedField,
  type DriftKind,
  digestOf,
  entryOf,
  explainDrift,
  type FieldOwner,
  type FieldPath,
  type FieldSet,
  formatPath,
  type GroupKind,
  type GroupVersionKind,
  type JsonObject,
  type KubeObject,
  type ManagedFieldsEntry,
  type ManagerOperation,
  matchesDesired,
  type ObjectRef,
  type OwnedRecord,
  ownedRecord,
  ownsLabel,
  parseApiVersion,
  parseJson,
  type ReleaseOptions,
  releasePatch,
  stringifyJson,
  type TakeOverOptions,
  takeOver,
} from "../object/index.ts";
export { clientOfApiServer } from "./api-server-client.ts";
export { engineListener, prunePolicy } from "./engine-defaults.ts";
