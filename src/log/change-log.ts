import type { LogFields, LogLevel } from "./line.ts";
import type { Logger } from "./logger.ts";

/** Keys that are remembered; beyond, the oldest is forgotten (and would be logged again). */
const MAX_KEYS = 10_000;

/** One thing to say about the state of `key`. */
export interface ChangeReport {
  /** What the line is about: `lease`, `dns.yaml:12`, `ConfigMap kube-system/dns`. */
  readonly key: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: LogFields;
}

/**
 * Says each thing once until it changes: a problem that is seen in every pass is logged when it begins and when it
 * reads differently, not every minute. Level and message decide what is equal; fields do not, as they may hold counts.
 */
export class ChangeLog {
  readonly #log: Logger;
  readonly #said: Map<string, string> = new Map();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Logs the report unless the last one of its key said the same; returns whether it was logged. */
  report(report: ChangeReport): boolean {
    const { key, level, message, fields } = report;
    const text = `${level} ${message}`;
    if (this.#said.get(key) === text) return false;
    this.#said.delete(key);
    this.#said.set(key, text);
    if (this.#said.size > MAX_KEYS) this.#forgetOldest();
    this.#log[level](message, fields);
    return true;
  }

  /** The problem of `key` is over: the next report of it is logged. Returns whether there was one. */
  clear(key: string): boolean {
    return this.#said.delete(key);
  }

  /** Forgets every key that is not in `current`, as after a full pass. */
  retain(current: ReadonlySet<string>): void {
    for (const key of this.#said.keys()) if (!current.has(key)) this.#said.delete(key);
  }

  #forgetOldest(): void {
    const oldest = this.#said.keys().next();
    if (oldest.done !== true) this.#said.delete(oldest.value);
  }
}
