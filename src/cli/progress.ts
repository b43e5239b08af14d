import { escapeControls } from "../log/index.ts";
import type { OutputStream } from "./output-stream.ts";

/** One line on stderr that says what is going on. */
export interface Progress {
  /** Replaces the line. Nothing is shown where stderr is no terminal: logs of CI jobs are not for such lines. */
  show(message: string): void;
  /** Takes the line away, before anything else is written. */
  clear(): void;
}

const ERASE_LINE = "\r\u001b[K";

/** A progress line on `stream`. */
export function createProgress(stream: OutputStream): Progress {
  let shown = false;
  return {
    show(message) {
      if (!stream.isTerminal) return;
      stream.write(`${ERASE_LINE}${escapeControls(message)}`);
      shown = true;
    },
    clear() {
      if (shown) stream.write(ERASE_LINE);
      shown = false;
    },
  };
}
