import type { ServerResponse } from "node:http";
import { abortError } from "../async/index.ts";
import type { ReplyStream } from "./route.ts";

/** A stream to one client. `stalledMs`: a client that takes nothing for so long is cut off. */
export function openStream(
  response: ServerResponse,
  options: { readonly signal: AbortSignal; readonly stalledMs: number },
): ReplyStream {
  const { signal, stalledMs } = options;
  return {
    signal,
    async write(part) {
      if (signal.aborted) throw abortError(signal);
      if (response.write(part)) return;
      await drained(response, signal, stalledMs);
    },
  };
}

function drained(response: ServerResponse, signal: AbortSignal, stalledMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => response.destroy(), stalledMs);
    const settle = (): void => {
      clearTimeout(timer);
      response.off("drain", settle);
      signal.removeEventListener("abort", settle);
      if (signal.aborted) reject(abortError(signal));
      else resolve();
    };
    response.once("drain", settle);
    // Closing the response fires the signal.
    signal.addEventListener("abort", settle, { once: true });
  });
}
