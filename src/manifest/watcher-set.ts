import { type DirectoryWatch, FileError, type FileSystem } from "./file-system.ts";
import type { WatchTarget } from "./scan.ts";

export interface WatcherCallbacks {
  /** Something that matters has changed. */
  onChange(): void;
  /** Notifications are not to be had any more; called once. */
  onExhausted(errno: string): void;
}

interface Watcher {
  readonly inode: string;
  readonly watch: DirectoryWatch;
  names: ReadonlySet<string> | undefined;
}

/** The system's ways to say that there are no notifications left. */
const EXHAUSTED = new Set(["ENOSPC", "EMFILE", "ENFILE", "ENOMEM", "ENOSYS"]);

/**
 * One watcher for each directory of a scan. A directory that was replaced by another of the same name gets a new one.
 * Where the system has no notifications left, all watchers go and none is made again: {@link isWatching} is false then.
 */
export class WatcherSet {
  readonly #fileSystem: FileSystem;
  readonly #callbacks: WatcherCallbacks;
  readonly #watchers: Map<string, Watcher> = new Map();
  #isExhausted = false;

  constructor(fileSystem: FileSystem, callbacks: WatcherCallbacks) {
    this.#fileSystem = fileSystem;
    this.#callbacks = callbacks;
  }

  get isWatching(): boolean {
    return !this.#isExhausted;
  }

  /** Brings the watchers in line with a scan; true where one was added: what happened before it was there is unseen. */
  sync(targets: ReadonlyMap<string, WatchTarget>): boolean {
    if (this.#isExhausted) return false;
    for (const [directory, { inode }] of this.#watchers) {
      if (targets.get(directory)?.inode !== inode) this.#drop(directory);
    }
    let hasAdded = false;
    for (const [directory, target] of targets) {
      const known = this.#watchers.get(directory);
      if (known === undefined) hasAdded = this.#add(directory, target) || hasAdded;
      else known.names = target.names;
    }
    return hasAdded;
  }

  close(): void {
    for (const directory of this.#watchers.keys()) this.#drop(directory);
  }

  #add(directory: string, { inode, names }: WatchTarget): boolean {
    if (this.#isExhausted) return false;
    try {
      const watch = this.#fileSystem.watch(directory, {
        onEvent: (name) => this.#onEvent(directory, name),
        onError: (error) => this.#onError(directory, error),
      });
      this.#watchers.set(directory, { inode, watch, names });
      return true;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#onError(directory, error);
      return false;
    }
  }

  #onEvent(directory: string, name: string | undefined): void {
    const names = this.#watchers.get(directory)?.names;
    if (names === undefined || name === undefined || names.has(name)) this.#callbacks.onChange();
  }

  #onError(directory: string, error: FileError): void {
    this.#drop(directory);
    if (!EXHAUSTED.has(error.errno)) {
      // The directory went away, or cannot be watched: the next scan or poll sees what became of it.
      this.#callbacks.onChange();
    } else if (!this.#isExhausted) {
      this.#isExhausted = true;
      this.close();
      this.#callbacks.onExhausted(error.errno);
    }
  }

  #drop(directory: string): void {
    this.#watchers.get(directory)?.watch.close();
    this.#watchers.delete(directory);
  }
}
