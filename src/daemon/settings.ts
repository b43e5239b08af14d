import type { KubeconfigFlags } from "../kube/index.ts";
import type { LogFormat, LogLevel } from "../log/index.ts";
import type { GroupVersionKind } from "../object/index.ts";
import type { HttpAddress, PruneLimit } from "./settings-values.ts";

/** Who acts: with the controller manager's Lease, with a Lease of our own, or always. */
export type LeaderElectMode = "follow" | "lease" | "always";

/** What becomes of left-overs of the original addon manager. */
export type LegacyPruneMode = "hold" | "auto";

/** The controllers that `keelson run` knows. */
export type ControllerName = "addon" | "sriov-operator-config";

/** Every setting, parsed. Sources and defaults: `docs/reference/configuration.md`. Durations are milliseconds. */
export interface Settings {
  /** The directory of manifests. */
  readonly addonPath: string;
  /** Between full passes; a pass's own time is taken off the wait. At least 1000. */
  readonly intervalMs: number;
  readonly leaderElect: LeaderElectMode;
  /** What the Lease's holderIdentity is compared with. */
  readonly hostname: string;
  /** Kinds that are pruned: the default list, or what replaces it. */
  readonly pruneList: readonly GroupVersionKind[];
  /** Kinds that are pruned as well; see `prunableKinds`. */
  readonly extraPrune: readonly GroupVersionKind[];
  /** Every kind that Keelson applied is prunable. */
  readonly pruneAllKinds: boolean;
  /** Above it a prune is held as a whole; undefined: no limit. */
  readonly pruneLimit: PruneLimit | undefined;
  readonly legacyPrune: LegacyPruneMode;
  /** kubectl's global flags, from KUBECTL_OPTS and the command line; the latter win. */
  readonly kubectl: KubeconfigFlags;
  /** KUBECTL_BIN, which is ignored; undefined where it is not set. */
  readonly kubectlBin: string | undefined;
  readonly admissionControlsPath: string;
  /** Whether add-ons wait until every admission-control file has succeeded. */
  readonly admissionWait: boolean;
  /** How long changed files must be quiet before they are read. */
  readonly settleMs: number;
  /** How long a file that shrank or vanished must be quiet before anything of it is deleted. */
  readonly pruneSettleMs: number;
  /** Name of the set, "" for the only one. */
  readonly set: string;
  /** Whether the set is kept as an ApplySet, for kubectl and other tools to read. */
  readonly applySet: boolean;
  /** Revisions that are kept; 0: none are made. */
  readonly revisions: number;
  /** Namespace of the revisions. */
  readonly revisionNamespace: string;
  /** The state directory: the first of these that can be created and written. */
  readonly stateDirs: readonly string[];
  /** Where health and metrics are served; undefined: nowhere. */
  readonly httpAddress: HttpAddress | undefined;
  /** Certificate for HTTPS, PEM; undefined: none on loopback, one of our own elsewhere. */
  readonly httpTlsCert: string | undefined;
  /** Its key; given where {@link httpTlsCert} is. */
  readonly httpTlsKey: string | undefined;
  readonly logFormat: LogFormat;
  readonly logLevel: LogLevel;
  /** Where the daemon logs; undefined: stdout. */
  readonly logFile: string | undefined;
  readonly controllers: readonly ControllerName[];
  /** Folder of the SR-IOV operator's templates; undefined: those that come with the program. */
  readonly sriovManifests: string | undefined;
  /** Whether the SR-IOV controller holds a Lease of its own, or acts always. */
  readonly sriovLeaderElect: "lease" | "always";
  /** Whether a single pass prunes (`--no-prune`). */
  readonly prune: boolean;
  /** Whether a single pass acts without being the leader (`--force-leader`). */
  readonly forceLeader: boolean;
}
