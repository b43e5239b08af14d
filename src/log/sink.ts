import { writeSync } from "node:fs";

/** Where log lines go. */
export interface LineSink {
  /**
   * Writes one line, newline included, at once, and tells whether it was written. Never throws: a log that cannot be
   * written must not stop the work.
   */
  write(line: string): boolean;
  /** Frees what the sink holds; later lines are dropped. */
  close(): void;
}

/** How often a full, non-blocking pipe is tried again before the line is dropped. */
const BUSY_RETRIES = 20;
const BUSY_WAIT_MS = 5;

/**
 * A sink on an open file descriptor (1 for stdout). A reader that went away (EPIPE) ends it for good; a full disk drops
 * lines until there is room again.
 */
export function descriptorSink(descriptor: number): LineSink {
  let open = true;
  return {
    write(line) {
      if (!open) return false;
      try {
        writeAll(descriptor, line);
        return true;
      } catch (error) {
        if (errorCode(error) === "EPIPE") open = false;
        return false;
      }
    },
    close() {
      open = false;
    },
  };
}

/** `sink`, but the first line that gets through after lost ones is preceded by `note(how many)`. */
export function lossNotingSink(sink: LineSink, note: (lost: number) => string): LineSink {
  let lost = 0;
  return {
    write(line) {
      if (lost > 0 && sink.write(note(lost))) lost = 0;
      const written = sink.write(line);
      if (!written) lost += 1;
      return written;
    },
    close: () => sink.close(),
  };
}

/** Writes all of `text`; a short write goes on where it stopped. Throws the system's error. */
export function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  let retries = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written);
      retries = 0;
    } catch (error) {
      // A pipe that another process made non-blocking answers EAGAIN while its reader is behind.
      if (errorCode(error) !== "EAGAIN" || retries >= BUSY_RETRIES) throw error;
      retries += 1;
      pause(BUSY_WAIT_MS);
    }
  }
}

/** The `code` of a system error, undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Blocks the thread: log lines are written synchronously, so that none is lost when the process ends. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
