import { isSameState, type LeaderState } from "./leader-elector.ts";

/** Holds an elector's state and tells its listeners of changes. */
export class StateCell {
  readonly #listeners: Set<(state: LeaderState) => void> = new Set();
  #state: LeaderState;

  constructor(initial: LeaderState) {
    this.#state = initial;
  }

  get state(): LeaderState {
    return this.#state;
  }

  /** Sets the state; tells the listeners, and returns true, where it differs. */
  set(state: LeaderState): boolean {
    if (isSameState(state, this.#state)) return false;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state);
    return true;
  }

  onChange(listener: (state: LeaderState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
