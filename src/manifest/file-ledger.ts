import type { LoadedFile } from "./load-file.ts";
import type { ScannedFile, ScanResult } from "./scan.ts";
import type { ManifestObject, SnapshotState } from "./snapshot.ts";

/** How long a reduced file is remembered, in milliseconds. */
const REMEMBER_REDUCED_MS = 600_000;
/** How long a file that vanished keeps its objects because another one is being written, in milliseconds. */
const VANISH_PATIENCE_MS = 10_000;
/** How soon a file that could not be read is tried again, in milliseconds. */
const RETRY_MS = 5_000;

/** The two clocks at the moment of a scan. */
export interface ScanTime {
  /** Monotonic milliseconds. */
  readonly now: number;
  /** The same: when what is seen to be changed changed, as far as is known; `now` where nobody told. */
  readonly changedAt: number;
  /** Milliseconds since the epoch; only compared with file times, and only at the first scan. */
  readonly wall: number;
}

/** What is known of one path. */
export interface TrackedFile {
  readonly path: string;
  /** What the last scan saw; undefined: nothing. */
  readonly seen: ScannedFile | undefined;
  /** What snapshots show; undefined: it has never been quiet. */
  readonly shown: LoadedFile | undefined;
}

interface Entry extends TrackedFile {
  seen: ScannedFile | undefined;
  shown: LoadedFile | undefined;
  /** Since when `seen` is as it is. */
  since: number;
  /** When the change began that is not shown yet. */
  changedAt: number;
  /** `seen` is not what is shown. */
  isMoving: boolean;
  retryAt: number | undefined;
  /** It was there when the ledger was opened. */
  readonly isInitial: boolean;
}

/**
 * Decides which content of each file counts: a change counts when the file has been quiet for the settle time, until then
 * the last quiet content does. Pure bookkeeping: it is told what scans see and when.
 *
 * Writers truncate and write on, editors remove and create, and a YAML file cut between two documents is valid. So
 * nothing half-done is ever shown within the settle time; what is shown with less in it than before is in
 * {@link reduced}, with a time that starts anew at every further write; and a file that vanished keeps its objects while
 * others are being written, for they may be on their way there.
 */
export class FileLedger {
  readonly #settleMs: number;
  readonly #entries: Map<string, Entry> = new Map();
  readonly #reduced: Map<string, number> = new Map();
  #state: SnapshotState | undefined;
  /** What the root has become, until it has been so for the settle time. */
  #nextState: { readonly state: SnapshotState; readonly since: number } | undefined;
  #revision = 0;
  #oldestChange: number | undefined;

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /** Grows whenever something that snapshots show is different. */
  get revision(): number {
    return this.#revision;
  }

  get state(): SnapshotState {
    return this.#state ?? { kind: "missing", error: "ENOENT", message: "it has not been read yet" };
  }

  /** Every path that is known, in no order. */
  get files(): Iterable<TrackedFile> {
    return this.#entries.values();
  }

