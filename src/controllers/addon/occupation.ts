import { Backoff, type Clock } from "../../async/index.ts";
import { isAborted, isKeelsonError, type KeelsonError, messageOf } from "../../errors/index.ts";
import type { KubeClient, ReflectorEvent } from "../../kube/index.ts";
import type { ChangeLog } from "../../log/index.ts";
import { InstanceGuard } from "./guard.ts";
import type { SetNames } from "./identity.ts";
import { answerQuestion } from "./liveness.ts";
import { type OwnConfigMap, watchOwn } from "./own-config-map.ts";

/** What an {@link Occupation} works with. */
export interface OccupationOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly said: ChangeLog;
  readonly names: SetNames;
  readonly instance: string;
  /** No election: another instance must be kept off. */
  readonly isUnelected: boolean;
}

/** What an occupation tells while it lasts. */
export interface OccupationListener {
  /** Another instance acts on the set. */
  readonly onLost: (error: KeelsonError) => void;
  /** Challenges and questions are not seen. */
  readonly onUnavailable: (error: KeelsonError) => void;
  /** Whether this instance speaks for the set: only then it answers who asks. */
  readonly isLeading: () => boolean;
}

const CLAIM_BACKOFF = { baseMs: 500, maxMs: 10_000 } as const;

/**
 * This instance as the one that acts on the set, during one term. Without an election nothing is done before the set is
 * ours; where we were elected it is only made known, so that a single pass beside us refuses.
 */
export class Occupation {
  readonly #options: OccupationOptions;
  readonly #guard: InstanceGuard;

  constructor(options: OccupationOptions) {
    this.#options = options;
    this.#guard = new InstanceGuard(options);
  }

  /** Resolves when this instance may act. Rejects with `AnotherInstance` where another live one answers. */
  async begin(listener: OccupationListener, signal: AbortSignal): Promise<void> {
    const { isUnelected } = this.#options;
    if (isUnelected) await this.#claim(signal);
    else this.#guard.announce(signal).catch((error: unknown) => this.#say(error, "a single pass may act beside it"));
    const { client, clock, names } = this.#options;
    const onLost = isUnelected ? listener.onLost : (): void => {};
    const onEvent = (event: ReflectorEvent<OwnConfigMap>): void => {
      if (event.kind === "unavailable") listener.onUnavailable(event.error);
      if (event.kind !== "upsert") return;
      this.#guard.defend(event.record, onLost, signal);
      if (listener.isLeading()) answerQuestion({ client, names }, event.record, signal);
    };
    watchOwn({ client, clock }, { name: names.statusConfigMap, onEvent, metadataOnly: true }, signal).catch(() => {});
  }

  release(signal: AbortSignal): Promise<void> {
    return this.#guard.release(signal);
  }

  async #claim(signal: AbortSignal): Promise<void> {
    const { clock, said } = this.#options;
    const backoff = new Backoff(CLAIM_BACKOFF, clock);
    for (;;) {
      try {
        await this.#guard.claim(signal);
        said.clear("claim");
        return;
      } catch (error) {
        if (isAborted(error) || isKeelsonError(error, "AnotherInstance")) throw error;
        this.#say(error, "nothing is done before that");
      }
      await clock.sleep(backoff.next(), signal);
    }
  }

  #say(error: unknown, consequence: string): void {
    if (isAborted(error)) return;
    const { said, names } = this.#options;
    const message = `cannot claim this set in kube-system/${names.statusConfigMap}: ${messageOf(error)}; ${consequence}`;
    said.report({ key: "claim", level: "warn", message });
  }
}
