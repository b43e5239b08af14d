import type { LeaderElector, LeaderState } from "../../../src/leader-election/index.ts";

/** An elector that leads when told. */
export class HandElector implements LeaderElector {
  #state: LeaderState = { kind: "unknown", reason: "not told yet" };
  readonly #listeners: Set<(state: LeaderState) => void> = new Set();

  get state(): LeaderState {
    return this.#state;
  }

  set(state: LeaderState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }

  onChange(listener: (state: LeaderState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  run(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
