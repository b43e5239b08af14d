import type { Discovery } from "../kube/index.ts";
import { groupVersionKindOf, isJsonObject, parseJson } from "../object/index.ts";
import type { RevisionObject } from "./revision.ts";

/**
 * The apiVersions and kinds (`example.dev/v1 Widget`) of a revision's objects that the API server does not serve and that
 * no CustomResourceDefinition of the revision would bring back: with one of them the set cannot exist. Sorted, each once.
 */
export async function unservedKinds(
  contents: readonly RevisionObject[],
  discovery: Pick<Discovery, "find">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const defined = definedKinds(contents);
  const unserved = new Set<string>();
  for (const { apiVersion, kind } of new Map(contents.map(({ manifest }) => [nameOf(manifest), manifest])).values()) {
    const name = nameOf({ apiVersion, kind });
    if (defined.has(name)) continue;
    if ((await discovery.find(groupVersionKindOf({ apiVersion, kind }), signal)) === undefined) unserved.add(name);
  }
  return [...unserved].sort();
}

function nameOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${apiVersion} ${kind}`;
}

/** What the CRDs of a set define, as far as they serve it. */
function definedKinds(contents: readonly RevisionObject[]): ReadonlySet<string> {
  const defined = new Set<string>();
  for (const { ref, manifest } of contents) {
    if (ref.kind !== "CustomResourceDefinition") continue;
    const crd = parseJson(manifest.body);
    const spec = isJsonObject(crd) && isJsonObject(crd.spec) ? crd.spec : {};
    const kind = isJsonObject(spec.names) ? String(spec.names.kind) : "";
    for (const version of Array.isArray(spec.versions) ? spec.versions : []) {
      if (isJsonObject(version) && version.served === true) defined.add(`${spec.group}/${version.name} ${kind}`);
    }
  }
  return defined;
}
