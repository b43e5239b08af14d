import type { Clock } from "../async/index.ts";
import { isAborted, isKeelsonError } from "../errors/index.ts";
import { isJsonObject, type KubeObject, parseJson, stringifyJson } from "../object/index.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { createCredentialSource } from "./credentials.ts";
import { Dialer } from "./dialer.ts";
import { CachedDiscovery } from "./discovery.ts";
import { impersonationHeaders } from "./headers.ts";
import type {
  ApplyOptions,
  ClientObserver,
  DeleteOptions,
  DeleteResult,
  Discovery,
  GetOptions,
  KubeClient,
  ListOptions,
  ListPage,
  Patch,
  RawOptions,
  RawResponse,
  RequestOptions,
  SubresourceWriteOptions,
  WatchOptions,
  WriteOptions,
  WriteResult,
} from "./kube-client.ts";
import { parseAnswer, toKubeObject } from "./object-of.ts";
import { type ApiAnswer, type ApiCall, Requester } from "./requester.ts";
import {
  type ApiResource,
  collectionPath,
  describeTarget,
  objectPath,
  requireNamespace,
  type Target,
} from "./resource.ts";
import { TlsMaterial } from "./tls-material.ts";
import { Transport } from "./transport.ts";
import { readWatch } from "./watch.ts";

export interface ClientSettings {
  readonly config: ClusterConfig;
  readonly clock: Clock;
  readonly observer?: ClientObserver | undefined;
  /** Default `keelson`. */
  readonly userAgent?: string | undefined;
  /** Sockets for requests; default 16. Each watch has its own beside them. */
  readonly maxSockets?: number | undefined;
}

