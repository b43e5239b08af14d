import { type Clock, type Heart, Signal, systemClock, throwIfAborted } from "../async/index.ts";
import { isAborted } from "../errors/index.ts";
import { buildSnapshot } from "./build-snapshot.ts";
import { FileLedger } from "./file-ledger.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { Interner } from "./interner.ts";
import { loadFile } from "./load-file.ts";
import { type ScanResult, scanDirectory } from "./scan.ts";
import type { IgnoredFile, ManifestSnapshot } from "./snapshot.ts";
import type { Source, SourceListener } from "./source.ts";
import { WatcherSet } from "./watcher-set.ts";

/** Settings of a {@link DirectorySource}. Times are in milliseconds. */
export interface DirectorySourceOptions {
  /** The directory; a link to one is fine. */
  readonly root: string;
  /** Default: the real clock. */
  readonly clock?: Clock;
  /** How long a changed file must be quiet before its content counts; default 250. */
  readonly settleMs?: number;
  /** How often everything is looked at though nothing was notified; default 30,000. */
  readonly pollMs?: number;
  /** The same where the system notifies nothing, or the root is missing; default 1,000. */
  readonly fastPollMs?: number;
  /** How long {@link DirectorySource.load} waits for files that are being written; default 10,000. */
  readonly loadPatienceMs?: number;
  /** Told while the directory is watched; default: nobody is. */
  readonly heart?: Heart | undefined;
  /** Default: the machine's. */
  readonly fileSystem?: FileSystem;
}

/** Notifications come in bursts: how long to wait for the rest of one, at least and at most. */
const COALESCE_MS = 10;
const MAX_COALESCE_MS = 60;
/** How long after something was reduced, and how often, everything is looked at: a lost notification must not cost objects. */
const WARY_MS = 5_000;
const WARY_POLL_MS = 200;
/** Far longer than any directory takes to be read. */
const READ_WITHIN_MS = 2 * 60_000;
/** After how many bytes of manifests other work gets a turn. */
const YIELD_BYTES = 256 * 1024;

/** A directory of manifests, scanned recursively. */
export class DirectorySource implements Source {
  readonly root: string;
  readonly #clock: Clock;
  readonly #fileSystem: FileSystem;
  readonly #options: Required<Omit<DirectorySourceOptions, "root" | "clock" | "fileSystem" | "heart">>;
  readonly #heart: Heart | undefined;
  readonly #ledger: FileLedger;
  readonly #wake: Signal = new Signal();
  readonly #interner: Interner = new Interner();
  #snapshot: ManifestSnapshot | undefined;
  #shownRevision = -1;
  #ignored: readonly IgnoredFile[] = [];
  #delivered = 0;
  #scanMs = 0;
  #mustReread = false;
  /** Counts reasons to look at the directory again. */
  #news = 0;
  /** When (monotonic) the system last told of a change that no scan has seen yet. */
  #toldAt: number | undefined;
  /** What was seen when so many of them were known. */
  #scanned: { readonly scan: ScanResult; readonly news: number } | undefined;
  /** The pass that runs, so that `load` and `watch` do not run two at a time. */
  #pass: Promise<unknown> = Promise.resolve();

  constructor(options: DirectorySourceOptions) {
    const { root, clock = systemClock, fileSystem = nodeFileSystem } = options;
    const { settleMs = 250, pollMs = 30_000, fastPollMs = 1_000, loadPatienceMs = 10_000 } = options;
    this.root = root;
    this.#clock = clock;
    this.#fileSystem = fileSystem;
    this.#heart = options.heart;
    this.#options = { settleMs, pollMs, fastPollMs, loadPatienceMs };
    this.#ledger = new FileLedger(settleMs);
  }

  /**
   * Reads everything now. Files that are older than the settle time count at once; younger ones are waited for until
   * they are quiet, for a limited time: one that is still being written then is a problem.
   */
  async load(signal: AbortSignal): Promise<ManifestSnapshot> {
    const deadline = this.#clock.monotonic() + this.#options.loadPatienceMs;
    for (;;) {
      await this.#runPass(signal);
      const now = this.#clock.monotonic();
      if (this.#ledger.unsettled.size === 0 || now >= deadline) return this.#publish();
      const next = this.#ledger.nextDueAt(now) ?? deadline;
      await this.#clock.sleep(Math.max(1, Math.min(next, deadline) - now), signal);
    }
  }

  async watch(listener: SourceListener, signal: AbortSignal): Promise<void> {
    const watchers = new WatcherSet(this.#fileSystem, {
      onChange: () => {
        this.#toldAt = this.#clock.monotonic();
        this.#onNews();
      },
      onExhausted: (errno) => {
        const poll = `${this.#options.fastPollMs} ms`;
        listener.onWarning(
          `${this.root}: no file notifications (${errno}): it is looked at every ${poll} instead; ` +
            "raise fs.inotify.max_user_watches and max_user_instances",
        );
        this.#onNews();
      },
    });
    try {
      this.#heart?.expect("reading the directory", READ_WITHIN_MS);
      await this.load(signal);
      for (;;) await this.#step(listener, watchers, signal);
    } catch (error) {
      if (!isAborted(error)) throw error;
    } finally {
      this.#heart?.stop();
      watchers.close();
    }
  }

  rescan(): void {
    this.#mustReread = true;
    this.#onNews();
  }

