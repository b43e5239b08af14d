import type { ApiServer } from "../apiserver/index.ts";
import { systemClock } from "../async/index.ts";
import { createPlainClient, type KubeClient } from "../kube/index.ts";

/**
 * A client of an embedded API server that serves plain HTTP. What the environment says (kubeconfig, proxies) is none of
 * its business. Close it before the server.
 *
 * @param namespace where objects without a namespace go; default `default`
 */
export function clientOfApiServer(server: ApiServer, namespace = "default"): KubeClient {
  return createPlainClient({ server: server.url, namespace, origin: "the embedded API server", clock: systemClock });
}
