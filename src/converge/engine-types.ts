import type { KeelsonError } from "../errors/index.ts";
import type { ApiResource } from "../kube/index.ts";
import type { GroupKind, GroupVersionKind } from "../object/index.ts";
import type { Change } from "./change-set.ts";
import type { DesiredSet, SetRemark } from "./desired.ts";
import type { Failure } from "./failures.ts";
import type { Fight } from "./fights.ts";
import type { MissingState } from "./missing.ts";
import type { PruneLimit } from "./plan.ts";
import type { PruneScope } from "./scope.ts";
import type { Decision, Step } from "./step.ts";

/** What an engine may prune, and how. */
export interface PrunePolicy extends Pick<PruneScope, "kinds"> {
  /** Every kind may be pruned, not only those of the list. */
  readonly allKinds: boolean;
  readonly isOff: boolean;
  readonly legacy: "hold" | "auto";
  readonly limit: PruneLimit | undefined;
  /** Milliseconds that a file must have been gone before anything of it is deleted. */
  readonly settleMs: number;
}

/** What of an engine has to survive a restart. JSON. */
export interface EngineState {
  readonly missing: MissingState;
  /** Group-kinds that were ever desired (`Deployment.apps`): what prune looks at where every kind may be pruned. */
  readonly kinds: readonly string[];
  /** uids whose prune was confirmed and is not done yet. */
  readonly confirmed: readonly string[];
}

/** What an engine tells its owner. Called synchronously; must not throw. */
export interface EngineListener {
  /** A step was executed (failed ones too). */
  onChange(change: Change): void;
  /** Something that {@link EngineStatus} shows may have changed. */
  onStatus(): void;
  /** A kind cannot be listed or watched, or can be again (`error` undefined). */
  onAvailability(resource: ApiResource, error: KeelsonError | undefined): void;
  /** Definitions of kinds cannot be watched: what they change is seen at the interval only. Default: not told. */
  onDefinitionsUnwatched?(resource: ApiResource, error: KeelsonError): void;
  /** The API server cannot be reached, or can be again. */
  onReachable(isReachable: boolean, error: KeelsonError | undefined): void;
  /** Two managers pull at one field. */
  onFight(key: string, fight: Fight, step: Step): void;
  /** An entry of the prune list is not served. */
  onUnserved(kinds: readonly GroupVersionKind[]): void;
  /** The self-check found an object that differs although its record says converged; it is repaired. */
  onSelfCheckMiss(key: string): void;
  /** A pass over all objects, with what it had to ask for, took so many milliseconds. Default: not told. */
  onPass?(ms: number): void;
}

/** How an engine works. */
export interface EngineOptions {
  readonly prune: PrunePolicy;
  readonly listener: EngineListener;
  /** Requests at once; default 16. */
  readonly concurrency?: number;
  /** Milliseconds between two self-checks, each one dry-run apply; 0 switches them off. */
  readonly selfCheckMs?: number;
  /** Kinds whose objects are only ever read by name, once in every pass: never listed, watched or remembered. */
  readonly unwatched?: readonly GroupKind[];
  /**
   * For a small set that is wanted fast: the kinds of the prune list are watched whole before anything is desired, and
   * an object that no watch told of is applied without being looked up first. Default false.
   */
  readonly isEager?: boolean;
  /**
   * Which steps may be executed: those of a plan that somebody has seen, each only on the very version of the object that
   * it was planned for. `leave`: nothing happens; `refuse`: it counts as failed. Default: every step, on any version.
   */
  readonly admit?: (step: Step) => "execute" | "leave" | "refuse";
  /** Awaited before a desired set comes into force, for what has to be written before its objects. Must not reject. */
  readonly beforeDeclared?: (desired: DesiredSet) => Promise<void>;
}

/** The state of a set, for status, health and metrics. */
export interface EngineStatus {
  readonly isSynced: boolean;
  readonly isReachable: boolean;
  /** Desired objects. */
  readonly desired: number;
  readonly converged: number;
  /** Steps that are waiting or at work. */
  readonly pending: number;
  /** Those of them that have neither failed nor are fought over: they will be done in a moment. */
  readonly unsettled: number;
  readonly blocked: ReadonlyMap<string, string>;
  readonly failures: ReadonlyMap<string, Failure>;
  readonly fights: ReadonlyMap<string, Fight>;
  readonly kept: readonly (Decision & { readonly kind: "kept" })[];
  readonly waiting: readonly (Decision & { readonly kind: "waiting" })[];
  readonly paused: readonly (Decision & { readonly kind: "paused" })[];
  readonly remarks: readonly SetRemark[];
  readonly unavailable: ReadonlyMap<string, KeelsonError>;
}