/** A client of one cluster. Makes no request of its own. */
export function createClient(settings: ClientSettings): KubeClient {
  return new HttpKubeClient(settings);
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

const defaultPageSize = 500;

const patchTypes: Readonly<Record<Patch["type"], string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

/** The verbs as HTTP. */
class HttpKubeClient implements KubeClient {
  readonly defaultNamespace: string;
  readonly server: string;
  readonly discovery: Discovery;
  readonly #clock: Clock;
  readonly #transport: Transport;
  readonly #requester: Requester;
  readonly #observer: ClientObserver;

  constructor({ config, clock, observer = {}, userAgent = "keelson", maxSockets = 16 }: ClientSettings) {
    const server = new URL(config.server);
    const { serverName, insecureSkipVerify } = config.tls;
    const dialer = new Dialer({ server, serverName, insecureSkipVerify, proxyUrl: config.proxyUrl, clock });
    this.defaultNamespace = config.namespace;
    this.server = config.server;
    this.#clock = clock;
    this.#observer = observer;
    this.#transport = new Transport({ server, dialer, clock, maxSockets });
    this.#requester = new Requester({
      transport: this.#transport,
      credentials: createCredentialSource(config.authentication, clock),
      tls: server.protocol === "https:" ? new TlsMaterial(config.tls, clock) : undefined,
      clock,
      timeoutMs: config.requestTimeoutMs,
      headers: { "user-agent": userAgent, ...impersonationHeaders(config.impersonation) },
      observer,
    });
    this.discovery = new CachedDiscovery(this.#requester);
  }

  async get(resource: ApiResource, target: Target, options: GetOptions = {}): Promise<KubeObject> {
    const answer = await this.#requester.send({
      verb: "get",
      method: "GET",
      path: objectPath(resource, target, options.subresource),
      headers: acceptHeader(options.metadataOnly, "PartialObjectMetadata"),
      object: describeTarget(resource, target),
      resource,
      isRepeatable: always,
      once: options.once,
      ...sendingOf(options),
    });
    return objectOf(answer, resource, target);
  }

  async *list(resource: ApiResource, options: ListOptions = {}): AsyncIterable<ListPage> {
    let next: string | undefined;
    do {
      const query = { ...selectionQuery(options), limit: options.limit ?? defaultPageSize, continue: next };
      const answer = await this.#requester.send({
        verb: "list",
        method: "GET",
        path: withQuery(collectionPath(resource, options.namespace ?? ""), query),
        headers: acceptHeader(options.metadataOnly, "PartialObjectMetadataList"),
        object: describeCollection(resource, options.namespace),
        resource,
        isRepeatable: always,
        ...sendingOf(options),
      });
      const list = parseAnswer(answer.text, describeCollection(resource, options.namespace));
      const metadata = isJsonObject(list.metadata) ? list.metadata : {};
      const items = Array.isArray(list.items) ? list.items : [];
      yield {
        objects: items.map((item) => toKubeObject(item, resource)),
        resourceVersion: textOf(metadata.resourceVersion),
      };
      next = textOf(metadata.continue) || undefined;
    } while (next !== undefined);
  }

  apply(resource: ApiResource, target: Target, body: string, options: ApplyOptions): Promise<WriteResult> {
    const query = { ...writeQuery(options), force: options.force ?? true };
    return this.#write(resource, target, {
      verb: "apply",
      method: "PATCH",
      path: withQuery(objectPath(resource, target, options.subresource), query),
      headers: { "content-type": "application/apply-patch+yaml" },
      body,
      isRepeatable: always,
      ...sendingOf(options),
    });
  }

  create(resource: ApiResource, target: Target, body: string, options: WriteOptions): Promise<WriteResult> {
    requireNamespace(resource, target);
    return this.#write(resource, target, {
      verb: "create",
      method: "POST",
      path: withQuery(collectionPath(resource, target.namespace), writeQuery(options)),
      headers: jsonContent,
      body,
      isRepeatable: never,
      ...sendingOf(options),
    });
  }

  update(resource: ApiResource, target: Target, body: string, options: SubresourceWriteOptions): Promise<WriteResult> {
    return this.#write(resource, target, {
      verb: "update",
      method: "PUT",
      path: withQuery(objectPath(resource, target, options.subresource), writeQuery(options)),
      headers: jsonContent,
      body,
      // Without one, a second PUT could overwrite what someone has written after the first.
      isRepeatable: () => hasResourceVersion(body),
      ...sendingOf(options),
    });
  }

  patch(resource: ApiResource, target: Target, patch: Patch, options: SubresourceWriteOptions): Promise<WriteResult> {
    return this.#write(resource, target, {
      verb: "patch",
      method: "PATCH",
      path: withQuery(objectPath(resource, target, options.subresource), writeQuery(options)),
      headers: { "content-type": patchTypes[patch.type] },
      body: patch.body,
      isJsonPatch: patch.type === "json",
      isRepeatable: never,
      ...sendingOf(options),
    });
  }

  async delete(resource: ApiResource, target: Target, options: DeleteOptions = {}): Promise<DeleteResult> {
    const { uid, resourceVersion, propagationPolicy = "Background", dryRun } = options;
    const hasPrecondition = uid !== undefined || resourceVersion !== undefined;
    const answer = await this.#requester.send({
      verb: "delete",
      method: "DELETE",
      path: objectPath(resource, target),
      headers: jsonContent,
      body: stringifyJson({
        kind: "DeleteOptions",
        apiVersion: "v1",
        propagationPolicy,
        dryRun: dryRun ? ["All"] : undefined,
        preconditions: hasPrecondition ? { uid, resourceVersion } : undefined,
      }),
      object: describeTarget(resource, target),
      resource,
      isRepeatable: hasPrecondition ? always : never,
      ...sendingOf(options),
    });
    const { warnings } = answer;
    const value = parseAnswer(answer.text, describeTarget(resource, target));
    if (value.kind === "Status" && value.apiVersion === "v1") return { kind: "deleted", warnings };
    const object = toKubeObject(value, resource);
    // Kinds whose removal returns the object itself: it is gone unless something still holds it.
    return object.metadata.deletionTimestamp === undefined
      ? { kind: "deleted", warnings }
      : { kind: "terminating", object, warnings };
  }

  async watch(resource: ApiResource, options: WatchOptions): Promise<void> {
    const { onWatchEnd } = this.#observer;
    try {
      await this.#watch(resource, options);
      onWatchEnd?.(resource, "ended");
    } catch (error) {
      if (!isAborted(error)) onWatchEnd?.(resource, isKeelsonError(error) ? error.code : "Internal");
      throw error;
    }
  }

  async #watch(resource: ApiResource, options: WatchOptions): Promise<void> {
    const call: ApiCall = {
      verb: "watch",
      method: "GET",
      path: withQuery(collectionPath(resource, options.namespace ?? ""), {
        ...selectionQuery(options),
        watch: true,
        allowWatchBookmarks: true,
        timeoutSeconds: options.timeoutSeconds,
        resourceVersion: options.resourceVersion,
        ...(options.sendInitialEvents && { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }),
      }),
      headers: acceptHeader(options.metadataOnly, "PartialObjectMetadata"),
      object: describeCollection(resource, options.namespace),
      resource,
      isRepeatable: never,
      ...sendingOf(options),
    };
    const stream = await this.#requester.open(call);
    const asked = { verb: call.verb, object: call.object, resource: resource.resource };
    return readWatch({ stream, resource, options, clock: this.#clock, asked });
  }

  async raw(method: string, path: string, options: RawOptions = {}): Promise<RawResponse> {
    const answer = await this.#requester.send({
      verb: "raw",
      method,
      path,
      headers: { ...(options.body !== undefined && jsonContent), ...options.headers },
      body: options.body,
      object: `${method} ${path}`,
      isRepeatable: method === "GET" ? always : never,
      ...sendingOf(options),
    });
    return { status: answer.status, contentType: answer.headers["content-type"] ?? "", body: answer.text };
  }

  close(): void {
    this.#transport.close();
  }

  async #write(
    resource: ApiResource,
    target: Target,
    call: Omit<ApiCall, "object" | "resource">,
  ): Promise<WriteResult> {
    const answer = await this.#requester.send({ ...call, object: describeTarget(resource, target), resource });
    return {
      object: objectOf(answer, resource, target),
      created: answer.status === 201,
      warnings: answer.warnings,
    };
  }
}

