import { isAborted, KeelsonError, messageOf } from "../errors/index.ts";
import type { KubeClient } from "../kube/index.ts";
import { loadDirectoryOnce, type ManifestObject } from "../manifest/index.ts";
import { parseApiVersion } from "../object/index.ts";

const MANAGER = "keelson-sandbox";
/** How many faults a message names. */
const SHOWN = 5;

/** Why an object could not be applied. */
interface Failure {
  readonly object: ManifestObject;
  readonly why: string;
}

/**
 * Applies every manifest of a directory; the number of objects. Order does not matter: what lacks its namespace or its
 * kind is tried again as long as others succeed. Throws `InvalidManifest` for files with problems, before anything is
 * written, and for objects that cannot be applied.
 */
export async function loadDirectory(client: KubeClient, root: string, signal: AbortSignal): Promise<number> {
  const { state, problems, objects } = await loadDirectoryOnce(root, signal);
  if (state.kind === "missing") throw new KeelsonError("Unreadable", `cannot load ${root}: ${state.message}`);
  if (problems.length > 0) {
    const lines = problems.map(
      ({ file, line, message }) => `${file}${line === undefined ? "" : `:${line}`}: ${message}`,
    );
    throw notLoaded(root, lines);
  }
  let left: readonly ManifestObject[] = objects;
  while (left.length > 0) {
    const failures = await applyRound(client, left, signal);
    if (failures.length === left.length) {
      throw notLoaded(
        root,
        failures.map(({ object, why }) => `${object.origin.file}:${object.origin.line}: ${why}`),
      );
    }
    left = failures.map(({ object }) => object);
  }
  return objects.length;
}

async function applyRound(
  client: KubeClient,
  objects: readonly ManifestObject[],
  signal: AbortSignal,
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  client.discovery.invalidate();
  // One by one, in the order of the files: what is loaded twice gets the same order of events.
  for (const object of objects) {
    try {
      await applyObject(client, object, signal);
    } catch (error) {
      if (isAborted(error)) throw error;
      failures.push({ object, why: messageOf(error) });
    }
  }
  return failures;
}

async function applyObject(client: KubeClient, object: ManifestObject, signal: AbortSignal): Promise<void> {
  const { kind, name } = object;
  const resource = await client.discovery.find({ ...parseApiVersion(object.apiVersion), kind }, signal);
  if (resource === undefined) throw new KeelsonError("NoMatch", `${object.apiVersion} ${kind} is not served`);
  const namespace = resource.namespaced ? (object.namespace ?? client.defaultNamespace) : "";
  await client.apply(resource, { namespace, name }, object.body, { fieldManager: MANAGER, signal });
}

function notLoaded(root: string, lines: readonly string[]): KeelsonError {
  const more = lines.length > SHOWN ? [`and ${lines.length - SHOWN} more`] : [];
  return new KeelsonError("InvalidManifest", [`cannot load ${root}:`, ...lines.slice(0, SHOWN), ...more].join("\n  "));
}
