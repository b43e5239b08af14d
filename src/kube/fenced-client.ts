import type { KubeClient, RequestOptions } from "./kube-client.ts";

/**
 * The same client, but `check` is called right before each write goes out, retries and the later requests of a longer
 * piece of work included; what it throws is the outcome of the call. For a leader: an AbortSignal alone is too late in a
 * process that was stopped for a while, since the answers that had come meanwhile are handled before any timer fires.
 */
export function fencedClient(client: KubeClient, check: () => void): KubeClient {
  const fenced = <O extends RequestOptions>(options: O): O => ({ ...options, beforeSending: check });
  return {
    defaultNamespace: client.defaultNamespace,
    server: client.server,
    discovery: client.discovery,
    get: (resource, target, options) => client.get(resource, target, options),
    list: (resource, options) => client.list(resource, options),
    watch: (resource, options) => client.watch(resource, options),
    apply: (resource, target, body, options) => client.apply(resource, target, body, fenced(options)),
    create: (resource, target, body, options) => client.create(resource, target, body, fenced(options)),
    update: (resource, target, body, options) => client.update(resource, target, body, fenced(options)),
    patch: (resource, target, patch, options) => client.patch(resource, target, patch, fenced(options)),
    delete: (resource, target, options = {}) => client.delete(resource, target, fenced(options)),
    raw: (method, path, options = {}) => client.raw(method, path, method === "GET" ? options : fenced(options)),
    close: () => client.close(),
  };
}
