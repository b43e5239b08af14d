// Types only: the server is loaded where it is started, as no other command should pay for it.
import type { ApiServer, ApiServerOptions } from "../apiserver/index.ts";
import { systemClock } from "../async/index.ts";
import { ERROR_CODES, type ErrorCode, KeelsonError, messageOf } from "../errors/index.ts";
import { createPlainClient, type KubeClient } from "../kube/index.ts";

/** Starts the embedded API server. Throws `Unreachable` where its port is taken. */
export async function startServer(options: ApiServerOptions): Promise<ApiServer> {
  const { startApiServer } = await import("../apiserver/index.ts");
  try {
    return await startApiServer(options);
  } catch (error) {
    throw ownError(error);
  }
}

/** A client of an embedded server. What the environment says (kubeconfig, proxies) is none of its business. */
export function clientOfServer(server: ApiServer, namespace = "default"): KubeClient {
  return createPlainClient({ server: server.url, namespace, origin: "the embedded API server", clock: systemClock });
}

/** In the built program the server is a file of its own, with its own copy of the error class. */
function ownError(error: unknown): unknown {
  if (error instanceof KeelsonError || !(error instanceof Error) || !("code" in error)) return error;
  const { code } = error;
  if (!isErrorCode(code)) return error;
  return new KeelsonError(code, messageOf(error), { cause: error.cause });
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERROR_CODES, code);
}
