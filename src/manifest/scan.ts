import { basename, dirname, join } from "node:path";
import { ruleFor } from "./file-rules.ts";
import { type DirectoryEntry, FileError, type FileStat, type FileSystem } from "./file-system.ts";
import type { IgnoredFile, SnapshotState } from "./snapshot.ts";

/** A manifest file, or a path that may hide some. */
export type ScannedFile =
  | {
      readonly kind: "file";
      /** Relative to the root, with `/`. */
      readonly path: string;
      /** What to open: links are resolved once for a whole scan. */
      readonly readPath: string;
      readonly identity: string;
      readonly size: number;
      readonly changedMs: number;
      readonly warning: string | undefined;
    }
  | {
      readonly kind: "unreadable";
      readonly path: string;
      /** The system's error code, or what the path is instead of a file. */
      readonly identity: string;
      readonly message: string;
    };

/** A directory whose changes matter. */
export interface WatchTarget {
  readonly inode: string;
  readonly changedMs: number;
  /** The entries that matter; undefined for all of them. */
  readonly names: ReadonlySet<string> | undefined;
}

/** What lies under a root at one moment. */
export interface ScanResult {
  readonly state: SnapshotState;
  readonly files: ReadonlyMap<string, ScannedFile>;
  readonly ignored: readonly IgnoredFile[];
  /** By absolute real path. */
  readonly watchTargets: ReadonlyMap<string, WatchTarget>;
  /** Something went away while it was looked at: look again soon. */
  readonly hasRaced: boolean;
}

/**
 * Looks at everything under `root`: names and stats, no content. Links are followed; a real path is taken once, under its
 * own name where it has one under the root, else under the first link by name. A ConfigMap or Secret volume's `..data`
 * is resolved once, so that all of its files come from one version of it.
 */
export function scanDirectory(fileSystem: FileSystem, root: string): ScanResult {
  return new Scan(fileSystem, root).run();
}

interface PendingLink {
  readonly path: string;
  /** What to look at instead of the link itself. */
  readonly target: string;
}

class Scan {
  readonly #fileSystem: FileSystem;
  readonly #root: string;
  readonly #files: Map<string, ScannedFile> = new Map();
  readonly #ignored: IgnoredFile[] = [];
  readonly #targets: Map<string, WatchTarget> = new Map();
  readonly #seenDirectories: Set<string> = new Set();
  readonly #seenFiles: Set<string> = new Set();
  #links: PendingLink[] = [];
  #hasRaced = false;

  constructor(fileSystem: FileSystem, root: string) {
    this.#fileSystem = fileSystem;
    this.#root = root;
  }

  run(): ScanResult {
    const state = this.#scanRoot();
    return {
      state,
      files: this.#files,
      ignored: this.#ignored,
      watchTargets: this.#targets,
      hasRaced: this.#hasRaced,
    };
  }

