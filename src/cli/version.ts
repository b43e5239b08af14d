/** Replaced by the build with the package's version. */
declare const KEELSON_VERSION: string;

/** The version of this build; `0.0.0-source` where it runs from source. */
export const VERSION: string = typeof KEELSON_VERSION === "undefined" ? "0.0.0-source" : KEELSON_VERSION;

/** What `keelson version` prints. */
export function versionLine(): string {
  return `keelson ${VERSION} (node ${process.version}, ${process.platform}/${process.arch})\n`;
}
