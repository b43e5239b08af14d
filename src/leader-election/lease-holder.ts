import { Backoff, type Clock, linkedController, waitFor } from "../async/index.ts";
import { isAborted, isKeelsonError, KeelsonError, messageOf } from "../errors/index.ts";
import { ChangeLog, type Logger, NOT_LEADER_MESSAGE } from "../log/index.ts";
import type { LeaderElector, LeaderState } from "./leader-elector.ts";
import type { Lease, LeaseStore, StoredLease } from "./lease.ts";
import { StateCell } from "./state-cell.ts";

/** What {@link LeaseHolder} needs. */
export interface LeaseHolderOptions {
  readonly store: LeaseStore;
  /** Unique among all instances that ever run, also the earlier ones of this host. */
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** How the Lease is called in messages: `kube-system/keelson-addon`. */
  readonly name: string;
}

/** client-go's numbers: others take the Lease after 15 s, its holder gives up after 10 s, tries are 2 s apart. */
export const LEASE_DURATION_MS = 15_000;
export const RENEW_DEADLINE_MS = 10_000;
export const RETRY_PERIOD_MS = 2000;
/** A single request; shorter than the deadline, so that one that hangs leaves time for another. */
const REQUEST_TIMEOUT_MS = 4000;
/** The release; short, as it comes at the end of a stop that may take five seconds in all. */
const RELEASE_TIMEOUT_MS = 1000;

/** The Lease as last seen, and since when it has been as it is, by our own monotonic clock. */
interface Observation {
  readonly lease: StoredLease;
  readonly since: number;
}

/**
 * Leads while it holds a Lease of its own, as client-go's leader election does. Times in the Lease are never compared
 * with a local clock: what counts is how long the record has not moved as seen from here, by the monotonic clock, so
 * that neither clock skew nor a jump of the wall clock makes two leaders. A renewal counts from the moment its request
 * was sent, which is before anybody can have seen it.
 */
export class LeaseHolder implements LeaderElector {
  readonly #options: LeaseHolderOptions;
  readonly #said: ChangeLog;
  readonly #cell: StateCell = new StateCell({ kind: "unknown", reason: "the Lease has not been read yet" });
  #observed: Observation | undefined;
  /** Monotonic time until which the lead is ours; 0: it is not. */
  #leadUntil = 0;
  #cancelDeadline: () => void = () => {};

  constructor(options: LeaseHolderOptions) {
    this.#options = options;
    this.#said = new ChangeLog(options.log);
  }

  get state(): LeaderState {
    // A process that was stopped for a while runs its timers late: the clock decides, not the timer.
    this.#loseWhereOver();
    return this.#cell.state;
  }

  onChange(listener: (state: LeaderState) => void): () => void {
    return this.#cell.onChange(listener);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    // Followers spread their tries, so that they do not all meet at the moment the Lease runs out.
    const retry = new Backoff({ baseMs: RETRY_PERIOD_MS * 2, maxMs: RETRY_PERIOD_MS * 2, jitter: 0.5 }, clock);
    while (!signal.aborted) {
      await this.#tryOnce(signal);
      const wait = this.state.kind === "leading" ? RETRY_PERIOD_MS : retry.next();
      await clock.sleep(wait, signal).catch(() => {});
    }
    await this.#release();
  }

  async #tryOnce(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const sentAt = clock.monotonic();
    try {
      const timing = { signal, ms: REQUEST_TIMEOUT_MS };
      const lease = await this.#withTimeout(timing, (limit) => this.#acquireOrRenew(limit));
      if (lease.holderIdentity === this.#options.identity) this.#lead(lease, sentAt);
      else this.#follow(lease);
      this.#said.clear("lease");
    } catch (error) {
      if (signal.aborted && isAborted(error)) return;
      this.#onFailure(error);
    }
  }

