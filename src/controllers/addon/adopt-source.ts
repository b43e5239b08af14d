import { isAborted, isKeelsonError, KeelsonError, messageOf } from "../../errors/index.ts";
import type { ApiResource, KubeClient } from "../../kube/index.ts";
import {
  describeRef,
  groupKindKey,
  type KubeObject,
  type ObjectRef,
  PART_OF_LABEL,
  parseGroupKindKey,
  refKey,
  refOf,
} from "../../object/index.ts";
import { APPLYSET_ID_LABEL, applySetId, parseParent, TOOLING_ANNOTATION, toolNameOf } from "./applyset.ts";
import { APPLYSET_PART_OF_LABEL } from "./identity.ts";
import type { ProblemReport } from "./reports.ts";

/** An ApplySet that kubectl made. */
export interface ForeignSet {
  readonly ref: ObjectRef;
  readonly resource: ApiResource;
  /** Metadata of the parent. */
  readonly object: KubeObject;
  readonly id: string;
  readonly tooling: string;
}

/** A member with what serves it; metadata alone. */
export interface Member {
  readonly object: KubeObject;
  readonly resource: ApiResource;
}

/** The short name that people write most. */
const SHORT: ReadonlyMap<string, string> = new Map([["cm", "configmaps"]]);

/**
 * Reads the parent and checks it as kubectl does: the id is that of its name, and the tooling kubectl; or Keelson, which
 * has begun to adopt it.
 */
export async function findForeignSet(
  client: KubeClient,
  of: { readonly parent: string; readonly namespace: string | undefined; readonly tooling: string },
  signal: AbortSignal,
): Promise<ForeignSet> {
  const { resource, name } = await namedParent(client, of.parent, signal);
  const namespace = resource.namespaced ? (of.namespace ?? client.defaultNamespace) : "";
  const ref: ObjectRef = { group: resource.group, kind: resource.kind, namespace, name };
  const object = await client.get(resource, ref, { metadataOnly: true, signal });
  const { id, tooling } = parseParent(object);
  const wanted = applySetId(ref);
  if (id === undefined) throw refused(ref, `it is no parent of an ApplySet: it has no label ${APPLYSET_ID_LABEL}`);
  if (id !== wanted) throw refused(ref, `its id ${id} is not that of its name, ${wanted}: it may be a copy`);
  if (tooling === undefined) throw refused(ref, `it has no annotation ${TOOLING_ANNOTATION}`);
  if (object.metadata.labels?.[PART_OF_LABEL] === "keelson")
    throw refused(ref, "it is the parent of a set of Keelson's");
  const tool = toolNameOf(tooling);
  if (tool !== "kubectl" && tool !== toolNameOf(of.tooling)) throw refused(ref, `${tooling} keeps it, not kubectl`);
  return { ref, resource, object, id, tooling };
}

function refused(ref: ObjectRef, why: string): KeelsonError {
  const object = describeRef(ref);
  return new KeelsonError("Refused", `${object}: ${why}; nothing was written`, { object });
}

/** `KIND/NAME`, with kind, plural or `.GROUP`, or the name of a Secret, as kubectl's `--applyset` takes it. */
async function namedParent(
  client: KubeClient,
  text: string,
  signal: AbortSignal,
): Promise<{ readonly resource: ApiResource; readonly name: string }> {
  const match = /^(?:([^/]+)\/)?([^/]+)$/.exec(text);
  const [, written = "secrets", name] = match ?? [];
  if (name === undefined) throw unreadable(text, "it is no object");
  const dot = written.indexOf(".");
  const word = (dot < 0 ? written : written.slice(0, dot)).toLowerCase();
  const kind = SHORT.get(word) ?? word;
  const candidates = (await client.discovery.all(signal)).filter(
    (each) =>
      (each.kind.toLowerCase() === kind || each.resource === kind) &&
      (dot < 0 || each.group === written.slice(dot + 1)),
  );
  const found = candidates.find(({ group }) => group === "") ?? candidates[0];
  if (found === undefined) throw unreadable(text, `the API server serves no kind ${written}`);
  return { resource: (await client.discovery.preferred(found, signal)) ?? found, name };
}

