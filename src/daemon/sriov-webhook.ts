import { systemClock } from "../async/index.ts";
import { runAdmissionWebhook } from "../controllers/sriov-operator-config/index.ts";
import { connect } from "./connect.ts";
import type { OperationIo, WebhookServer } from "./operations.ts";
import type { Settings } from "./settings.ts";

/** Runs the admission webhook until `io.signal` fires; the exit code. */
export async function sriovWebhook(settings: Settings, server: WebhookServer, io: OperationIo): Promise<number> {
  const { log, environment, signal } = io;
  const client = await connect(settings, io);
  try {
    await runAdmissionWebhook({ client, clock: systemClock, log, environment, ...server }, signal);
    return 0;
  } finally {
    client.close();
  }
}
