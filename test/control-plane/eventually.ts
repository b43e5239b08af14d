import { TestBedError } from "./errors.ts";

export interface EventuallyOptions {
  /** Deadline; 10,000 ms where left out. */
  readonly timeoutMs?: number;
  /** Pause between two tries; 25 ms where left out. */
  readonly intervalMs?: number;
}

/** What `eventually` hands back: the value of the try that held. */
export type Held<T> = Exclude<T, false | null | undefined>;

/** Pauses for `ms`; only for polling loops, which have a deadline. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/**
 * Polls until `probe` neither throws nor gives false, null or undefined, and returns what it gave.
 * A probe made of assertions alone must end in `return true`: undefined counts as "not yet", so that a look-up that
 * finds nothing never passes.
 *
 * @throws TestBedError past the deadline, with the claim and the last answer or error in its message and cause.
 */
export async function eventually<T>(
  claim: string,
  probe: () => Promise<T> | T,
  options: EventuallyOptions = {},
): Promise<Held<T>> {
  const { timeoutMs = 10_000, intervalMs = 25 } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const attempt = await tryOnce(probe);
    if (attempt.kind === "held") return attempt.value;
    if (performance.now() >= deadline) {
      throw new TestBedError(`not within ${timeoutMs} ms: ${claim}: ${attempt.why}`, { cause: attempt.cause });
    }
    await pause(intervalMs);
  }
}

type Attempt<T> =
  | { readonly kind: "held"; readonly value: Held<T> }
  | { readonly kind: "not-yet"; readonly why: string; readonly cause: unknown };

async function tryOnce<T>(probe: () => Promise<T> | T): Promise<Attempt<T>> {
  try {
    const value = await probe();
    if (value === false || value === null || value === undefined) {
      return { kind: "not-yet", why: `last answer ${String(value)}`, cause: undefined };
    }
    return { kind: "held", value: value as Held<T> };
  } catch (error) {
    return { kind: "not-yet", why: error instanceof Error ? error.message : String(error), cause: error };
  }
}
