import type { Clock } from "../async/index.ts";

interface Bucket {
  tokens: number;
  filledAt: number;
}

export interface TokenBucketsOptions {
  readonly burst: number;
  /** One token comes back per this many milliseconds. */
  readonly refillMs: number;
  /** Keys remembered; the one unused for longest goes first, and is then full again. */
  readonly maxKeys: number;
  readonly clock: Clock;
}

/** A token bucket for each key. */
export class TokenBuckets {
  readonly #options: TokenBucketsOptions;
  readonly #buckets: Map<string, Bucket> = new Map();

  constructor(options: TokenBucketsOptions) {
    this.#options = options;
  }

  /** Takes a token of `key`; false where none is left. */
  take(key: string): boolean {
    const { burst, refillMs, clock } = this.#options;
    const now = clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, filledAt: now };
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.filledAt) / refillMs);
    bucket.filledAt = now;
    this.#remember(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Maps keep insertion order: re-inserting makes the first key the one unused for longest. */
  #remember(key: string, bucket: Bucket): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size <= this.#options.maxKeys) return;
    for (const [oldest] of this.#buckets) {
      this.#buckets.delete(oldest);
      return;
    }
  }
}
