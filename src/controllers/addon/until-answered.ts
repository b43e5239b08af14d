import type { Clock } from "../../async/index.ts";
import { isAborted, messageOf } from "../../errors/index.ts";
import type { Logger } from "../../log/index.ts";

const RETRY_MS = 500;

/** Asks every half second, and says each time that it fails, in the original's words. */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  how: {
    readonly clock: Clock;
    readonly log: Logger;
    readonly failing: string;
    readonly signal: AbortSignal;
  },
): Promise<T> {
  const { clock, log, failing, signal } = how;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (isAborted(error)) throw error;
      log.warn(`${failing}, retry in 0.5 second`, { error: messageOf(error) });
    }
    await clock.sleep(RETRY_MS, signal);
  }
}
