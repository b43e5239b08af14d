/**
 * # manifest: text to desired objects
 *
 * Reads manifests as kubectl reads them, brings each object into the form that is applied, and watches a directory.
 *
 * Invariants: a broken document breaks only itself; every object and every problem names its file and line; a snapshot
 * is immutable and keeps neither file texts nor trees; a file that is being written never shows half of its content.
 *
 * A {@link TemplateFolder} renders Go templates to the same objects; what they are rendered with is the caller's.
 *
 * It does not know what labels mean, which objects are duplicates (that needs the namespace of the context and the
 * scope of kinds), or what happens to objects that left.
 */
export { DirectorySource, type DirectorySourceOptions, loadDirectoryOnce } from "./directory-source.ts";
export {
  type DirectoryEntry,
  type DirectoryWatch,
  FileError,
  type FileStat,
  type FileSystem,
  nodeFileSystem,
  type ReadFile,
  type WatchCallbacks,
} from "./file-system.ts";
export { type LoadedText, loadText } from "./load-text.ts";
export { lineOf } from "./locate.ts";
export { type Finding, type Normalised, normalise } from "./normalise.ts";
export { readValues } from "./read-values.ts";
export type {
  FileWarning,
  IgnoredFile,
  ManifestIdentity,
  ManifestObject,
  ManifestSnapshot,
  ObjectWarning,
  Origin,
  Problem,
  SnapshotState,
} from "./snapshot.ts";
export type { Source, SourceListener } from "./source.ts";
export { type RenderedFolder, type RenderedText, type RenderOptions, TemplateFolder } from "./template-folder.ts";
