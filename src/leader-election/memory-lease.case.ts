import { abortError } from "../async/index.ts";
import { KeelsonError } from "../errors/index.ts";
import type { Lease, LeaseEvent, LeaseStore, LeaseWatch, StoredLease } from "./lease.ts";

/**
 * One Lease in memory, as an API server keeps it: resourceVersions, conflicts, watches. Deviations: answers come at
 * once; nothing is validated; a watch never breaks by itself.
 */
export class MemoryLease implements LeaseStore, LeaseWatch {
  readonly #listeners: Set<(event: LeaseEvent) => void> = new Set();
  stored: StoredLease | undefined;
  /** Requests so far, by verb. */
  readonly requests: Record<"get" | "create" | "update", number> = { get: 0, create: 0, update: 0 };
  /** Set: every request fails with it (a broken network). */
  failure: KeelsonError | undefined;
  /** Set: writes are carried out, but their answers are lost. */
  losesAnswers = false;
  #version = 0;

  async get(signal: AbortSignal): Promise<StoredLease | undefined> {
    this.#request("get", signal);
    return this.stored;
  }

  async create(lease: Lease, signal: AbortSignal): Promise<StoredLease> {
    this.#request("create", signal);
    if (this.stored !== undefined) throw new KeelsonError("AlreadyExists", "the Lease is there");
    return this.#answer(this.put(lease));
  }

  async update(lease: Lease, resourceVersion: string, signal: AbortSignal): Promise<StoredLease> {
    this.#request("update", signal);
    if (this.stored === undefined) throw new KeelsonError("NotFound", "no Lease");
    if (this.stored.resourceVersion !== resourceVersion) throw new KeelsonError("Conflict", "the Lease has moved on");
    return this.#answer(this.put(lease));
  }

  async watch(signal: AbortSignal, listener: (event: LeaseEvent) => void): Promise<void> {
    this.#listeners.add(listener);
    listener({ kind: "seen", lease: this.stored });
    await new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(abortError(signal))));
  }

  /** What another client writes, whatever was there. */
  put(lease: Partial<Lease>): StoredLease {
    this.#version += 1;
    const resourceVersion = String(this.#version);
    this.stored = { ...EMPTY, uid: `uid-${resourceVersion}`, ...this.stored, ...lease, resourceVersion };
    this.tell({ kind: "seen", lease: this.stored });
    return this.stored;
  }

  remove(): void {
    this.stored = undefined;
    this.tell({ kind: "seen", lease: undefined });
  }

  /** What the watch tells. */
  tell(event: LeaseEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #request(verb: "get" | "create" | "update", signal: AbortSignal): void {
    this.requests[verb] += 1;
    if (signal.aborted) throw abortError(signal);
    if (this.failure !== undefined) throw this.failure;
  }

  #answer(lease: StoredLease): StoredLease {
    if (this.losesAnswers) throw new KeelsonError("Unreachable", "connection reset");
    return lease;
  }
}

const EMPTY: Lease = {
  holderIdentity: "",
  leaseDurationSeconds: 15,
  acquireTime: "2030-01-01T00:00:00.000000Z",
  renewTime: "2030-01-01T00:00:00.000000Z",
  leaseTransitions: 0,
};
