import { type AdoptOptions, type AdoptReport, adoptPass } from "../controllers/addon/index.ts";
import type { OperationIo } from "./operations.ts";
import type { Settings } from "./settings.ts";
import { toolingOf } from "./single-pass.ts";
import { addonSource } from "./sources.ts";
import { withClient } from "./with-client.ts";

/** Takes over the members of kubectl's ApplySet that the directory declares. */
export async function adopt(
  settings: Settings,
  what: Pick<AdoptOptions, "parent" | "fieldManager" | "isDryRun">,
  io: OperationIo,
): Promise<AdoptReport> {
  // `-n` is where the parent is, as kubectl has it; a manifest without a namespace means what it means to the daemon.
  const { namespace, ...kubectl } = settings.kubectl;
  return withClient({ ...settings, kubectl }, io, (client) => {
    const ports = { client, log: io.log, source: addonSource(settings) };
    const options = { ...what, namespace, set: settings.set, tooling: toolingOf(io) };
    return adoptPass(ports, options, io.signal);
  });
}
