/** What a name says about an entry of the directory. */
export type NameRule =
  | { readonly kind: "manifest"; readonly warning: string | undefined }
  | { readonly kind: "ignored"; readonly reason: string }
  /** Part of a ConfigMap volume's own layout: reached through its links, and not worth a word. */
  | { readonly kind: "volume-layout" };

const LEAVINGS: readonly (readonly [RegExp, string])[] = [
  [/^\.#/, "an editor's lock"],
  [/^#.*#$/, "an editor's autosave"],
  [/~$/, "an editor's backup"],
  [/\.sw[a-z]$/i, "an editor's swap file"],
  [/^4913$/, "an editor's probe"],
  [/\.tmp$/i, "a temporary file"],
];

const PLAIN_MANIFEST = /^[a-z0-9].*\.(?:yaml|yml|json)$/;
const MANIFEST = /\.(?:yaml|yml|json)$/i;

/**
 * Whether an entry of this name is read. `.yaml`, `.yml` and `.json` in any case are manifests, hidden ones too; what
 * editors leave behind is not, nor what starts with `..`.
 */
export function ruleFor(name: string): NameRule {
  // The common case, decided at a glance: a scan asks this for every entry.
  if (PLAIN_MANIFEST.test(name)) return { kind: "manifest", warning: undefined };
  if (name.startsWith("..")) return { kind: "volume-layout" };
  const leaving = LEAVINGS.find(([pattern]) => pattern.test(name));
  if (leaving !== undefined) return { kind: "ignored", reason: leaving[1] };
  const ending = MANIFEST.exec(name)?.[0];
  if (ending === undefined) return { kind: "ignored", reason: "its name does not end in .yaml, .yml or .json" };
  const warning = `the Kubernetes addon manager skips it: its ending is ${ending}, not ${ending.toLowerCase()}`;
  return { kind: "manifest", warning: ending === ending.toLowerCase() ? undefined : warning };
}
