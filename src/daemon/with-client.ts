import { systemClock } from "../async/index.ts";
import { isKeelsonError, KeelsonError, messageOf } from "../errors/index.ts";
import type { ApiResource, KubeClient } from "../kube/index.ts";
import { connect } from "./connect.ts";
import type { OperationIo } from "./operations.ts";
import type { Settings } from "./settings.ts";

/** Who waits at a terminal learns soon that nobody answers; a server that restarts gets a second chance. */
const ANSWER_WITHIN_MS = 5_000;
const AGAIN_AFTER_MS = 500;
/** Silence that is worth a word. */
const SAY_AFTER_MS = 1_000;

const NAMESPACES: ApiResource = {
  group: "",
  version: "v1",
  kind: "Namespace",
  resource: "namespaces",
  namespaced: false,
  verbs: ["get"],
  subresources: [],
};

/**
 * Calls `work` with a client that is closed afterwards, once the API server has answered anything at all.
 *
 * @throws KeelsonError `Unreachable` with the address, after five seconds without an answer
 */
export async function withClient<T>(
  settings: Settings,
  io: OperationIo,
  work: (client: KubeClient) => Promise<T>,
): Promise<T> {
  const client = await connect(settings, io);
  try {
    await untilAnswered(client, settings, io);
    return await work(client);
  } finally {
    client.close();
  }
}

async function untilAnswered(client: KubeClient, settings: Settings, io: OperationIo): Promise<void> {
  const clock = systemClock;
  const { server } = client;
  const cancel = clock.after(SAY_AFTER_MS, () => io.log.warn(`waiting for the API server at ${server}`));
  const deadline = clock.monotonic() + ANSWER_WITHIN_MS;
  const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
  let why = "no answer";
  try {
    while (clock.monotonic() < deadline) {
      try {
        const options = { signal: AbortSignal.any([io.signal, late]), metadataOnly: true, once: true } as const;
        await client.get(NAMESPACES, { namespace: "", name: "kube-system" }, options);
        return;
      } catch (error) {
        if (io.signal.aborted) throw error;
        // Any answer is an answer; what it means is told by the request that needs it.
        if (!late.aborted && !isKeelsonError(error, "Unreachable", "Timeout")) return;
        // A certificate that does not fit, say: it is not a matter of time.
        if (isKeelsonError(error, "Unreachable") && error.disposition === "user") throw error;
        if (!late.aborted) why = messageOf(error);
      }
      await clock.sleep(AGAIN_AFTER_MS, io.signal);
    }
  } finally {
    cancel();
  }
  const { context } = settings.kubectl;
  const named = context === undefined ? "" : `, context ${context}`;
  const message = `the API server at ${server}${named} does not answer: ${why} (tried for ${ANSWER_WITHIN_MS / 1000} s); is it running, and do KUBECONFIG, --kubeconfig, --context or --server name the right one?`;
  throw new KeelsonError("Unreachable", message, { object: server });
}
