import type { ManifestSnapshot } from "./snapshot.ts";

/** What happens beside snapshots while a source is watched. */
export interface SourceListener {
  /** A new snapshot; called only where it differs from the one before. Must not throw. */
  onSnapshot(snapshot: ManifestSnapshot): void;
  /** Something about watching itself, once each: file notifications are exhausted, polling is used instead. */
  onWarning(message: string): void;
}

/**
 * Where desired objects come from: a directory of manifests, or templates rendered with values. Every source yields the
 * same snapshots, so that nothing above knows which one it is.
 */
export interface Source {
  /** Reads everything now. Never fails for what it finds: faults are in the snapshot. Rejects with `Aborted` alone. */
  load(signal: AbortSignal): Promise<ManifestSnapshot>;
  /**
   * Loads, hands over the first snapshot, and then one for each change, until `signal` fires; resolves then, with all
   * watchers and timers gone. One watch at a time.
   */
  watch(listener: SourceListener, signal: AbortSignal): Promise<void>;
  /** Looks at everything again soon, without waiting for a notification (SIGHUP). */
  rescan(): void;
}
