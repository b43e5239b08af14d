import type { Clock } from "../async/index.ts";
import { createClient } from "./client.ts";
import type { KubeClient } from "./kube-client.ts";

const REQUEST_TIMEOUT_MS = 30_000;

/**
 * A client of an API server that serves plain HTTP and asks for no credentials, as the embedded one does. What the
 * environment says (kubeconfig, proxies) is none of its business.
 */
export function createPlainClient(options: {
  readonly server: string;
  /** Where objects without a namespace go. */
  readonly namespace: string;
  /** Whose address it is, for messages. */
  readonly origin: string;
  readonly clock: Clock;
}): KubeClient {
  const { server, namespace, origin, clock } = options;
  return createClient({
    config: {
      server,
      namespace,
      tls: { insecureSkipVerify: false },
      authentication: { kind: "none" },
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      origin,
    },
    clock,
  });
}
