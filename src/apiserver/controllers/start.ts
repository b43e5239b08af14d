import { metaText } from "../managers/index.ts";
import { ApiError, type Cluster } from "../rest/index.ts";
import type { StoreEvent } from "../storage/index.ts";
import { objectsAt } from "../strategy/index.ts";
import { collectGarbage } from "./garbage.ts";
import { holdLease } from "./lease.ts";
import { bootstrap, ensureServiceAccount, finishNamespace } from "./namespaces.ts";
import { isBehind, makeReady, WORKLOAD_TABLES } from "./workloads.ts";

/** Which controllers run. */
export interface ControllersOptions {
  /** Runs the controllers of a cluster (ServiceAccounts, namespaces, garbage); default true. */
  readonly controllers?: boolean;
  /** Workloads become ready this many milliseconds after they change; default: they stay as they are. */
  readonly simulateWorkloadsMs?: number;
  /** Holds the kube-controller-manager Lease in the name of this host; default: there is none. */
  readonly leaseHost?: string;
}

/** Running controllers. */
export interface Controllers {
  stop(): void;
}

/** Creates the usual objects, and starts the controllers that are asked for. */
export function startControllers(cluster: Cluster, options: ControllersOptions): Controllers {
  bootstrap(cluster);
  const stops: (() => void)[] = [];
  if (options.controllers !== false) stops.push(new Reconciler(cluster).start());
  if (options.simulateWorkloadsMs !== undefined) stops.push(simulateWorkloads(cluster, options.simulateWorkloadsMs));
  if (options.leaseHost !== undefined) stops.push(holdLease(cluster, options.leaseHost));
  return {
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

/** Runs passes after changes that may need one; changes while a pass waits are one. */
class Reconciler {
  readonly #cluster: Cluster;
  #cancel: (() => void) | undefined;
  #garbage = true;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  start(): () => void {
    const stop = this.#cluster.store.observe((event) => {
      if (isGarbageEvent(event)) this.#garbage = true;
      else if (event.table !== "namespaces") return;
      this.#schedule();
    });
    this.#schedule();
    return () => {
      stop();
      this.#cancel?.();
    };
  }

  #schedule(): void {
    this.#cancel ??= this.#cluster.clock.after(1, () => {
      this.#cancel = undefined;
      tolerateRefusals(() => this.#pass());
    });
  }

  #pass(): void {
    for (const namespace of [...this.#cluster.store.values("namespaces")]) {
      if (metaText(namespace, "deletionTimestamp") === "") ensureServiceAccount(this.#cluster, namespace);
      else if (!finishNamespace(this.#cluster, namespace)) this.#garbage = true;
    }
    if (!this.#garbage) return;
    this.#garbage = false;
    collectGarbage(this.#cluster);
  }
}

/** A deletion, a mark of deletion, or a new dependent. */
function isGarbageEvent(event: StoreEvent): boolean {
  if (event.kind === "deleted" || metaText(event.object, "deletionTimestamp") !== "") return true;
  const { metadata } = event.object;
  return typeof metadata === "object" && metadata !== null && objectsAt({ ...metadata }, "ownerReferences").length > 0;
}

/** Another writer was faster or the object is held: the next change brings another pass. */
function tolerateRefusals(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function simulateWorkloads(cluster: Cluster, delayMs: number): () => void {
  const pending = new Set<() => void>();
  const watch = (event: StoreEvent): void => {
    if (event.kind === "deleted" || !isBehind(event.object)) return;
    const api = cluster.apis.perTable().find((one) => one.table === event.table);
    if (api === undefined) return;
    const cancel = cluster.clock.after(delayMs, () => {
      pending.delete(cancel);
      const key = `${metaText(event.object, "namespace")}/${metaText(event.object, "name")}`;
      const current = cluster.store.get(event.table, key);
      if (current !== undefined && isBehind(current)) tolerateRefusals(() => makeReady(cluster, api, current));
    });
    pending.add(cancel);
  };
  const stops = WORKLOAD_TABLES.map((table) => cluster.store.subscribe(table, watch));
  return () => {
    for (const stop of [...stops, ...pending]) stop();
  };
}
