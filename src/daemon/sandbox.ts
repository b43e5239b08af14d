import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiServer, StoreSnapshot } from "../apiserver/index.ts";
import { KeelsonError, messageOf } from "../errors/index.ts";
import type { OperationIo } from "./operations.ts";
import { loadDirectory } from "./sandbox-load.ts";
import type { SandboxOptions } from "./sandbox-options.ts";
import { clientOfServer, startServer } from "./sandbox-server.ts";
import { readSnapshot, saveSnapshot, writeWhole } from "./sandbox-snapshot.ts";

/** How long workloads take to become ready. */
const WORKLOAD_DELAY_MS = 500;

/** What a kubeconfig of ours starts with; another file is not overwritten. */
const HEADER = "# Written by keelson sandbox; it goes when the sandbox ends.\n";

/** Serves a sandbox until `io.signal` fires. */
export async function sandbox(options: SandboxOptions, io: OperationIo): Promise<void> {
  const { kubeconfigOut, save } = options;
  if (kubeconfigOut !== undefined) await clearKubeconfig(kubeconfigOut);
  const { directory, snapshot } = await readLoad(options.load);
  const server = await startServer({
    port: options.port,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(options.simulateWorkloads ? { simulateWorkloadsMs: WORKLOAD_DELAY_MS } : {}),
    ...(options.leaseHost === undefined ? {} : { leaseHost: options.leaseHost }),
  });
  const ends: (() => unknown)[] = [() => server.close()];
  try {
    if (directory !== undefined) await fill(server, directory, io);
    if (save !== undefined) ends.push(io.onRescan(() => void saveAndTell(server, save, io)));
    const kubeconfig = kubeconfigOut ?? (await temporaryKubeconfig(ends));
    ends.push(() => rm(kubeconfig, { force: true }));
    await writeWhole(kubeconfig, HEADER + server.kubeconfig);
    options.onReady(kubeconfig);
    io.log.info(`The sandbox serves on ${server.url}`);
    await fired(io.signal);
    if (save !== undefined) await saveSnapshot(save, server.snapshot());
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** A file of another sandbox goes at once, so that whoever waits for it does not take it for ours. */
async function clearKubeconfig(path: string): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return;
  if (!text.startsWith(HEADER)) {
    const message = `--kubeconfig-out: ${path} is there and was not written by keelson sandbox: name another file`;
    throw new KeelsonError("Refused", message, { object: path });
  }
  await rm(path, { force: true });
}

interface Load {
  readonly directory?: string;
  readonly snapshot?: StoreSnapshot;
}

async function readLoad(path: string | undefined): Promise<Load> {
  if (path === undefined) return {};
  const found = await stat(path).catch((cause: unknown) => {
    throw new KeelsonError("Unreadable", `--load: cannot read ${path}: ${messageOf(cause)}`, { cause });
  });
  return found.isDirectory() ? { directory: path } : { snapshot: await readSnapshot(path) };
}

async function fill(server: ApiServer, directory: string, io: OperationIo): Promise<void> {
  const client = clientOfServer(server);
  try {
    io.progress(`loading ${directory}`);
    const count = await loadDirectory(client, directory, io.signal);
    io.log.info(`${count} objects of ${directory} are loaded`);
  } finally {
    client.close();
  }
}

/** A file that cannot be written now may be written at the end. */
async function saveAndTell(server: ApiServer, path: string, io: OperationIo): Promise<void> {
  try {
    await saveSnapshot(path, server.snapshot());
    io.log.info(`The state is saved to ${path}`);
  } catch (error) {
    io.log.error(messageOf(error));
  }
}

async function temporaryKubeconfig(ends: (() => unknown)[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-sandbox-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "kubeconfig");
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
