import type { Clock, Heart } from "../async/index.ts";

/** How a {@link WorkQueue} works. */
export interface WorkQueueOptions {
  /** Most keys at work at once. */
  readonly concurrency: number;
  readonly clock: Clock;
  /** Works on one key; must not reject. Never called twice at once for one key. */
  readonly work: (key: string) => Promise<void>;
  /** A key of a lower phase goes first; one of a higher phase waits until those are done. */
  readonly phaseOf: (key: string) => number;
  /** Milliseconds after which a running key no longer holds back higher phases; default 3,000. A hanging webhook must not stop the rest. */
  readonly patienceMs?: number;
  /** Told how long the oldest work goes on; default: nobody is. */
  readonly heart?: Heart | undefined;
}

/** No step takes so long, not even one whose requests are all repeated until they time out. */
const WORK_WITHIN_MS = 15 * 60_000;

/**
 * A work queue of keys: each at most once in the queue and once at work, in phases, with delays. A key that is added
 * while it is at work is worked on again afterwards.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #patienceMs: number;
  /** Keys that may start, by phase, oldest first. */
  readonly #ready: Map<number, Set<string>> = new Map();
  readonly #readyPhase: Map<string, number> = new Map();
  /** Monotonic milliseconds at which each delayed key is ready. */
  readonly #delayed: Map<string, number> = new Map();
  /** The timer of the earliest delayed key. */
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  readonly #running: Map<string, { readonly phase: number; readonly since: number }> = new Map();
  readonly #again: Set<string> = new Set();
  #idleWaiters: (() => void)[] = [];
  #cancelPatience: (() => void) | undefined;
  #isPaused = false;
  #isClosed = false;
  #isPumpDue = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? 3_000;
  }

  /**
   * Asks for work on `key` at `at` (monotonic; default: now); the earlier of two requests counts. A moment rather than a
   * delay: keys that wait for the same one start together, in the order of their phases.
   */
  add(key: string, at?: number): void {
    if (this.#isClosed) return;
    const known = this.#delayed.get(key);
    if (at !== undefined && known !== undefined && known <= at) return;
    if (at !== undefined && at > this.#options.clock.monotonic()) {
      this.#delayed.set(key, at);
      this.#setAlarm(at);
      return;
    }
    this.#delayed.delete(key);
    this.#enqueue(key);
  }

  #setAlarm(at: number): void {
    if (this.#alarm !== undefined && this.#alarm.at <= at) return;
    this.#alarm?.cancel();
    const cancel = this.#options.clock.after(at - this.#options.clock.monotonic(), () => this.#ring());
    this.#alarm = { at, cancel };
  }

  /** Readies what is due, and sets the alarm for the next. */
  #ring(): void {
    this.#alarm = undefined;
    const now = this.#options.clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, at] of this.#delayed) {
      if (at > now) next = Math.min(next, at);
      else {
        this.#delayed.delete(key);
        this.#enqueue(key);
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.#setAlarm(next);
  }

  /** Starts nothing new until {@link resume}. Work in progress goes on. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#pump();
  }

  /** Drops what waits; work in progress goes on. */
  clear(): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#delayed.clear();
    this.#ready.clear();
    this.#readyPhase.clear();
    this.#again.clear();
    this.#settle();
  }

  /** Drops what waits and takes nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#cancelPatience?.();
    this.clear();
  }

  /** Resolves when nothing is ready or at work (delayed keys do not count). */
  whenIdle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#readyPhase.size === 0;
  }

  /** Keys that are ready or at work. */
  get depth(): number {
    return this.#running.size + this.#readyPhase.size;
  }

  /** Keys that wait for their time. */
  get delayed(): ReadonlySet<string> {
    return new Set(this.#delayed.keys());
  }

  #enqueue(key: string): void {
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    if (this.#readyPhase.has(key)) return;
    const phase = this.#options.phaseOf(key);
    const keys = this.#ready.get(phase) ?? new Set();
    keys.add(key);
    this.#ready.set(phase, keys);
    this.#readyPhase.set(key, phase);
    this.#pumpSoon();
  }

  /** Not at once: of keys that are added together, those of the lowest phase go first, whatever their order. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (!this.#isPaused && !this.#isClosed && this.#running.size < this.#options.concurrency) {
      const phase = this.#lowestReady();
      if (phase === undefined || this.#isHeldBack(phase)) break;
      const key = this.#take(phase);
      if (key !== undefined) this.#start(key, phase);
    }
    this.#settle();
  }

  #lowestReady(): number | undefined {
    let lowest: number | undefined;
    for (const [phase, keys] of this.#ready) {
      if (keys.size > 0 && (lowest === undefined || phase < lowest)) lowest = phase;
    }
    return lowest;
  }

  #isHeldBack(phase: number): boolean {
    const now = this.#options.clock.monotonic();
    let earliest = Number.POSITIVE_INFINITY;
    for (const running of this.#running.values()) {
      const patienceEnds = running.since + this.#patienceMs;
      if (running.phase < phase && patienceEnds > now) earliest = Math.min(earliest, patienceEnds);
    }
    if (earliest === Number.POSITIVE_INFINITY) return false;
    this.#cancelPatience?.();
    this.#cancelPatience = this.#options.clock.after(earliest - now, () => this.#pump());
    return true;
  }

  #take(phase: number): string | undefined {
    const keys = this.#ready.get(phase);
    const [key] = keys ?? [];
    if (keys === undefined || key === undefined) return undefined;
    keys.delete(key);
    if (keys.size === 0) this.#ready.delete(phase);
    this.#readyPhase.delete(key);
    return key;
  }

  #start(key: string, phase: number): void {
    this.#running.set(key, { phase, since: this.#options.clock.monotonic() });
    if (this.#running.size === 1) this.#beat();
    void this.#options.work(key).finally(() => {
      this.#running.delete(key);
      this.#beat();
      if (this.#again.delete(key)) this.#enqueue(key);
      this.#pump();
    });
  }

  /** Keys at work stand in the order in which they began. */
  #beat(): void {
    const { heart, clock } = this.#options;
    if (heart === undefined) return;
    const [oldest] = this.#running;
    if (oldest === undefined) heart.rest("nothing to do");
    else heart.expect(oldest[0], WORK_WITHIN_MS - (clock.monotonic() - oldest[1].since));
  }

  #settle(): void {
    if (!this.isIdle) return;
    this.#cancelPatience?.();
    this.#cancelPatience = undefined;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiters) resolve();
  }
}
