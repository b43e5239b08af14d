import type { OperationIo } from "../daemon/index.ts";
import type { LogLevel } from "../log/index.ts";
import type { CliHost } from "./host.ts";
import { VERSION } from "./version.ts";

/** What an operation of a command without settings is given; its log goes to stderr. */
export async function operationIo(host: CliHost, level: LogLevel): Promise<OperationIo> {
  return {
    signal: host.signal,
    log: await host.openCommandLog(level),
    environment: host.environment,
    progress: (message) => host.progress.show(message),
    onRescan: (listener) => host.onRescan(listener),
    version: VERSION,
  };
}
