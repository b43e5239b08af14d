import { systemClock } from "../async/index.ts";
import { type PlanReport, planPass } from "../controllers/addon/index.ts";
import type { OperationIo } from "./operations.ts";
import { clientOfServer, startServer } from "./sandbox-server.ts";
import { readSnapshot } from "./sandbox-snapshot.ts";
import type { Settings } from "./settings.ts";
import { passOptions } from "./single-pass.ts";
import { addonSource, admissionSource } from "./sources.ts";

/**
 * What one pass would do to a saved cluster state, or to an empty cluster where `snapshot` is undefined. The API server
 * that holds it lives in this process, and only as long.
 */
export async function planOffline(
  settings: Settings,
  snapshot: string | undefined,
  io: OperationIo,
): Promise<PlanReport> {
  const state = snapshot === undefined ? {} : { snapshot: await readSnapshot(snapshot) };
  // A state that was saved is planned against as it is: nothing may tidy it up meanwhile.
  const server = await startServer({ controllers: false, ...state });
  const client = clientOfServer(server, settings.kubectl.namespace);
  const ports = {
    client,
    clock: systemClock,
    log: io.log,
    source: addonSource(settings),
    admission: admissionSource(settings),
    elector: undefined,
  };
  try {
    return await planPass(ports, passOptions(settings, io), io.signal);
  } finally {
    client.close();
    await server.close();
  }
}