  /** Renews by the record that we wrote last, which costs one request; where that has moved on, from the start. */
  async #acquireOrRenew(limit: AbortSignal): Promise<StoredLease> {
    const known = this.state.kind === "leading" ? this.#observed?.lease : undefined;
    try {
      if (known !== undefined) return await this.#write(known, limit);
    } catch (error) {
      if (!isKeelsonError(error, "Conflict", "NotFound")) throw error;
    }
    const { store, identity } = this.#options;
    const current = await store.get(limit);
    if (current === undefined) return this.#observe(await store.create(this.#claim(undefined), limit));
    this.#observe(current);
    return current.holderIdentity === identity || this.#isFree(current) ? this.#write(current, limit) : current;
  }

  async #write(current: StoredLease, limit: AbortSignal): Promise<StoredLease> {
    return this.#observe(await this.#options.store.update(this.#claim(current), current.resourceVersion, limit));
  }

  #isFree(lease: StoredLease): boolean {
    if (lease.holderIdentity === "") return true;
    const since = this.#observed?.since ?? this.#options.clock.monotonic();
    const durationMs = lease.leaseDurationSeconds > 0 ? lease.leaseDurationSeconds * 1000 : LEASE_DURATION_MS;
    return this.#options.clock.monotonic() - since >= durationMs;
  }

  #claim(current: StoredLease | undefined): Lease {
    const now = microTime(this.#options.clock.now());
    const ours = current?.holderIdentity === this.#options.identity;
    return {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: LEASE_DURATION_MS / 1000,
      acquireTime: ours ? current.acquireTime : now,
      renewTime: now,
      leaseTransitions: current === undefined ? 0 : current.leaseTransitions + (ours ? 0 : 1),
    };
  }

  #observe(lease: StoredLease): StoredLease {
    const before = this.#observed?.lease;
    if (before?.resourceVersion !== lease.resourceVersion || before.uid !== lease.uid) {
      this.#observed = { lease, since: this.#options.clock.monotonic() };
    }
    return lease;
  }

  #lead(lease: StoredLease, sentAt: number): void {
    const { clock, identity, name } = this.#options;
    if (clock.monotonic() - sentAt >= RENEW_DEADLINE_MS) return;
    this.#leadUntil = sentAt + RENEW_DEADLINE_MS;
    this.#cancelDeadline();
    this.#cancelDeadline = clock.after(this.#leadUntil - clock.monotonic(), () => this.#loseWhereOver());
    const term = `${lease.uid}/${lease.leaseTransitions}`;
    this.#cell.set({ kind: "leading", holder: identity, term });
    this.#said.report({ key: "lead", level: "info", message: `Elected leader: holds the Lease ${name}` });
  }

  #follow(lease: StoredLease): void {
    const { holderIdentity: holder } = lease;
    this.#setOut({ kind: "following", holder, reason: `${holder} holds the Lease ${this.#options.name}` });
    this.#said.report({ key: "lead", level: "info", message: NOT_LEADER_MESSAGE, fields: { holder } });
  }

  #onFailure(error: unknown): void {
    // Somebody was faster: the next try reads who.
    if (isKeelsonError(error, "Conflict", "AlreadyExists", "NotFound")) return;
    const reason = `the Lease ${this.#options.name} cannot be read or renewed: ${messageOf(error)}`;
    this.#said.report({ key: "lease", level: "warn", message: reason });
    // A leader stays one until its deadline: a single failed try is no reason to stop.
    if (this.state.kind !== "leading") this.#setOut({ kind: "unknown", reason });
  }

  #loseWhereOver(): void {
    if (this.#leadUntil === 0 || this.#options.clock.monotonic() < this.#leadUntil) return;
    const reason = `the Lease ${this.#options.name} was not renewed within ${RENEW_DEADLINE_MS / 1000} s`;
    this.#setOut({ kind: "unknown", reason });
    this.#said.report({ key: "lead", level: "warn", message: `No longer the leader: ${reason}` });
  }

  #setOut(state: LeaderState): void {
    this.#leadUntil = 0;
    this.#cancelDeadline();
    this.#cell.set(state);
  }

  /** Frees the Lease, so that another one need not wait for it to run out. A failure only costs that wait. */
  async #release(): Promise<void> {
    const held = this.state.kind === "leading" ? this.#observed?.lease : undefined;
    this.#setOut({ kind: "unknown", reason: "stopped" });
    if (held === undefined) return;
    try {
      await this.#withTimeout({ ms: RELEASE_TIMEOUT_MS }, (limit) => this.#writeFree(held, limit));
    } catch (error) {
      this.#options.log.warn(`The Lease ${this.#options.name} could not be released: ${messageOf(error)}`);
    }
  }

  async #writeFree(held: StoredLease, limit: AbortSignal): Promise<void> {
    const { store, identity, clock } = this.#options;
    const free: Lease = { ...held, holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(clock.now()) };
    try {
      await store.update(free, held.resourceVersion, limit);
    } catch (error) {
      // The renewal that the stop cut off may have reached the server.
      if (!isKeelsonError(error, "Conflict")) throw error;
      const current = await store.get(limit);
      if (current?.holderIdentity === identity) await store.update(free, current.resourceVersion, limit);
    }
  }

  async #withTimeout<T>(
    { signal, ms }: { readonly signal?: AbortSignal; readonly ms: number },
    work: (limit: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { controller, unlink } = linkedController(signal);
    const cancel = this.#options.clock.after(ms, () =>
      controller.abort(new KeelsonError("Timeout", `no answer within ${ms} ms`)),
    );
    try {
      return await waitFor(work(controller.signal), controller.signal);
    } finally {
      cancel();
      unlink();
    }
  }
}

/** Time as `metav1.MicroTime` writes it. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
