import type { ObjectRef } from "../object/index.ts";

/** Which objects are meant, as a person writes it. */
export interface ObjectPattern {
  /** Lower case: kind or plural, with or without its group (`deployments.apps`); undefined: any. */
  readonly kind: string | undefined;
  /** undefined: any. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * Reads `NAME`, `KIND/NAME`, `KIND/NAMESPACE/NAME`, and the form of messages: `KIND NAME`, `KIND NAMESPACE/NAME`. An empty
 * namespace (`ClusterRole//admin`) is that of cluster-scoped objects. Undefined where it is none of these. Pure.
 */
export function parseObjectPattern(text: string): ObjectPattern | undefined {
  const spaced = /^(\S+)\s+(\S+)$/.exec(text.trim());
  const parts = (spaced === null ? text.trim() : `${spaced[1]}/${spaced[2]}`).split("/");
  const name = parts.at(-1) ?? "";
  if (name === "" || parts.length > 3 || /\s/.test(text.trim()) !== (spaced !== null)) return undefined;
  const kind = parts.length > 1 ? parts[0]?.toLowerCase() : undefined;
  return { kind: kind === "" ? undefined : kind, namespace: parts.length > 2 ? parts[1] : undefined, name };
}

/** Whether an object is meant. Pure. */
export function matchesPattern(ref: ObjectRef, { kind, namespace, name }: ObjectPattern): boolean {
  if (ref.name !== name || (namespace !== undefined && namespace !== ref.namespace)) return false;
  return kind === undefined || kindNames(ref).some((each) => each === kind);
}

/** The names that a kind goes by, in lower case: singular and plural, with and without its group. */
function kindNames({ kind, group }: ObjectRef): readonly string[] {
  const singular = kind.toLowerCase();
  const names = [singular, pluralOf(singular)];
  return [...names, ...names.map((name) => `${name}.${group}`)];
}

function pluralOf(kind: string): string {
  if (/[^aeiou]y$/.test(kind)) return `${kind.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(kind) ? `${kind}es` : `${kind}s`;
}