  #onNews(): void {
    this.#news += 1;
    this.#wake.notify();
  }

  async #step(listener: SourceListener, watchers: WatcherSet, signal: AbortSignal): Promise<void> {
    this.#heart?.expect("reading the directory", READ_WITHIN_MS);
    const news = this.#news;
    const scan = await this.#runPass(signal);
    const snapshot = this.#publish();
    if (snapshot.sequence !== this.#delivered) {
      this.#delivered = snapshot.sequence;
      listener.onSnapshot(snapshot);
    }
    const mustLookAgain = watchers.sync(scan.watchTargets) || scan.hasRaced;
    this.#scanned = mustLookAgain || !watchers.isWatching ? undefined : { scan, news };
    await this.#waitForWork(watchers.isWatching, mustLookAgain, signal);
  }

  async #waitForWork(isWatching: boolean, mustLookAgain: boolean, signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    const dueMs = (this.#ledger.nextDueAt(now) ?? Number.POSITIVE_INFINITY) - now;
    const pollMs = mustLookAgain ? COALESCE_MS : this.#pollMs(isWatching, now);
    const pauseMs = Math.min(dueMs, pollMs);
    this.#heart?.expect("waiting for changes", pauseMs + READ_WITHIN_MS);
    let isTime = false;
    const cancel = this.#clock.after(Math.max(1, pauseMs), () => {
      isTime = true;
      if (pollMs <= dueMs) this.#onNews();
      else this.#wake.notify();
    });
    try {
      await this.#wake.wait(signal);
    } finally {
      cancel();
    }
    // What was waited for is there: only notifications come in bursts.
    if (isTime) return;
    // A large directory is not scanned back to back while it is being filled.
    await this.#clock.sleep(Math.min(Math.max(COALESCE_MS, 2 * this.#scanMs), MAX_COALESCE_MS), signal);
  }

  #pollMs(isWatching: boolean, now: number): number {
    const { pollMs, fastPollMs } = this.#options;
    const reduction = this.#ledger.latestReduction;
    if (reduction !== undefined && now - reduction < WARY_MS) return Math.min(WARY_POLL_MS, fastPollMs);
    return isWatching && this.#ledger.state.kind === "read" ? pollMs : fastPollMs;
  }

  #runPass(signal: AbortSignal): Promise<ScanResult> {
    const pass = this.#pass.catch(() => undefined).then(() => this.#look(signal));
    this.#pass = pass;
    return pass;
  }

  /** Scans where there is a reason to, and loads what is due. */
  async #look(signal: AbortSignal): Promise<ScanResult> {
    throwIfAborted(signal);
    const { scan, now } = this.#stillScanned() ?? this.#scan();
    let bytes = 0;
    for (const { path, seen, shown } of this.#ledger.due(now)) {
      if (seen === undefined) continue;
      const loaded = loadFile(seen, { fileSystem: this.#fileSystem, interner: this.#interner, previous: shown });
      this.#ledger.settle(path, loaded, this.#clock.monotonic());
      // It is another one than the scan saw.
      if (loaded === undefined) this.#news += 1;
      bytes += loaded?.size ?? 0;
      if (bytes < YIELD_BYTES) continue;
      bytes = 0;
      await new Promise((resolve) => setImmediate(resolve));
      throwIfAborted(signal);
    }
    return scan;
  }

  /** What the last scan saw, where only files that were being written then have become quiet: each is checked as it is read. */
  #stillScanned(): { readonly scan: ScanResult; readonly now: number } | undefined {
    if (this.#scanned?.news !== this.#news || !this.#ledger.isMerelyWritten) return undefined;
    return { scan: this.#scanned.scan, now: this.#clock.monotonic() };
  }

  #scan(): { readonly scan: ScanResult; readonly now: number } {
    const before = this.#clock.monotonic();
    const toldAt = this.#toldAt;
    this.#toldAt = undefined;
    const scan = scanDirectory(this.#fileSystem, this.root);
    const now = this.#clock.monotonic();
    this.#scanMs = now - before;
    // Had a file changed again since, that would have been told, too.
    this.#ledger.observe(scan, { now, changedAt: toldAt ?? now, wall: this.#clock.now() });
    if (this.#mustReread) this.#ledger.distrust(now);
    this.#mustReread = false;
    this.#noteIgnored(scan);
    return { scan, now };
  }

  #noteIgnored({ ignored }: ScanResult): void {
    const isSame = (file: IgnoredFile, index: number): boolean => file.file === this.#ignored[index]?.file;
    if (ignored.length === this.#ignored.length && ignored.every(isSame)) return;
    this.#ignored = ignored;
    this.#shownRevision = -1;
  }

  /** The snapshot of what the ledger shows; the last one where nothing is different. */
  #publish(): ManifestSnapshot {
    const { revision } = this.#ledger;
    if (this.#snapshot !== undefined && revision === this.#shownRevision) return this.#snapshot;
    this.#shownRevision = revision;
    const sequence = (this.#snapshot?.sequence ?? 0) + 1;
    this.#snapshot = buildSnapshot({ root: this.root, ledger: this.#ledger, ignored: this.#ignored, sequence });
    return this.#snapshot;
  }
}

/**
 * Reads a directory once, taking every file as it is: for `lint` and `plan`, which look at what somebody is working on.
 * A pass that writes to a cluster uses {@link DirectorySource.load}, which waits for files that are being written.
 */
export function loadDirectoryOnce(root: string, signal: AbortSignal): Promise<ManifestSnapshot> {
  return new DirectorySource({ root, settleMs: 0, loadPatienceMs: 0 }).load(signal);
}
