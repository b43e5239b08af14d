import { type Clock, linkedController, waitFor } from "../async/index.ts";
import { assertNever, isAborted, KeelsonError, messageOf } from "../errors/index.ts";
import { ChangeLog, type Logger, NOT_LEADER_MESSAGE } from "../log/index.ts";
import { isHolder } from "./holder.ts";
import type { LeaderElector, LeaderState } from "./leader-elector.ts";
import type { LeaseEvent, LeaseStore, LeaseWatch, StoredLease } from "./lease.ts";
import { StateCell } from "./state-cell.ts";

/** What {@link LeaseFollower} needs. */
export interface LeaseFollowerOptions {
  readonly watch: LeaseWatch;
  /** Asked where the watch is silent. */
  readonly store: Pick<LeaseStore, "get">;
  readonly hostname: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** How a Lease is called in messages; default `kube-system/kube-controller-manager`. */
  readonly name?: string;
}

/**
 * A live holder renews every 2 s. After this silence a leader asks once, so that a watch that hangs behind a broken
 * connection does not keep it in the lead while another controller manager takes the Lease (15 s after its last renewal).
 */
const SILENCE_MS = 10_000;
/** Further asking while nobody renews (the controller manager is down): a watch would tell, so that is rarely. */
const IDLE_SILENCE_MS = 60_000;
const ASK_TIMEOUT_MS = 4000;
const OVERDUE_SLACK_MS = 1000;

/**
 * Leads where the controller manager of this host leads, as the original does: by the Lease's holderIdentity alone.
 * A Lease that its holder no longer renews is still the holder's: the add-ons' writer must not stop because the
 * controller manager is restarting, and it cannot be doubled, as every follower reads the same identity.
 */
export class LeaseFollower implements LeaderElector {
  readonly #options: LeaseFollowerOptions;
  readonly #name: string;
  readonly #said: ChangeLog;
  readonly #cell: StateCell = new StateCell({ kind: "unknown", reason: "the Lease has not been read yet" });
  /** Counts what the watch told. */
  #events = 0;
  #askingAt = Number.POSITIVE_INFINITY;
  #cancelAsking: () => void = () => {};

  constructor(options: LeaseFollowerOptions) {
    this.#options = options;
    this.#name = options.name ?? "kube-system/kube-controller-manager";
    this.#said = new ChangeLog(options.log);
  }

  get state(): LeaderState {
    // A process that was stopped for a while runs its timers late: the clock decides, not the timer.
    this.#loseWhereOverdue();
    return this.#cell.state;
  }

  onChange(listener: (state: LeaderState) => void): () => void {
    return this.#cell.onChange(listener);
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.watch.watch(signal, (event) => {
        if (!signal.aborted) this.#onEvent(event, signal);
      });
    } catch (error) {
      if (!(signal.aborted && isAborted(error))) throw error;
    } finally {
      this.#cancelAsking();
      this.#cell.set({ kind: "unknown", reason: "stopped" });
    }
  }

  #onEvent(event: LeaseEvent, signal: AbortSignal): void {
    this.#events += 1;
    const soon = this.#options.clock.monotonic() + SILENCE_MS;
    switch (event.kind) {
      case "seen":
        this.#settle(this.#stateOf(event.lease));
        this.#askAt(soon, signal);
        break;
      case "unavailable":
        // A leader is not out yet: the API server may just restart, and for 15 s nobody can take the Lease. Asking decides.
        if (this.state.kind !== "leading") this.#settle(unreadable(this.#name, event.why));
        this.#askAt(Math.min(soon, this.#askingAt), signal);
        break;
      default:
        assertNever(event);
    }
  }

  #stateOf(lease: StoredLease | undefined): LeaderState {
    if (lease === undefined) {
      return { kind: "following", holder: undefined, reason: `there is no Lease ${this.#name}` };
    }
    const holder = lease.holderIdentity;
    if (holder === "") return { kind: "following", holder: undefined, reason: `nobody holds the Lease ${this.#name}` };
    if (isHolder(holder, this.#options.hostname)) {
      return { kind: "leading", holder, term: `${holder}/${lease.leaseTransitions}` };
    }
    return { kind: "following", holder, reason: `${holder} holds the Lease ${this.#name}` };
  }

  /** Takes the state on, then says what changed: a term that ends must not wait for the log. */
  #settle(state: LeaderState): void {
    this.#cell.set(state);
    if (state.kind === "unknown") {
      this.#said.clear("lead");
      this.#said.report({ key: "lease", level: "warn", message: `Not the leader: ${state.reason}` });
      return;
    }
    if (state.kind === "following" && state.holder === undefined) {
      this.#said.report({ key: "lease", level: "error", message: `Not the leader: ${state.reason}` });
    } else this.#said.clear("lease");
    const fields = { hostname: this.#options.hostname, holder: state.holder };
    const message = state.kind === "leading" ? "Elected leader" : NOT_LEADER_MESSAGE;
    this.#said.report({ key: "lead", level: "info", message, fields });
  }

  /** A leader that should have asked long ago has been stopped: others may have taken the Lease meanwhile. */
  #loseWhereOverdue(): void {
    const overdueAt = this.#askingAt + ASK_TIMEOUT_MS + OVERDUE_SLACK_MS;
    if (this.#cell.state.kind !== "leading" || this.#options.clock.monotonic() <= overdueAt) return;
    this.#cell.set({ kind: "unknown", reason: "this process was stopped for a while: the Lease has to be read again" });
  }

  /** Asks for the Lease at `at` (monotonic) unless an event comes first. Who follows is told by the watch, and need not ask. */
  #askAt(at: number, signal: AbortSignal): void {
    this.#cancelAsking();
    this.#askingAt = at;
    if (this.state.kind === "following" || signal.aborted) return;
    const { clock } = this.#options;
    this.#cancelAsking = clock.after(at - clock.monotonic(), () => void this.#ask(signal));
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const events = this.#events;
    const state = await this.#askedState(signal);
    // What the watch told meanwhile is newer than the answer.
    if (signal.aborted || events !== this.#events) return;
    this.#settle(state);
    this.#askAt(clock.monotonic() + (state.kind === "unknown" ? SILENCE_MS : IDLE_SILENCE_MS), signal);
  }

  async #askedState(signal: AbortSignal): Promise<LeaderState> {
    const { controller, unlink } = linkedController(signal);
    const cancel = this.#options.clock.after(ASK_TIMEOUT_MS, () =>
      controller.abort(new KeelsonError("Timeout", `no answer within ${ASK_TIMEOUT_MS} ms`)),
    );
    try {
      return this.#stateOf(await waitFor(this.#options.store.get(controller.signal), controller.signal));
    } catch (error) {
      return unreadable(this.#name, messageOf(error));
    } finally {
      cancel();
      unlink();
    }
  }
}

function unreadable(name: string, why: string): LeaderState {
  return { kind: "unknown", reason: `the Lease ${name} cannot be read: ${why}` };
}
