import {
  computeRights,
  declaredNamespaces,
  desiredAddons,
  prunedKindsOf,
  type RbacReport,
  rbacObjects,
  treatedAdmission,
} from "../controllers/addon/index.ts";
import { type DesiredSet, resolveDesired } from "../converge/index.ts";
import { KeelsonError } from "../errors/index.ts";
import type { ApiResource, Discovery } from "../kube/index.ts";
import type { ManifestSnapshot } from "../manifest/index.ts";
import { fieldOf, type GroupVersionKind, isJsonObject, parseJson } from "../object/index.ts";
import { connect } from "./connect.ts";
import type { OperationIo } from "./operations.ts";
import type { RbacOptions } from "./rbac-options.ts";
import { clientOfServer, startServer } from "./sandbox-server.ts";
import type { Settings } from "./settings.ts";
import { prunableKinds } from "./settings-prune-list.ts";
import type { HttpAddress } from "./settings-values.ts";
import { addonSource, admissionSource } from "./sources.ts";

type Finder = Pick<Discovery, "find">;

/** The least rights that a daemon with these settings needs for the directory. Writes nothing. */
export async function rbac(settings: Settings, options: RbacOptions, io: OperationIo): Promise<RbacReport> {
  return options.isOnline
    ? withCluster(settings, io, (discovery) => report(settings, options, { io, discovery }))
    : withBuiltIn((discovery) => report(settings, options, { io, discovery }));
}

async function report(
  settings: Settings,
  options: RbacOptions,
  { io, discovery }: { readonly io: OperationIo; readonly discovery: Finder },
): Promise<RbacReport> {
  const snapshot = await addonSource(settings).load(io.signal);
  if (snapshot.state.kind === "missing") {
    throw new KeelsonError("Unreadable", `${settings.addonPath}: ${snapshot.state.message}`);
  }
  const finder = withDefinitions(discovery, snapshot);
  const defaultNamespace = settings.kubectl.namespace ?? "default";
  const addons = desiredAddons(snapshot);
  const desired = await resolveDesired(addons.input, { discovery: finder, defaultNamespace });
  const controls = treatedAdmission(await admissionSource(settings).load(io.signal));
  const admission = await resolveDesired(controls, { discovery: finder, defaultNamespace: "default" });
  const kinds = prunableKinds(settings);
  const pruned = (await Promise.all(kinds.map((kind) => finder.find(kind)))).filter((each) => each !== undefined);
  const rights = await computeRights({
    desired,
    admission,
    pruned,
    isAllPruned: settings.pruneAllKinds,
    set: settings.set,
    isApplySet: settings.applySet,
    election: settings.leaderElect,
    isExposed: isExposed(settings.httpAddress),
    revisionNamespace: settings.revisions === 0 ? undefined : settings.revisionNamespace,
    hasNamespaces: options.hasNamespaces,
    discovery: finder,
  });
  const name = options.name ?? `keelson${settings.set === "" ? "" : `-${settings.set}`}`;
  const { namespace = "kube-system", serviceAccount = name } = options;
  const madeNamespaces = options.hasNamespaces ? declaredNamespaces(desired) : [];
  return {
    rights,
    objects: rbacObjects(rights, { name, namespace, serviceAccount, madeNamespaces }),
    pruneList: prunedKindsOf(desired, pruned),
    watchedForPruneOnly: pruned.length - prunedKindsOf(desired, pruned).length,
    problems: [...problemsOf(snapshot), ...unknownKinds(desired), ...unknownKinds(admission)],
  };
}

function problemsOf({ problems }: ManifestSnapshot): RbacReport["problems"] {
  return problems.map(({ file, line, message }) => ({ file, line: line ?? 0, message }));
}

function unknownKinds({ objects }: DesiredSet): RbacReport["problems"] {
  return [...objects.values()].flatMap(({ resource, apiVersion, ref, origin }) => {
    if (resource !== undefined) return [];
    const message = `${apiVersion} ${ref.kind} ${ref.name}: its kind is not known here, so that its rights are left out; --online asks the cluster`;
    return [{ file: origin.file, line: origin.line, message }];
  });
}

function isExposed(address: HttpAddress | undefined): boolean {
  return address !== undefined && !["127.0.0.1", "::1", "localhost"].includes(address.host);
}

/** What a plain Kubernetes serves, as the embedded API server knows it. */
async function withBuiltIn<T>(work: (discovery: Finder) => Promise<T>): Promise<T> {
  const server = await startServer({ controllers: false });
  const client = clientOfServer(server);
  try {
    return await work(client.discovery);
  } finally {
    client.close();
    await server.close();
  }
}

async function withCluster<T>(
  settings: Settings,
  io: OperationIo,
  work: (discovery: Finder) => Promise<T>,
): Promise<T> {
  const client = await connect(settings, io);
  try {
    return await work(client.discovery);
  } finally {
    client.close();
  }
}

/** Kinds that the directory itself defines are known before they are served. */
function withDefinitions(discovery: Finder, snapshot: ManifestSnapshot): Finder {
  const defined = snapshot.objects
    .filter(({ kind }) => kind === "CustomResourceDefinition")
    .flatMap(({ body }) => resourcesOf(parseJson(body)));
  const isSame = (a: GroupVersionKind, b: GroupVersionKind): boolean =>
    a.group === b.group && a.version === b.version && a.kind === b.kind;
  return {
    find: async (gvk, signal) => (await discovery.find(gvk, signal)) ?? defined.find((each) => isSame(each, gvk)),
  };
}

function resourcesOf(definition: unknown): readonly ApiResource[] {
  const spec = fieldOf(definition, "spec");
  const [group, scope, names] = [fieldOf(spec, "group"), fieldOf(spec, "scope"), fieldOf(spec, "names")];
  const [plural, kind, versions] = [fieldOf(names, "plural"), fieldOf(names, "kind"), fieldOf(spec, "versions")];
  if (typeof group !== "string" || typeof plural !== "string" || typeof kind !== "string") return [];
  if (!Array.isArray(versions)) return [];
  return versions.filter(isJsonObject).map((version) => ({
    group,
    version: String(version.name),
    kind,
    resource: plural,
    namespaced: scope === "Namespaced",
    verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
    subresources: [],
  }));
}
