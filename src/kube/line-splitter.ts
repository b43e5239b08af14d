import { KeelsonError } from "../errors/index.ts";

const newline = 0x0a;

/**
 * Cuts a byte stream into lines. Bytes of an unfinished line are kept as the chunks they came in and joined once, when
 * the line ends: however a line is cut up, each byte is copied at most once. Works on bytes, so that a character cut in
 * two is whole again when it is decoded.
 */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #maxBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  /** `maxBytes` bounds one line. */
  constructor(onLine: (line: string) => void, maxBytes: number) {
    this.#onLine = onLine;
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes and hands out the lines that they complete, without their newline; empty lines are skipped. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = this.#complete(chunk, start, end);
      start = end + 1;
      if (line !== "") this.#onLine(line);
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
  }

  /** Bytes of a line whose end has not come yet. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  #complete(chunk: Buffer, start: number, end: number): string {
    if (this.#pendingBytes === 0) return chunk.toString("utf8", start, end);
    const line = Buffer.concat([...this.#pending, chunk.subarray(start, end)]).toString("utf8");
    this.#pending = [];
    this.#pendingBytes = 0;
    return line;
  }

  #keep(rest: Buffer): void {
    this.#pending.push(rest);
    this.#pendingBytes += rest.length;
    if (this.#pendingBytes > this.#maxBytes) {
      throw new KeelsonError("LimitExceeded", `a line of the stream is longer than ${this.#maxBytes} bytes`);
    }
  }
}
