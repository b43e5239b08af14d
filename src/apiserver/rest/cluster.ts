import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "../../async/index.ts";
import type { FieldSetCache } from "../managers/index.ts";
import { formatTime } from "../schema/index.ts";
import type { Store } from "../storage/index.ts";
import { objectAt, type ServiceAllocator } from "../strategy/index.ts";
import type { Api } from "./api.ts";
import { ApiError, notFound } from "./api-error.ts";
import type { ApiRegistry } from "./registry.ts";

/** What every request works on. */
export interface Cluster {
  readonly store: Store;
  readonly apis: ApiRegistry;
  readonly clock: Clock;
  readonly services: ServiceAllocator;
  /** Field sets of stored managedFields. */
  readonly fieldSets: FieldSetCache;
}

/** A request that writes. */
export interface WriteRequest {
  readonly api: Api;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The field manager's name. */
  readonly manager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Where warnings for the client go. */
  readonly warnings: string[];
}

/** The time of a write, in whole seconds. */
export function nowText(cluster: Cluster): string {
  return formatTime(cluster.clock.now());
}

/** A new uid. */
export function newUid(): string {
  return randomUUID();
}

/** Letters and digits that form no words. */
const SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const MAX_BASE = 58;

/** A name from a `generateName` prefix. */
export function generateName(base: string): string {
  const suffix = [...randomBytes(5)].map((byte) => SUFFIX_ALPHABET[byte % SUFFIX_ALPHABET.length]).join("");
  return `${base.slice(0, MAX_BASE)}${suffix}`;
}

const NAMESPACES = { group: "", resource: "namespaces" };

/** Refuses to create in a namespace that is missing (404) or terminating (403), as the NamespaceLifecycle admission does. */
export function admitNamespace(cluster: Cluster, request: WriteRequest, creating: boolean): void {
  const { api, namespace, name } = request;
  if (!api.namespaced) return;
  const found = cluster.store.get("namespaces", namespace);
  if (found === undefined) throw notFound(NAMESPACES, namespace);
  if (!creating || objectAt(found, "status")?.phase !== "Terminating") return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const causes = [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ];
  const details = { name, ...(api.group === "" ? {} : { group: api.group }), kind: api.resource, causes };
  const who = api.group === "" ? api.resource : `${api.resource}.${api.group}`;
  throw new ApiError(403, "Forbidden", `${who} ${JSON.stringify(name)} is forbidden: ${why}`, { details });
}