  /** Files whose newest content is not shown yet. */
  get unsettled(): ReadonlySet<string> {
    return new Set([...this.#entries.values()].filter(({ isMoving }) => isMoving).map(({ path }) => path));
  }

  /** Whether all that is not shown yet is the content of files: none has gone, and the root is as it is shown. */
  get isMerelyWritten(): boolean {
    if (this.#nextState !== undefined || this.#state?.kind !== "read") return false;
    for (const { isMoving, seen } of this.#entries.values()) if (isMoving && seen?.kind !== "file") return false;
    return true;
  }

  /** Files that were there from the start and have not been quiet since: what they hold is unknown. */
  get unknown(): readonly string[] {
    const entries = [...this.#entries.values()];
    return entries.filter(({ isInitial, shown }) => isInitial && shown === undefined).map(({ path }) => path);
  }

  /** See `ManifestSnapshot.reduced`. */
  get reduced(): ReadonlyMap<string, number> {
    return new Map(this.#reduced);
  }

  /** When the latest reduction happened; undefined where there is none. */
  get latestReduction(): number | undefined {
    return this.#reduced.size === 0 ? undefined : Math.max(...this.#reduced.values());
  }

  /** Gives the time of the oldest change that was settled since it was last asked for. */
  takeOldestChange(): number | undefined {
    const oldest = this.#oldestChange;
    this.#oldestChange = undefined;
    return oldest;
  }

  /** Takes in what a scan saw. A missing root says nothing about the files that were in it. */
  observe(scan: ScanResult, time: ScanTime): void {
    this.#forgetReduced(time.now);
    const isFirst = this.#state === undefined;
    this.#observeState(scan.state, time.now);
    if (scan.state.kind === "missing") return;
    for (const file of scan.files.values()) this.#observeFile(file, time, isFirst);
    for (const entry of this.#entries.values()) {
      // Counted as what was written with it: what moves from one file to another moves in one snapshot.
      if (!scan.files.has(entry.path)) this.#update(entry, undefined, time.changedAt);
    }
  }

  /** Takes every file for changed, so that it is read again. */
  distrust(now: number): void {
    for (const entry of this.#entries.values()) {
      if (entry.seen !== undefined && !entry.isMoving) entry.retryAt = now;
    }
  }

  /** What is to be loaded now: quiet for long enough, or to be tried again. Vanished files are dropped here. */
  due(now: number): readonly TrackedFile[] {
    const next = this.#nextState;
    if (next !== undefined && next.since + this.#settleMs <= now) {
      this.#noteChange(next.since);
      this.#show(next.state);
    }
    const due = [...this.#entries.values()].filter((entry) => this.#isDue(entry, now));
    for (const entry of due) if (entry.seen === undefined) this.#drop(entry);
    return due.filter(({ seen }) => seen !== undefined);
  }

  /** When something will be due; undefined where everything is shown. */
  nextDueAt(now: number): number | undefined {
    let next = this.#nextState === undefined ? undefined : this.#nextState.since + this.#settleMs;
    for (const entry of this.#entries.values()) {
      const at = this.#dueAt(entry, now);
      if (at !== undefined && (next === undefined || at < next)) next = at;
    }
    return next;
  }

  /** Shows what was loaded of a due file; undefined: it has changed meanwhile and must be quiet again. */
  settle(path: string, loaded: LoadedFile | undefined, now: number): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    if (loaded === undefined) {
      if (!entry.isMoving) this.#revision += 1;
      entry.isMoving = true;
      entry.since = now;
      entry.retryAt = undefined;
      return;
    }
    const before = entry.shown;
    if (entry.isMoving || before?.digest !== loaded.digest) this.#revision += 1;
    if (before?.digest !== loaded.digest) this.#noteChange(entry.isMoving ? entry.changedAt : now);
    if (before !== undefined && isReduced(before, loaded)) this.#reduced.set(path, entry.since);
    entry.shown = loaded;
    entry.isMoving = false;
    entry.retryAt = loaded.mayRecover ? now + RETRY_MS : undefined;
  }

  /** The first look is believed at once; later ones have to last: a link may be swapped in two steps. */
  #observeState(state: SnapshotState, now: number): void {
    if (this.#state === undefined) this.#show(state);
    else if (isSameState(this.#state, state)) this.#nextState = undefined;
    else if (this.#nextState === undefined || !isSameState(this.#nextState.state, state)) {
      this.#nextState = { state, since: now };
    }
  }

  #show(state: SnapshotState): void {
    this.#state = state;
    this.#nextState = undefined;
    this.#revision += 1;
  }

  #observeFile(file: ScannedFile, time: ScanTime, isFirst: boolean): void {
    const known = this.#entries.get(file.path);
    if (known !== undefined) {
      this.#update(known, file, time.changedAt);
      return;
    }
    // What was already old when we came is quiet at once.
    const age = file.kind === "file" ? Math.max(0, time.wall - file.changedMs) : this.#settleMs;
    const since = isFirst ? time.now - age : time.changedAt;
    this.#entries.set(file.path, {
      path: file.path,
      seen: file,
      shown: undefined,
      since,
      changedAt: time.now,
      isMoving: true,
      retryAt: undefined,
      isInitial: isFirst,
    });
    this.#revision += 1;
  }

  #update(entry: Entry, seen: ScannedFile | undefined, now: number): void {
    const isSame = entry.seen?.identity === seen?.identity && entry.seen?.kind === seen?.kind;
    // The path to read it by may change without the file: a link was pointed at its new place.
    entry.seen = seen;
    if (isSame) return;
    entry.since = now;
    if (!entry.isMoving) entry.changedAt = now;
    entry.isMoving = true;
    this.#revision += 1;
    if (this.#reduced.has(entry.path)) this.#reduced.set(entry.path, now);
  }

  #isDue(entry: Entry, now: number): boolean {
    const at = this.#dueAt(entry, now);
    return at !== undefined && at <= now;
  }

  #dueAt(entry: Entry, now: number): number | undefined {
    if (!entry.isMoving) return entry.retryAt;
    const quiet = entry.since + this.#settleMs;
    if (entry.seen !== undefined || quiet > now || !this.#isAnyBeingWritten(now)) return quiet;
    return entry.since + Math.max(VANISH_PATIENCE_MS, this.#settleMs);
  }

  #isAnyBeingWritten(now: number): boolean {
    for (const { isMoving, seen, since } of this.#entries.values()) {
      if (isMoving && seen !== undefined && since + this.#settleMs > now) return true;
    }
    return false;
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.path);
    this.#revision += 1;
    if (entry.shown === undefined) return;
    this.#reduced.set(entry.path, entry.since);
    this.#noteChange(entry.changedAt);
  }

  #noteChange(at: number): void {
    this.#oldestChange = Math.min(at, this.#oldestChange ?? at);
  }

  #forgetReduced(now: number): void {
    for (const [path, since] of this.#reduced) {
      if (now - since > REMEMBER_REDUCED_MS) this.#reduced.delete(path);
    }
  }
}

function isSameState(a: SnapshotState, b: SnapshotState): boolean {
  return a.kind === "read" ? b.kind === "read" : b.kind === "missing" && a.error === b.error;
}

/** Whether something of a file's content is gone. */
function isReduced(before: LoadedFile, after: LoadedFile): boolean {
  if (after.size < before.size) return true;
  if (after.objects === before.objects) return false;
  const left = new Set(after.objects.map(nameOf));
  return before.objects.some((object) => !left.has(nameOf(object)));
}

function nameOf({ apiVersion, kind, namespace, name }: ManifestObject): string {
  return [apiVersion, kind, namespace, name].join(" ");
}
