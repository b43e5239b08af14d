import { EventStreamParser, type StreamEvent } from "./event-stream.ts";

/** How the page is connected; `since` is when that began (milliseconds since the epoch). */
export type ConnectionState =
  | { readonly kind: "connecting"; readonly since: number }
  | { readonly kind: "live"; readonly since: number }
  | { readonly kind: "lost"; readonly since: number; readonly reason: string; readonly retryAt: number }
  /** The server wants to know who asks: nothing is tried until {@link Connection.retry}. */
  | { readonly kind: "refused"; readonly since: number; readonly reason: string };

/** What a connection works with; time and the network are handed in. */
export interface ConnectionPorts {
  /** Opens the stream. Rejects with a {@link StreamRefused} where the server wants another user. */
  open(signal: AbortSignal): Promise<AsyncIterable<string>>;
  onEvent(event: StreamEvent): void;
  onState(state: ConnectionState): void;
  now(): number;
  /** Resolves after `ms`, or at once when `signal` fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** The server answered that this user may not, or that it knows no user. */
export class StreamRefused extends Error {
  override readonly name = "StreamRefused";
}

/** The server says something at least every five seconds: silence of this length means that the line is dead. */
export const SILENCE_MS = 12_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;

/**
 * Keeps one stream of server-sent events open for as long as it runs: a stream that ends is opened again at once, one
 * that cannot be opened after a pause that doubles up to ten seconds. What is lost is told.
 */
export class Connection {
  readonly #ports: ConnectionPorts;
  #state: ConnectionState;
  #failures = 0;
  #wake: () => void = () => {};

  constructor(ports: ConnectionPorts) {
    this.#ports = ports;
    this.#state = { kind: "connecting", since: ports.now() };
  }

  /** Runs until `signal` fires. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const failure = await this.#once(signal);
      if (signal.aborted) return;
      // A stream that ended in good order (the server limits how long one may last) is no loss yet.
      if (failure === undefined) continue;
      await this.#pause(failure, signal);
    }
  }

  /** Tries again now: the network is back, the page is looked at again, somebody has signed in. */
  retry(): void {
    this.#failures = 0;
    this.#wake();
  }

  /** Undefined where the stream had told something before it ended. */
  async #once(signal: AbortSignal): Promise<Error | undefined> {
    const attempt = new AbortController();
    const stop = (): void => attempt.abort();
    signal.addEventListener("abort", stop, { once: true });
    let hasTold = false;
    try {
      const watchdog = new Watchdog(this.#ports, attempt);
      const parser = new EventStreamParser();
      watchdog.feed();
      for await (const text of await this.#ports.open(attempt.signal)) {
        watchdog.feed();
        hasTold = true;
        this.#failures = 0;
        this.#become({ kind: "live", since: this.#ports.now() });
        for (const event of parser.push(text)) this.#ports.onEvent(event);
      }
      return hasTold ? undefined : new Error("the server ended the connection");
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      signal.removeEventListener("abort", stop);
      attempt.abort();
    }
  }

  async #pause(failure: Error, signal: AbortSignal): Promise<void> {
    const { now, random, sleep } = this.#ports;
    const waiting = new AbortController();
    const end = (): void => waiting.abort();
    this.#wake = end;
    signal.addEventListener("abort", end, { once: true });
    if (failure instanceof StreamRefused) {
      this.#become({ kind: "refused", since: now(), reason: failure.message });
      await sleep(Number.POSITIVE_INFINITY, waiting.signal);
    } else {
      const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures) * (0.75 + random() / 4);
      this.#failures += 1;
      this.#become({ kind: "lost", since: now(), reason: failure.message, retryAt: now() + delay });
      await sleep(delay, waiting.signal);
    }
    signal.removeEventListener("abort", end);
  }

  /** The beginning of a state that goes on is kept. */
  #become(state: ConnectionState): void {
    const before = this.#state;
    if (before.kind === "live" && state.kind === "live") return;
    this.#state = before.kind === state.kind ? { ...state, since: before.since } : state;
    this.#ports.onState(this.#state);
  }
}

/** Ends an attempt that has been silent for too long: a connection may be dead without anybody having said so. */
class Watchdog {
  readonly #ports: ConnectionPorts;
  readonly #attempt: AbortController;
  #turn: AbortController | undefined;

  constructor(ports: ConnectionPorts, attempt: AbortController) {
    this.#ports = ports;
    this.#attempt = attempt;
    attempt.signal.addEventListener("abort", () => this.#turn?.abort(), { once: true });
  }

  feed(): void {
    this.#turn?.abort();
    const turn = new AbortController();
    this.#turn = turn;
    void this.#ports.sleep(SILENCE_MS, turn.signal).then(() => {
      if (!turn.signal.aborted) this.#attempt.abort(new Error("the server fell silent"));
    });
  }
}
