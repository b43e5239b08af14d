import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/async/index.ts";
import { desiredAddons } from "../../../src/controllers/addon/desired.ts";
import { addonIdentity, namesOf } from "../../../src/controllers/addon/identity.ts";
import { type Change, Engine, type EngineState, type Fight, type PrunePolicy } from "../../../src/converge/index.ts";
import type { KubeClient } from "../../../src/kube/index.ts";
import { loadText, type ManifestSnapshot } from "../../../src/manifest/index.ts";
import type { KubeObject } from "../../../src/object/index.ts";
import { eventually } from "../../control-plane/index.ts";
import { clientOf } from "./admin.ts";
import type { Plane } from "./embedded-plane.ts";
import { file } from "./manifests.ts";
import { PRUNE } from "./policy.ts";

export interface TestEngineOptions {
  /** Own to each test: sets do not see each other's objects as theirs. */
  readonly set: string;
  readonly prune?: Partial<PrunePolicy>;
  readonly state?: EngineState;
  readonly user?: string;
  readonly kubeconfig?: string;
}

/** An engine on the real API server that leads from its start, and what it told. */
export class TestEngine {
  readonly engine: Engine;
  readonly changes: Change[] = [];
  readonly fights: Fight[] = [];
  readonly unavailable: string[] = [];
  readonly manager: string;
  readonly #stop: AbortController = new AbortController();
  readonly #client: KubeClient;

  constructor(client: KubeClient, options: TestEngineOptions) {
    const names = namesOf(options.set);
    this.#client = client;
    this.manager = names.manager;
    this.engine = new Engine(
      { client, clock: systemClock, identity: addonIdentity(names) },
      {
        prune: { ...PRUNE, ...options.prune },
        listener: {
          onChange: (change) => this.changes.push(change),
          onStatus: () => {},
          onAvailability: ({ kind }, error) => error !== undefined && this.unavailable.push(kind),
          onReachable: () => {},
          onFight: (_key, fight) => this.fights.push(fight),
          onUnserved: () => {},
          onSelfCheckMiss: () => {},
        },
      },
      options.state,
    );
  }

  run(): void {
    this.engine.start(this.#stop.signal);
    this.engine.lead(this.#stop.signal);
  }

  /** These objects are the directory, in one file. */
  declare(...objects: readonly KubeObject[]): Promise<void> {
    return this.declareFiles({ "a.yaml": file(...objects) });
  }

  declareFiles(files: Readonly<Record<string, string>>, parts: Partial<ManifestSnapshot> = {}): Promise<void> {
    return this.engine.declare(desiredAddons(snapshotOf(files, parts)).input);
  }

  /** Resolves when everything declared is as declared, and nothing is left to do. */
  async converged(timeoutMs = 20_000): Promise<void> {
    await eventually(
      `set ${this.manager} has converged`,
      () => {
        const { isSynced, converged, desired, pending, waiting, failures } = this.engine.status();
        if (isSynced && converged === desired && pending === 0 && waiting.length === 0) return true;
        throw new TypeError(JSON.stringify({ isSynced, converged, desired, pending, failures: [...failures] }));
      },
      { timeoutMs },
    );
    await this.engine.whenIdle();
  }

  /** Outcomes about one object, by name. */
  outcomesOf(name: string): readonly string[] {
    return this.changes.filter(({ ref }) => ref.name === name).map(({ outcome }) => outcome);
  }

  /** Why prune keeps what it keeps, by name. */
  kept(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.engine.status().kept.map(({ live, filter }) => [live.ref.name, filter]));
  }

  stop(): void {
    this.#stop.abort();
    this.#client.close();
  }
}

/** Starts one that ends with the test. */
export async function startEngine(plane: Plane, options: TestEngineOptions): Promise<TestEngine> {
  const client = await clientOf(plane, options.user ?? "keelson", options.kubeconfig);
  const made = new TestEngine(client, options);
  onTestFinished(() => made.stop());
  made.run();
  return made;
}

function snapshotOf(files: Readonly<Record<string, string>>, parts: Partial<ManifestSnapshot>): ManifestSnapshot {
  const loaded = Object.entries(files).map(([path, text]) => loadText(text, path));
  return {
    root: "/addons",
    state: { kind: "read" },
    sequence: 1,
    objects: loaded.flatMap(({ objects }) => objects),
    problems: loaded.flatMap(({ problems }) => problems),
    warnings: [],
    ignored: [],
    files: loaded.length,
    reduced: new Map(),
    unsettled: new Set(),
    oldestChange: undefined,
    ...parts,
  };
}
