import { Backoff, type Clock } from "../../async/index.ts";
import type { DesiredSet, Engine } from "../../converge/index.ts";
import { isAborted, messageOf } from "../../errors/index.ts";
import type { Journal, RevisionObject, RevisionStore, RevisionSummary, SetDifference } from "../../history/index.ts";
import { setDigest } from "../../history/index.ts";
import type { ChangeLog, Logger } from "../../log/index.ts";
import type { Digest } from "../../object/index.ts";
import type { Hold } from "./control.ts";

/** What {@link RevisionRecorder} works with. */
export interface RevisionRecorderPorts {
  readonly store: RevisionStore;
  readonly engine: Pick<Engine, "desired" | "isBusy" | "status">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly said: ChangeLog;
  readonly instance: string;
  /** Revisions that are kept. */
  readonly limit: number;
  /** What is held, and why the set is desired. */
  readonly declarations: { readonly hold: Hold | undefined; readonly cause: string | undefined };
  /** Its place goes into the revision. */
  readonly journal?: Pick<Journal, "flush" | "state"> | undefined;
  /** Another revision is the newest one. */
  readonly onRevision: () => void;
}

/** A desired set, and its digest. */
interface SeenSet {
  readonly desired: DesiredSet;
  readonly digest: Digest;
}

/** While much is under way a look finds nothing; each walks over all objects. */
const LOOK_MS = 100;
/** Looks may cost this part of the time. */
const LOOK_SHARE = 20;
/** Prune filters that guard against faults of the directory. */
const FAULTS: ReadonlySet<string> = new Set(["behind-a-problem", "source-was-empty"]);
const BACKOFF = { baseMs: 2_000, maxMs: 5 * 60_000 } as const;

/**
 * Stores a revision whenever the desired set is another one than that of the newest revision, and has been applied: every
 * object is as desired, or has failed, or waits for something that may never come. A set that lacks objects because of a
 * fault of the directory is none: going back to it would delete them. Asks nothing while the set stays.
 */
export class RevisionRecorder {
  readonly #ports: RevisionRecorderPorts;
  readonly #backoff: Backoff;
  #signal: AbortSignal | undefined;
  /** The set of the newest revision. */
  #recorded: Digest | undefined;
  #newest: number | undefined;
  #made = 0;
  /** The set that was looked at last. */
  #seen: SeenSet | undefined;
  #isDue = false;
  #isAtWork = false;
  #lookMs = LOOK_MS;

  constructor(ports: RevisionRecorderPorts) {
    this.#ports = ports;
    this.#backoff = new Backoff(BACKOFF, ports.clock);
  }

  /** The newest revision that is known; undefined before the first. */
  get newest(): number | undefined {
    return this.#newest;
  }

  /** Revisions that were stored, not found to be there already. */
  get made(): number {
    return this.#made;
  }

