import type {
  ActionPreview,
  ActionRequest,
  ActionResult,
  Addon,
  ObjectDetail,
  ObjectRow,
  Overview,
  RevisionDiff,
  Revisions,
  TimelineEntry,
} from "./types.ts";

/** Who is told that something happened. Called synchronously; must not throw. */
export interface DashboardListener {
  /** Something happened to an object, or was asked for by a person. */
  onEntry(entry: TimelineEntry): void;
  /** Something that overview, files or rows show may have changed. */
  onStatus(): void;
}

/** What the dashboard shows: read from memory, except where a signal is taken. */
export interface DashboardSource {
  overview(): Overview;
  addons(): readonly Addon[];
  /** All objects; the order does not matter. */
  rows(): readonly ObjectRow[];
  /** Reads the live object. Rejects with `NotFound` where neither directory nor cluster knows the key. */
  object(key: string, signal: AbortSignal): Promise<ObjectDetail>;
  revisions(signal: AbortSignal): Promise<Revisions>;
  /** Rejects with `NotFound` where one of them is not kept. */
  diff(from: number, to: number, signal: AbortSignal): Promise<RevisionDiff>;
  /** Tells `listener` from now on; the returned function ends that. */
  subscribe(listener: DashboardListener): () => void;
}

/** Who asks for an action. */
export interface Actor {
  readonly user: string;
  readonly signal: AbortSignal;
}

/** What can be done from the dashboard. The right to it has been checked; whether it makes sense has not. */
export interface DashboardActions {
  /** What an action would do, and why not where it cannot be done. Writes nothing. */
  preview(request: ActionRequest, actor: Actor): Promise<Omit<ActionPreview, "digest">>;
  /** Does it, and journals who asked. Rejects with `Refused` or `NotFound` where it cannot be done. */
  act(request: ActionRequest, actor: Actor): Promise<ActionResult>;
}