  #scanRoot(): SnapshotState {
    this.#watchEntry(this.#root);
    try {
      const stat = this.#fileSystem.stat(this.#root);
      if (stat === undefined) return missing("ENOENT", "it is not there");
      if (stat.kind !== "directory") return missing("ENOTDIR", `it is ${stat.what}, not a directory`);
      const real = this.#fileSystem.realPath(this.#root);
      this.#walk({ real, path: "", stat, entries: this.#fileSystem.list(real) });
      this.#followLinks();
      return { kind: "read" };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return missing(error.errno, error.message);
    }
  }

  /** Watches the directory that holds `path`, for this entry: a link may be swapped, a root come back. */
  #watchEntry(path: string): void {
    try {
      const directory = this.#fileSystem.realPath(dirname(path));
      const stat = this.#fileSystem.stat(directory);
      const known = this.#targets.get(directory);
      if (stat === undefined || (known !== undefined && known.names === undefined)) return;
      const names = new Set([...(known?.names ?? []), basename(path)]);
      this.#targets.set(directory, { inode: stat.inode, changedMs: 0, names });
    } catch (error) {
      // No parent to watch: polling finds the root when it comes.
      if (!(error instanceof FileError)) throw error;
    }
  }

  #walkDirectory(real: string, path: string, stat: FileStat): void {
    try {
      this.#walk({ real, path, stat, entries: this.#fileSystem.list(real) });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (error.errno === "ENOENT") this.#hasRaced = true;
      else this.#unreadable(path, error.errno, error.message);
    }
  }

  #walk(directory: { real: string; path: string; stat: FileStat; entries: readonly DirectoryEntry[] }): void {
    const { real, path, stat, entries } = directory;
    if (this.#seenDirectories.has(stat.inode)) return;
    this.#seenDirectories.add(stat.inode);
    this.#targets.set(real, { inode: stat.inode, changedMs: stat.changedMs, names: undefined });
    // What a container runtime makes of a bind mount whose file is not there: it must not count as a file that was removed.
    if (entries.length === 0 && path !== "" && ruleFor(basename(path)).kind === "manifest") {
      this.#unreadable(path, "EISDIR", "it is an empty directory, not a file");
    }
    const dataDirectory = entries.some(({ name }) => name === "..data")
      ? this.#resolve(join(real, "..data"))
      : undefined;
    for (const entry of entries) {
      // Not `join`, which normalises: this is done for every entry, every few seconds.
      const place = { real: `${real}/${entry.name}`, path: path === "" ? entry.name : `${path}/${entry.name}` };
      if (entry.kind === "directory") this.#visitDirectory(entry.name, place);
      else if (entry.kind === "link") this.#visitLink(entry.name, place, dataDirectory);
      else this.#visitFile(entry.name, place);
    }
  }

  #visitDirectory(name: string, { real, path }: Place): void {
    if (name.startsWith("..")) return;
    const stat = this.#stat(real, path);
    if (stat?.kind === "directory") this.#walkDirectory(real, path, stat);
  }

  #visitLink(name: string, { real, path }: Place, dataDirectory: string | undefined): void {
    const rule = ruleFor(name);
    if (rule.kind === "volume-layout") return;
    // Emacs' locks are links to nowhere, by design.
    if (rule.kind === "ignored" && name.startsWith(".#")) {
      this.#ignored.push({ file: path, reason: rule.reason });
      return;
    }
    this.#links.push({ path, target: dataDirectory === undefined ? real : this.#inVolume(real, dataDirectory) });
  }

  /** A volume's link points at `..data/NAME`: look in the version that this scan has resolved. */
  #inVolume(link: string, dataDirectory: string): string {
    try {
      const target = this.#fileSystem.readLink(link);
      return target.startsWith("..data/") ? join(dataDirectory, target.slice("..data/".length)) : link;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#hasRaced = true;
      return link;
    }
  }

  #visitFile(name: string, { real, path }: Place): void {
    const rule = ruleFor(name);
    if (rule.kind === "ignored") this.#ignored.push({ file: path, reason: rule.reason });
    if (rule.kind !== "manifest") return;
    const stat = this.#stat(real, path);
    if (stat === undefined) return;
    this.#seenFiles.add(real);
    this.#addFile({ real, path }, stat, rule.warning);
  }

  #stat(real: string, path: string): FileStat | undefined {
    try {
      const stat = this.#fileSystem.stat(real);
      if (stat !== undefined) return stat;
      if (path.includes("\ufffd")) this.#unreadable(path, "EILSEQ", "its name is not UTF-8: rename it");
      else this.#hasRaced = true;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#unreadable(path, error.errno, error.message);
    }
    return undefined;
  }

  #addFile({ real, path }: Place, stat: FileStat, warning: string | undefined): void {
    if (stat.kind !== "file") {
      this.#unreadable(path, stat.what, `it is ${stat.what}, not a file`);
      return;
    }
    const { identity, size, changedMs } = stat;
    this.#files.set(path, { kind: "file", path, readPath: real, identity, size, changedMs, warning });
  }

  #followLinks(): void {
    // A linked directory may hold further links.
    while (this.#links.length > 0) {
      const links = this.#links.sort((a, b) => (a.path < b.path ? -1 : 1));
      this.#links = [];
      for (const link of links) this.#followLink(link);
    }
  }

  #followLink({ path, target }: PendingLink): void {
    try {
      const stat = this.#fileSystem.stat(target);
      if (stat === undefined) {
        this.#unreadable(path, "ENOENT", "it is a link to something that is not there");
        return;
      }
      const real = this.#fileSystem.realPath(target);
      if (stat.kind === "directory") this.#walkDirectory(real, path, stat);
      else this.#addLinkedFile({ real, path }, stat);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#unreadable(path, error.errno, error.message);
    }
  }

  #addLinkedFile(place: Place, stat: FileStat): void {
    const rule = ruleFor(basename(place.path));
    if (rule.kind === "ignored") this.#ignored.push({ file: place.path, reason: rule.reason });
    if (rule.kind !== "manifest" || this.#seenFiles.has(place.real)) return;
    this.#seenFiles.add(place.real);
    this.#watchEntry(place.real);
    this.#addFile(place, stat, rule.warning);
  }

  #resolve(path: string): string | undefined {
    try {
      return this.#fileSystem.realPath(path);
    } catch (error) {
      if (error instanceof FileError) return undefined;
      throw error;
    }
  }

  #unreadable(path: string, identity: string, message: string): void {
    this.#files.set(path, { kind: "unreadable", path, identity, message });
  }
}

interface Place {
  /** The real path. */
  readonly real: string;
  /** Relative to the root. */
  readonly path: string;
}

function missing(error: string, message: string): SnapshotState {
  return { kind: "missing", error, message };
}