function unreadable(text: string, why: string): KeelsonError {
  const message = `PARENT=${JSON.stringify(text)}: ${why}; accepted: KIND/NAME, KIND.GROUP/NAME, or the NAME of a Secret`;
  return new KeelsonError("InvalidFlag", message, { object: "PARENT" });
}

/**
 * Every object with the label of the set, of the kinds and in the namespaces that its parent names. A kind that nobody
 * serves any more has no objects; one that cannot be listed is a reason to do nothing.
 */
export async function listMembers(
  client: KubeClient,
  set: ForeignSet,
  signal: AbortSignal,
): Promise<{ readonly members: readonly Member[]; readonly unserved: readonly ProblemReport[] }> {
  const { namespaces } = parseParent(set.object);
  const places = [...new Set([set.ref.namespace, ...namespaces])].filter((namespace) => namespace !== "");
  const { resources, missing } = await kindsOf(client, set, signal);
  const members = new Map<string, Member>();
  for (const resource of resources) {
    for (const namespace of resource.namespaced ? places : [""]) {
      for (const object of await listPlace(client, set, { resource, namespace, signal })) {
        members.set(refKey(refOf(object)), { object, resource });
      }
    }
  }
  const unserved = missing.map((kind) => ({
    file: "",
    line: 0,
    message: `${describeRef(set.ref)} names ${kind}, which the API server does not serve: it has no members`,
  }));
  return { members: [...members].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, member]) => member), unserved };
}

async function listPlace(
  client: KubeClient,
  set: ForeignSet,
  at: { readonly resource: ApiResource; readonly namespace: string; readonly signal: AbortSignal },
): Promise<readonly KubeObject[]> {
  const { resource, namespace, signal } = at;
  const labelSelector = `${APPLYSET_PART_OF_LABEL}=${set.id}`;
  const found: KubeObject[] = [];
  try {
    for await (const { objects } of client.list(resource, { namespace, labelSelector, metadataOnly: true, signal })) {
      found.push(...objects);
    }
  } catch (error) {
    if (isAborted(error) || (isKeelsonError(error) && error.disposition === "transient")) throw error;
    const where = namespace === "" ? "" : ` in namespace ${namespace}`;
    const what = `its members of kind ${groupKindKey(resource)}${where}`;
    throw refused(set.ref, `${what} cannot be listed: ${messageOf(error)}`);
  }
  return found;
}

async function kindsOf(
  client: KubeClient,
  set: ForeignSet,
  signal: AbortSignal,
): Promise<{ readonly resources: readonly ApiResource[]; readonly missing: readonly string[] }> {
  const { discovery } = client;
  const { groupKinds, groupResources } = parseParent(set.object);
  if (groupKinds === undefined && groupResources === undefined) {
    throw refused(set.ref, "it does not say of which kinds its members are");
  }
  const find = async (text: string): Promise<ApiResource | undefined> => {
    if (groupKinds !== undefined) return discovery.preferred(parseGroupKindKey(text), signal);
    const { group, kind: plural } = parseGroupKindKey(text);
    const served = (await discovery.all(signal)).find((each) => each.group === group && each.resource === plural);
    return served === undefined ? undefined : discovery.preferred(served, signal);
  };
  const resources: ApiResource[] = [];
  const missing: string[] = [];
  for (const text of groupKinds ?? groupResources ?? []) {
    let resource = await find(text);
    if (resource === undefined) {
      // A definition may have come since discovery was read.
      discovery.invalidate();
      resource = await find(text);
    }
    if (resource !== undefined) resources.push(resource);
    else if (discovery.unavailableGroups().includes(parseGroupKindKey(text).group)) {
      throw refused(set.ref, `its members of kind ${text} cannot be listed: the server of that group does not answer`);
    } else missing.push(text);
  }
  return { resources, missing };
}
