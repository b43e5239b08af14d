import { describe, expect, it } from "vitest";
import { Connection, type ConnectionPorts, type ConnectionState, SILENCE_MS, StreamRefused } from "./connection.ts";
import type { StreamEvent } from "./event-stream.ts";

/** A line that the test speaks into. */
class Line implements AsyncIterable<string> {
  #say: (said: IteratorResult<string>) => void = () => {};
  #fail: (error: unknown) => void = () => {};
  readonly #said: (IteratorResult<string> | Error)[] = [];

  say(text: string): void {
    this.#push({ done: false, value: text });
  }
  end(): void {
    this.#push({ done: true, value: undefined });
  }
  break(error: Error): void {
    this.#push(error);
  }
  #push(said: IteratorResult<string> | Error): void {
    this.#said.push(said);
    this.#say({ done: false, value: "" });
  }
  [Symbol.asyncIterator](): AsyncIterator<string> {
    return { next: () => this.#next() };
  }
  async #next(): Promise<IteratorResult<string>> {
    while (this.#said.length === 0) {
      await new Promise((resolve, reject) => {
        this.#say = resolve;
        this.#fail = reject;
      });
    }
    const said = this.#said.shift();
    if (said instanceof Error) throw said;
    return said ?? { done: true, value: undefined };
  }
  abort(error: unknown): void {
    this.#fail(error);
  }
}

interface Sleep {
  readonly ms: number;
  readonly ring: () => void;
}

class Bed implements ConnectionPorts {
  readonly lines: (Line | Error)[] = [];
  readonly events: StreamEvent[] = [];
  readonly states: ConnectionState[] = [];
  sleeps: Sleep[] = [];
  opened = 0;
  time = 1000;

  async open(signal: AbortSignal): Promise<AsyncIterable<string>> {
    this.opened += 1;
    const line = this.lines.shift() ?? new Line();
    if (line instanceof Error) throw line;
    signal.addEventListener("abort", () => line.abort(signal.reason));
    return line;
  }
  onEvent(event: StreamEvent): void {
    this.events.push(event);
  }
  onState(state: ConnectionState): void {
    this.states.push(state);
  }
  now = (): number => this.time;
  random = (): number => 1;
  sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const sleep = { ms, ring: () => resolve() };
      this.sleeps.push(sleep);
      signal.addEventListener("abort", () => {
        this.sleeps = this.sleeps.filter((other) => other !== sleep);
        resolve();
      });
    });
  get kinds(): readonly string[] {
    return this.states.map(({ kind }) => kind);
  }
}

async function until(claim: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (claim()) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  expect.fail("did not come true");
}

function start(bed: Bed): { readonly connection: Connection; readonly stop: () => void } {
  const stopping = new AbortController();
  const connection = new Connection(bed);
  void connection.run(stopping.signal);
  return { connection, stop: () => stopping.abort() };
}

describe("Connection", () => {
  it("tells events and that it is live", async () => {
    const bed = new Bed();
    const line = new Line();
    bed.lines.push(line);
    const { stop } = start(bed);

    line.say("event: reload\ndata: {}\n\n");

    await until(() => bed.events.length === 1);
    expect(bed.kinds).toEqual(["live"]);
    stop();
  });

  it("opens a stream again at once, and without a word, when it ends in good order", async () => {
    const bed = new Bed();
    const first = new Line();
    bed.lines.push(first);
    const { stop } = start(bed);

    first.say(": hello\n\n");
    first.end();

    await until(() => bed.opened === 2);
    expect(bed.kinds).toEqual(["live"]);
    stop();
  });

  it("waits twice as long after each failure, ten seconds at most", async () => {
    const bed = new Bed();
    bed.lines.push(...Array.from({ length: 7 }, () => new Error("connection refused")));
    const { stop } = start(bed);

    const delays: number[] = [];
    for (let round = 1; round <= 7; round += 1) {
      await until(() => bed.opened === round && bed.sleeps.some(({ ms }) => ms !== SILENCE_MS));
      const sleep = bed.sleeps.find(({ ms }) => ms !== SILENCE_MS);
      delays.push(sleep?.ms ?? 0);
      bed.sleeps = [];
      sleep?.ring();
    }

    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
    expect(bed.states[0]).toMatchObject({ kind: "lost", reason: "connection refused", since: 1000 });
    stop();
  });

  it("keeps the time since when the connection is lost", async () => {
    const bed = new Bed();
    bed.lines.push(new Error("refused"), new Error("refused"));
    const { stop } = start(bed);
    await until(() => bed.states.length === 1);

    bed.time = 9000;
    bed.sleeps.find(({ ms }) => ms === 500)?.ring();

    await until(() => bed.states.length === 2);
    expect(bed.states[1]).toMatchObject({ kind: "lost", since: 1000 });
    stop();
  });

  it("takes silence for a dead line", async () => {
    const bed = new Bed();
    const line = new Line();
    bed.lines.push(line);
    const { stop } = start(bed);
    line.say(": hello\n\n");
    await until(() => bed.kinds.includes("live"));

    bed.sleeps.find(({ ms }) => ms === SILENCE_MS)?.ring();

    await until(() => bed.kinds.includes("lost"));
    expect(bed.states.at(-1)).toMatchObject({ reason: "the server fell silent" });
    stop();
  });

  it("tries again at once when asked to", async () => {
    const bed = new Bed();
    bed.lines.push(new Error("refused"));
    const { connection, stop } = start(bed);
    await until(() => bed.kinds.includes("lost"));

    connection.retry();

    await until(() => bed.opened === 2);
    stop();
  });

  it("does not knock again where the server wants another user, until asked to", async () => {
    const bed = new Bed();
    bed.lines.push(new StreamRefused("sign in"));
    const { connection, stop } = start(bed);
    await until(() => bed.kinds.includes("refused"));
    expect(bed.sleeps.map(({ ms }) => ms)).toContain(Number.POSITIVE_INFINITY);

    connection.retry();

    await until(() => bed.opened === 2);
    stop();
  });

  it("ends when it is stopped", async () => {
    const bed = new Bed();
    const stopping = new AbortController();
    const ended = new Connection(bed).run(stopping.signal);
    await until(() => bed.opened === 1);

    stopping.abort();

    await ended;
    expect(bed.opened).toBe(1);
  });
});
