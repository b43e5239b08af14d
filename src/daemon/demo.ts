import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ApiServer } from "../apiserver/index.ts";
import { waitFor } from "../async/index.ts";
import { KeelsonError } from "../errors/index.ts";
import { createLogger, type Logger } from "../log/index.ts";
import { DemoCluster } from "./demo-cluster.ts";
import { guideTour, sayTitle, type TourHistory } from "./demo-tour.ts";
import { audit, history, resume, rollback } from "./history.ts";
import { loadSettings } from "./load-settings.ts";
import type { OperationIo } from "./operations.ts";
import type { StatusReport } from "./reports.ts";
import { run } from "./run.ts";
import type { DemoOptions } from "./sandbox-options.ts";
import { clientOfServer, startServer } from "./sandbox-server.ts";
import { writeWhole } from "./sandbox-snapshot.ts";
import type { Settings } from "./settings.ts";
import { status } from "./status.ts";

/** The examples, beside the bundle and beside this source. */
const EXAMPLES = ["../examples/addons", "../../examples/addons"];

/** What the parts of the demo share. */
interface Stage {
  readonly options: DemoOptions;
  readonly io: OperationIo;
  /** Everything that the demo writes is in here. */
  readonly folder: string;
  /** The copy of the examples. */
  readonly addons: string;
  readonly server: ApiServer;
}

/**
 * A tour: an API server and the daemon in this process, on a copy of the examples. Nothing but loopback is used, and
 * nothing is left behind. Throws `Timeout` where something does not happen that the tour tells of.
 */
export async function demo(options: DemoOptions, io: OperationIo): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-demo-"));
  try {
    const addons = join(folder, "addons");
    await cp(examples(), addons, { recursive: true });
    const server = await startServer({});
    try {
      await perform({ options, io, folder, addons, server });
    } finally {
      await server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function perform(stage: Stage): Promise<void> {
  const { options, io, addons, server } = stage;
  const { say, sayStatus } = options;
  const settings = settingsFor(stage);
  const client = clientOfServer(server);
  const stop = new AbortController();
  const signal = AbortSignal.any([io.signal, stop.signal]);
  // The user's own environment (kubeconfig, proxies, settings) is none of the demo's business.
  const own: OperationIo = { ...io, signal, environment: { HOME: stage.folder }, onRescan: () => () => {} };
  const cluster = new DemoCluster(client, "intranet", signal);
  const readStatus = (): Promise<StatusReport> => status(settings, own);
  sayTitle(say, "A cluster: the API server that is built into Keelson");
  say(`It serves on ${server.url}, in this process. Nothing else is used, and nothing is left behind.`);
  const daemon = run(settings, { ...own, log: logInto(options) });
  try {
    // A daemon that ends by itself ends the tour.
    await waitFor(
      Promise.race([
        guideTour({ cluster, addons, signal, say, sayStatus, readStatus, history: historyOf(settings, own) }),
        daemon,
      ]),
      signal,
    );
    if (options.keep) await stay(stage);
    sayTitle(say, "The end");
    stop.abort();
    say(`The daemon ended with exit code ${await daemon}; the cluster and all files of this tour are gone.`);
  } finally {
    stop.abort();
    await Promise.allSettled([daemon]);
    client.close();
  }
}

function historyOf(settings: Settings, io: OperationIo): TourHistory {
  return {
    list: () => history(settings, io),
    rollback: (revision, reason) => rollback(settings, { revision, reason }, io),
    resume: () => resume(settings, io),
    audit: async () => (await audit(settings, {})).lines,
  };
}

async function stay({ options, io, folder, addons, server }: Stage): Promise<void> {
  const kubeconfig = join(folder, "kubeconfig");
  await writeWhole(kubeconfig, server.kubeconfig);
  sayTitle(options.say, "It goes on until ctrl-C");
  options.say(`export KUBECONFIG=${kubeconfig}`);
  options.say(`add-ons: ${addons}`);
  await new Promise<void>((resolve) => {
    if (io.signal.aborted) resolve();
    else io.signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function examples(): string {
  const paths = EXAMPLES.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined)
    throw new KeelsonError("Unreadable", `the examples are missing: looked for ${paths.join(", ")}`);
  return found;
}

/** Times are shorter than a cluster would want them, as somebody is watching. */
function settingsFor({ folder, addons, server }: Stage): Settings {
  return loadSettings({
    command: "run",
    flags: new Map([
      ["--addon-path", addons],
      ["--admission-controls-path", join(folder, "admission-controls")],
      ["--state-dir", join(folder, "state")],
      ["--leader-elect", "false"],
      ["--http-address", "off"],
      ["--settle", "100ms"],
      ["--prune-settle", "500ms"],
    ]),
    kubectlFlags: [{ name: "server", value: server.url }],
    environment: {},
    facts: { hostname: "demo", home: folder },
  });
}

/** The daemon's log, between the lines of the tour. */
function logInto({ say }: DemoOptions): Logger {
  const write = (line: string): boolean => {
    say(`  keelson | ${line.trimEnd()}`);
    return true;
  };
  return createLogger({ sink: { write, close: () => {} } });
}
