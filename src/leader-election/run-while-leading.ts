import { abortError, linkedController, waitFor } from "../async/index.ts";
import { isAborted, KeelsonError } from "../errors/index.ts";
import type { LeaderElector, LeaderState } from "./leader-elector.ts";

/** One time of leading. */
export interface LeadingTerm {
  /** Differs whenever another instance may have led in between. */
  readonly id: string;
  /** Fires at the instant the loss is seen (reason: `NotLeader`), or the whole is stopped. */
  readonly signal: AbortSignal;
  /**
   * Throws where the term is over. For the moment before a write: after a long stop of the process, answers that had
   * come meanwhile are handled before any timer fires the signal.
   */
  check(): void;
}

/** What {@link runWhileLeading} needs. */
export interface RunWhileLeadingOptions {
  readonly elector: LeaderElector;
  /** Run once per term, never two at a time: a new term waits until the last one's work has ended. */
  readonly work: (term: LeadingTerm) => Promise<void>;
  /** Ends it: the work first, then the elector, so that the Lease is released by one who no longer writes. */
  readonly signal: AbortSignal;
}

/**
 * Takes part in the election and runs `work` in each leading term. Resolves once `signal` has fired or the work has
 * ended by itself while leading; rejects with what the work or the elector throws. An abort of a lost term is no error.
 */
export async function runWhileLeading(options: RunWhileLeadingOptions): Promise<void> {
  const { elector, signal } = options;
  const taking = new AbortController();
  const { controller: stop, unlink } = linkedController(signal);
  // An elector that fails (a fault of ours) ends the work too; its error is thrown by the last line.
  const election = elector.run(taking.signal).finally(() => stop.abort());
  election.catch(() => {});
  try {
    while (!stop.signal.aborted) {
      const ended = await runOneTerm(options, stop.signal);
      if (ended) break;
    }
  } catch (error) {
    if (!(stop.signal.aborted && isAborted(error))) throw error;
  } finally {
    taking.abort();
    unlink();
    await election;
  }
}

/** The first state that is known; for a single pass, which does not wait to be elected. Needs a running elector. */
export async function waitUntilDecided(elector: LeaderElector, signal: AbortSignal): Promise<LeaderState> {
  return waitForState(elector, (state) => state.kind !== "unknown", signal);
}

/** Whether the work ended by itself. */
async function runOneTerm(options: RunWhileLeadingOptions, stop: AbortSignal): Promise<boolean> {
  const { elector, work } = options;
  const state = await waitForState(elector, ({ kind }) => kind === "leading", stop);
  if (state.kind !== "leading") return false;
  const { controller, unlink } = linkedController(stop);
  const id = state.term;
  const look = (now: LeaderState): void => {
    if (now.kind !== "leading" || now.term !== id) controller.abort(lossOf(now));
  };
  const unsubscribe = elector.onChange(look);
  const check = (): void => {
    look(elector.state);
    if (controller.signal.aborted) throw abortError(controller.signal);
  };
  try {
    // The state that ended the wait may have been lost since.
    look(elector.state);
    if (controller.signal.aborted) return false;
    await work({ id, signal: controller.signal, check });
    return !controller.signal.aborted;
  } catch (error) {
    if (!controller.signal.aborted || !isEnd(error)) throw error;
    return false;
  } finally {
    unsubscribe();
    unlink();
  }
}

/** Whether an error only says that the term is over. */
function isEnd(error: unknown): boolean {
  return isAborted(error) || (error instanceof KeelsonError && error.code === "NotLeader");
}

function lossOf(state: LeaderState): KeelsonError {
  const why = state.kind === "leading" ? "another term has begun" : state.reason;
  return new KeelsonError("NotLeader", `leadership lost: ${why}`);
}

async function waitForState(
  elector: LeaderElector,
  holds: (state: LeaderState) => boolean,
  signal: AbortSignal,
): Promise<LeaderState> {
  let unsubscribe = (): void => {};
  const found = new Promise<LeaderState>((resolve) => {
    unsubscribe = elector.onChange((state) => {
      if (holds(state)) resolve(state);
    });
    const { state } = elector;
    if (holds(state)) resolve(state);
  });
  try {
    return await waitFor(found, signal);
  } finally {
    unsubscribe();
  }
}
