import type { Clock } from "./clock.ts";

/** One loop's promise to go on. Cheap: called at every turn. */
export interface Heart {
  /** What it is doing now ends within so many milliseconds, else it is stuck. Replaces what was promised before. */
  expect(doing: string, withinMs: number): void;
  /** It waits for something that may take for ever. */
  rest(doing: string): void;
  /** It has ended although it should never have: it counts as stuck from now on. */
  fail(why: string): void;
  /** It has ended as it should, and is forgotten. */
  stop(): void;
}

/** Loops of one name. */
export interface LoopState {
  readonly name: string;
  /** Why it is stuck; undefined where it is not. */
  readonly stuck: string | undefined;
}

interface Pulse {
  readonly name: string;
  readonly detail: string;
  doing: string;
  /** The tick after which it is stuck; Infinity: it rests. */
  due: number;
}

const TICK_MS = 5_000;

/**
 * Knows which loops no longer go round although the event loop does: a promise that never settles leaves no other trace.
 *
 * Time is counted in ticks of its own timer, not by the clock: a process that was stopped for an hour (SIGSTOP, a
 * suspended machine) wakes up with all deadlines passed, and has to be given the time to go on.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onStuck: (loop: LoopState) => void;
  readonly #pulses: Set<Pulse> = new Set();
  readonly #told: Set<Pulse> = new Set();
  #ticks = 0;

  /** `onStuck` is called once for each loop that is found to be stuck, and again only after it has gone on. */
  constructor(clock: Clock, onStuck: (loop: LoopState) => void = () => {}) {
    this.#clock = clock;
    this.#onStuck = onStuck;
  }

  /** Watches until `signal` fires; rejects with `Aborted` then. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#clock.sleep(TICK_MS, signal);
      this.#ticks += 1;
      this.#tell();
    }
  }

  /** Takes a loop on; it rests until it says otherwise. Several may share a `name`; `detail` tells them apart. */
  heart(name: string, detail = ""): Heart {
    const pulse: Pulse = { name, detail, doing: "starting", due: Number.POSITIVE_INFINITY };
    this.#pulses.add(pulse);
    const beat = (doing: string, due: number): void => {
      pulse.doing = doing;
      pulse.due = due;
    };
    return {
      // One more: the next tick may come at any moment.
      expect: (doing, withinMs) => beat(doing, this.#ticks + 1 + Math.ceil(withinMs / TICK_MS)),
      rest: (doing) => beat(doing, Number.POSITIVE_INFINITY),
      fail: (why) => beat(why, -1),
      stop: () => void this.#pulses.delete(pulse),
    };
  }

  /** All loops, those of one name as one. */
  loops(): readonly LoopState[] {
    const stuck = new Map<string, string[]>();
    for (const pulse of this.#pulses) {
      const reasons = stuck.get(pulse.name) ?? [];
      if (this.#isStuck(pulse)) reasons.push(describe(pulse));
      stuck.set(pulse.name, reasons);
    }
    return [...stuck].map(([name, reasons]) => ({
      name,
      stuck: reasons.length === 0 ? undefined : reasons.join("; "),
    }));
  }

  #isStuck({ due }: Pulse): boolean {
    return this.#ticks > due;
  }

  #tell(): void {
    for (const pulse of this.#pulses) {
      if (!this.#isStuck(pulse)) this.#told.delete(pulse);
      else if (!this.#told.has(pulse)) {
        this.#told.add(pulse);
        this.#onStuck({ name: pulse.name, stuck: describe(pulse) });
      }
    }
  }
}

function describe({ detail, doing, due }: Pulse): string {
  const what = detail === "" ? doing : `${detail}: ${doing}`;
  return due < 0 ? what : `${what}, for too long`;
}
