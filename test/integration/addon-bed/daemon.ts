import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/async/index.ts";
import {
  AddonController,
  type AddonOptions,
  namesOf,
  type SetNames,
  type StatusReport,
} from "../../../src/controllers/addon/index.ts";
import type { PrunePolicy } from "../../../src/converge/index.ts";
import type { JournalEntry, JournalState } from "../../../src/history/index.ts";
import { createEventRecorder, type EventRecorder, type KubeClient } from "../../../src/kube/index.ts";
import { alwaysLeader, type LeaderElector } from "../../../src/leader-election/index.ts";
import { createLogger } from "../../../src/log/index.ts";
import { DirectorySource, type Source } from "../../../src/manifest/index.ts";
import { eventually } from "../../control-plane/index.ts";
import { clientOf, type Live } from "./admin.ts";
import type { Plane } from "./embedded-plane.ts";
import { PRUNE } from "./policy.ts";

export interface DaemonOptions {
  readonly set: string;
  readonly files?: Readonly<Record<string, string>>;
  /** A directory to share with another daemon, or that is not there. */
  readonly directory?: string;
  readonly admission?: Readonly<Record<string, string>>;
  readonly prune?: Partial<PrunePolicy>;
  readonly isUnelected?: boolean;
  readonly instance?: string;
  readonly elector?: LeaderElector;
  readonly kubeconfig?: string;
  /** Instead of the directory. */
  readonly source?: Source;
  readonly intervalMs?: number;
}

/** An addon controller in this process, on a real directory and a real API server. */
export class Daemon {
  readonly path: string;
  /** Every line of its log. */
  readonly log: string[] = [];
  /** What it puts down for the audit journal. */
  readonly journal: Omit<JournalEntry, "set" | "instance">[] = [];
  readonly names: SetNames;
  readonly controller: AddonController;
  /** Settles when it has ended; rejects with what ended it. */
  readonly ended: Promise<void>;
  readonly recorder: EventRecorder;
  readonly #stop: AbortController = new AbortController();
  readonly #client: KubeClient;

  constructor(client: KubeClient, path: string, options: DaemonOptions & { readonly admissionPath: string }) {
    this.#client = client;
    this.path = path;
    this.names = namesOf(options.set);
    const log = createLogger({
      sink: {
        write: (line) => {
          this.log.push(line.trimEnd());
          return true;
        },
        close: () => {},
      },
    });
    this.recorder = createEventRecorder({ client, clock: systemClock, instance: "test" });
    const source = options.source ?? new DirectorySource({ root: path, settleMs: SETTLE_MS });
    const admission = new DirectorySource({ root: options.admissionPath, settleMs: SETTLE_MS });
    const { elector = alwaysLeader("test"), set, isUnelected = false, instance = `test-${set}` } = options;
    const settings: AddonOptions = {
      path,
      intervalMs: options.intervalMs ?? 60_000,
      prune: { ...PRUNE, ...options.prune },
      set,
      instance,
      isUnelected,
      admissionWait: false,
    };
    const { recorder } = this;
    const journal = { append: (entry: Daemon["journal"][number]) => this.journal.push(entry), flush: () => {}, state };
    this.controller = new AddonController(
      { client, clock: systemClock, log, recorder, source, admission, elector, journal },
      settings,
    );
    this.ended = this.controller.run(this.#stop.signal);
    this.ended.catch(() => {});
  }

  write(name: string, text: string): void {
    writeInto(this.path, { [name]: text });
  }

  remove(name: string): void {
    rmSync(join(this.path, name), { recursive: true });
  }

  /** Its status ConfigMap's content. */
  async status(): Promise<StatusReport | undefined> {
    const text = (await this.statusConfigMap())?.data?.["status.json"];
    return text === undefined ? undefined : JSON.parse(text);
  }

  async statusConfigMap(): Promise<Live | undefined> {
    const path = `/api/v1/namespaces/kube-system/configmaps/${this.names.statusConfigMap}`;
    return this.#client.raw("GET", path).then(
      ({ body }) => JSON.parse(body),
      () => undefined,
    );
  }

  /** The written status, once it is as `holds` wants it. */
  statusWhere(claim: string, holds: (status: StatusReport) => boolean): Promise<StatusReport> {
    return eventually(`status: ${claim}`, async () => {
      const status = await this.status();
      if (status !== undefined && holds(status)) return status;
      throw new TypeError(JSON.stringify(status));
    });
  }

  /** Says in the written status that all is as declared. */
  converged(): Promise<StatusReport> {
    return this.statusWhere("converged", ({ phase, summary }) => phase === "converged" && (summary.desired ?? 0) > 0);
  }

  /** Stops it as SIGTERM does. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended.catch(() => {});
    this.recorder.close();
    this.#client.close();
  }
}

const SETTLE_MS = 50;
/** Of a journal that nobody reads back. */
const state: JournalState = {
  written: 0,
  buffered: 0,
  lost: 0,
  gaps: 0,
  trouble: undefined,
  path: undefined,
  tail: undefined,
};

/** Starts one that ends with the test. */
export async function startDaemon(plane: Plane, options: DaemonOptions): Promise<Daemon> {
  const client = await clientOf(plane, "keelson", options.kubeconfig);
  const root = mkdtempSync(join(tmpdir(), "keelson-addons-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = options.directory ?? join(root, "addons");
  if (options.directory === undefined) mkdirSync(path);
  writeInto(path, options.files ?? {});
  const admissionPath = join(root, "admission-controls");
  writeInto(admissionPath, options.admission ?? {});
  const daemon = new Daemon(client, path, { ...options, admissionPath });
  onTestFinished(() => daemon.stop());
  return daemon;
}

function writeInto(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
