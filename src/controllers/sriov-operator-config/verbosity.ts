import type { LogFields, Logger } from "../../log/index.ts";

/** Log lines by the operator's scale: level 0 is always written, 1 and 2 where the config's `spec.logLevel` asks for them. */
export class Verbosity {
  readonly #log: Logger;
  #level = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** From now on; a change is logged with the operator's words. */
  set(level: number): void {
    if (level === this.#level) return;
    const values = `{"new-level": ${level}, "current-level": ${this.#level}}`;
    this.#level = level;
    this.#log.info(`Set log verbose level ${values}`);
  }

  /** Writes the line where `level` is asked for. */
  write(level: 0 | 1 | 2, message: string, fields?: LogFields): void {
    if (level <= this.#level) this.#log.info(message, fields);
  }
}
