import { Backoff, type Clock } from "../async/index.ts";
import { isKeelsonError, type KeelsonError } from "../errors/index.ts";
import type { KubeClient } from "../kube/index.ts";

const BACKOFF = { baseMs: 250, maxMs: 5_000 } as const;

/**
 * Whether the API server answers. One failed request opens it for all: instead of every object running into the same
 * timeout and its own back-off, `/readyz` is asked until it answers, and then everything goes on at once.
 */
export class Reachability {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #onChange: (isReachable: boolean, error: KeelsonError | undefined) => void;
  #isReachable = true;

  constructor(
    client: KubeClient,
    clock: Clock,
    onChange: (isReachable: boolean, error: KeelsonError | undefined) => void,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get isReachable(): boolean {
    return this.#isReachable;
  }

  /** A request failed because the server could not be reached: asks until it can be, or `signal` fires. */
  lost(error: KeelsonError, signal: AbortSignal): void {
    if (!this.#isReachable) return;
    this.#isReachable = false;
    this.#onChange(false, error);
    void this.#ask(signal).catch(() => {});
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(BACKOFF, this.#clock);
    for (;;) {
      await this.#clock.sleep(backoff.next(), signal);
      const isReady = await this.#client.raw("GET", "/readyz", { signal }).then(
        () => true,
        // Refused, but by a server that answers: whether we may ask says nothing about what else we may.
        (error: unknown) => isKeelsonError(error, "Unauthorized", "Forbidden", "NotFound", "NoMatch"),
      );
      if (!isReady) continue;
      this.#isReachable = true;
      this.#onChange(true, undefined);
      return;
    }
  }
}