  /** Stores from now on, until `signal` fires. Another leader may have stored since what is known. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    this.#recorded = undefined;
    this.changed();
  }

  /** Something may have changed. */
  changed(): void {
    const { desired } = this.#ports.engine;
    if (this.#seen?.desired === desired && this.#seen.digest === this.#recorded) return;
    this.#soon(this.#lookMs);
  }

  /** Stores what is due now, if anything is. Rejects where that fails. */
  async flush(signal: AbortSignal): Promise<void> {
    const { desired } = this.#ports.engine;
    if (desired.objects.size === 0) return;
    if (this.#seen?.desired !== desired) this.#seen = { desired, digest: digestOfSet(desired) };
    const { digest } = this.#seen;
    if (digest === this.#recorded || !this.#isApplied()) return;
    await this.#record(this.#seen, signal);
    this.#recorded = digest;
  }

  #soon(delayMs: number): void {
    const signal = this.#signal;
    if (this.#isDue || this.#isAtWork || signal === undefined || signal.aborted) return;
    this.#isDue = true;
    this.#ports.clock.after(delayMs, () => {
      this.#isDue = false;
      if (!signal.aborted) void this.#look(signal);
    });
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { said } = this.#ports;
    this.#isAtWork = true;
    let again: number | undefined;
    try {
      await this.flush(signal);
      this.#backoff.reset();
      said.clear("revision");
      // What came meanwhile was not looked at.
      if (this.#ports.engine.desired !== this.#seen?.desired) again = this.#lookMs;
    } catch (error) {
      if (isAborted(error)) return;
      again = this.#backoff.next();
      const message = `cannot store a revision: ${messageOf(error)}; it is tried again, everything else goes on`;
      said.report({ key: "revision", level: "warn", message });
    } finally {
      this.#isAtWork = false;
    }
    if (again !== undefined) this.#soon(again);
  }

  /** Whether nothing more is going to happen by itself. */
  #isApplied(): boolean {
    const { engine, clock } = this.#ports;
    if (engine.isBusy) return false;
    const started = clock.monotonic();
    const { isSynced, unsettled, waiting, kept } = engine.status();
    this.#lookMs = Math.max(LOOK_MS, (clock.monotonic() - started) * LOOK_SHARE);
    return isSynced && waiting.length === 0 && unsettled === 0 && !kept.some(({ filter }) => FAULTS.has(filter));
  }

  async #record({ desired, digest }: SeenSet, signal: AbortSignal): Promise<void> {
    const { store, engine, clock, log, instance, limit, declarations, journal, onRevision } = this.#ports;
    const { hold, cause: said } = declarations;
    journal?.flush();
    const draft = {
      digest,
      objects: objectsOf(desired),
      cause: (difference: SetDifference, before: RevisionSummary | undefined) =>
        said ?? causeOf(desired, difference, before),
      now: clock.now(),
      instance,
      failed: engine.status().failures.size,
      unserved: unservedOf(desired),
      rollbackTo: hold?.revision,
      journal: journal?.state.tail,
    };
    const { summary, isNew, total } = await store.record(draft, signal);
    this.#newest = summary.revision;
    onRevision();
    if (!isNew) return;
    this.#made += 1;
    const { revision, added, changed, removed, cause } = summary;
    log.info(`Revision ${revision}: ${added} added, ${changed} changed, ${removed} removed: ${cause}`);
    if (total > limit) await store.prune(limit, new Set(hold === undefined ? [] : [hold.revision]), signal);
  }
}

function objectsOf({ objects }: DesiredSet): readonly RevisionObject[] {
  const kept: RevisionObject[] = [];
  for (const { key, ref, mode, manifest } of objects.values())
    if (mode !== "Absent") kept.push({ key, ref, mode, manifest });
  return kept;
}

function unservedOf({ objects }: DesiredSet): readonly string[] {
  const unserved = [...objects.values()].filter(({ resource }) => resource === undefined);
  return [...new Set(unserved.map(({ apiVersion, ref }) => `${apiVersion} ${ref.kind}`))].sort();
}

function digestOfSet(desired: DesiredSet): Digest {
  return setDigest(objectsOf(desired));
}

const SHOWN_FILES = 3;

/** Why a set of the directory is another one than that of the revision before: which files. Pure. */
export function causeOf(desired: DesiredSet, difference: SetDifference, before: RevisionSummary | undefined): string {
  if (before === undefined) return "first revision";
  const files = new Map<string, string>();
  for (const key of [...difference.changed, ...difference.added]) {
    const file = desired.objects.get(key)?.origin.file;
    if (file !== undefined) files.set(file, "changed");
  }
  const parts = [...files.keys()].sort().slice(0, SHOWN_FILES);
  const more = files.size - parts.length;
  const changed = parts.length === 0 ? [] : [`${parts.join(", ")}${more > 0 ? ` and ${more} more files` : ""} changed`];
  const removed = difference.removed.length === 0 ? [] : [`${leftText(difference.removed)} left the directory`];
  return [...changed, ...removed].join("; ");
}

function leftText(keys: readonly string[]): string {
  const shown = keys.slice(0, SHOWN_FILES).join(", ");
  const more = keys.length - SHOWN_FILES;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