function sendingOf({ signal, beforeSending }: RequestOptions): Pick<ApiCall, "signal" | "beforeSending"> {
  return { signal, beforeSending };
}

const always = (): boolean => true;
const never = (): boolean => false;

const jsonContent = { "content-type": "application/json" };

function objectOf(answer: ApiAnswer, resource: ApiResource, target: Target): KubeObject {
  return toKubeObject(parseAnswer(answer.text, describeTarget(resource, target)), resource);
}

function acceptHeader(metadataOnly: boolean | undefined, as: string): Record<string, string> | undefined {
  return metadataOnly ? { accept: `application/json;as=${as};g=meta.k8s.io;v=v1` } : undefined;
}

function selectionQuery({ labelSelector, fieldSelector }: Pick<ListOptions, "labelSelector" | "fieldSelector">): Query {
  return { labelSelector: labelSelector || undefined, fieldSelector: fieldSelector || undefined };
}

function writeQuery({ fieldManager, dryRun, fieldValidation = "Strict" }: WriteOptions): Query {
  return { fieldManager, fieldValidation, dryRun: dryRun ? "All" : undefined };
}

function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return `${path}?${parameters}`;
}

function describeCollection(resource: ApiResource, namespace: string | undefined): string {
  return namespace ? `${resource.kind} in ${namespace}` : `${resource.kind} (all)`;
}

function hasResourceVersion(body: string): boolean {
  try {
    const object = parseJson(body);
    if (!isJsonObject(object) || !isJsonObject(object.metadata)) return false;
    return typeof object.metadata.resourceVersion === "string";
  } catch {
    return false;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
