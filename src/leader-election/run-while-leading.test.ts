import { describe, expect, it } from "vitest";
import { ManualClock, waitFor } from "../async/index.ts";
import { KeelsonError } from "../errors/index.ts";
import { silentLogger } from "../log/index.ts";
import { alwaysLeader } from "./always.ts";
import type { LeaderElector, LeaderState } from "./leader-elector.ts";
import { LeaseHolder } from "./lease-holder.ts";
import { MemoryLease } from "./memory-lease.case.ts";
import { type LeadingTerm, runWhileLeading, waitUntilDecided } from "./run-while-leading.ts";
import { StateCell } from "./state-cell.ts";

const leading = (term: string): LeaderState => ({ kind: "leading", holder: "a", term });
const following: LeaderState = { kind: "following", holder: "b", reason: "b holds the Lease" };

/** An elector that is told what to say. */
function toldElector(first: LeaderState): LeaderElector & { readonly cell: StateCell } {
  const cell = new StateCell(first);
  return {
    cell,
    get state() {
      return cell.state;
    },
    onChange: (listener) => cell.onChange(listener),
    run: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const untilAborted = ({ signal }: LeadingTerm): Promise<void> => waitFor(new Promise(() => {}), signal);

describe("runWhileLeading", () => {
  it("runs the work in each term and fires its signal within the losing change", async () => {
    const elector = toldElector(following);
    const stop = new AbortController();
    const terms: LeadingTerm[] = [];
    const run = runWhileLeading({
      elector,
      signal: stop.signal,
      work: (term) => {
        terms.push(term);
        return untilAborted(term);
      },
    });
    await turn();
    expect(terms).toEqual([]);

    elector.cell.set(leading("1"));
    await turn();
    elector.cell.set(following);
    expect(terms[0]?.signal.aborted).toBe(true);
    expect(terms[0]?.signal.reason).toMatchObject({ code: "NotLeader" });
    elector.cell.set(leading("2"));
    await turn();
    stop.abort();
    await run;

    expect(terms.map(({ id }) => id)).toEqual(["1", "2"]);
  });

  it("starts no term before the last one's work has ended", async () => {
    const elector = toldElector(leading("1"));
    const stop = new AbortController();
    const started: string[] = [];
    let finish = (): void => {};
    const run = runWhileLeading({
      elector,
      signal: stop.signal,
      work: (term) => {
        started.push(term.id);
        return term.id === "1" ? new Promise((resolve) => (finish = resolve)) : untilAborted(term);
      },
    });
    await turn();

    elector.cell.set(leading("2"));
    await turn();
    expect(started).toEqual(["1"]);
    finish();
    await turn();
    expect(started).toEqual(["1", "2"]);

    stop.abort();
    await run;
  });

  it("does not start the work where the lead was lost again at once", async () => {
    const elector = toldElector(following);
    const stop = new AbortController();
    const started: string[] = [];
    const run = runWhileLeading({
      elector,
      signal: stop.signal,
      work: async ({ id }) => void started.push(id),
    });

    elector.cell.set(leading("1"));
    elector.cell.set(following);
    await turn();
    stop.abort();
    await run;

    expect(started).toEqual([]);
  });

  it("ends where the work ends by itself", async () => {
    await runWhileLeading({
      elector: alwaysLeader("a"),
      signal: new AbortController().signal,
      work: async () => {},
    });
  });

  it("throws what the work throws", async () => {
    const run = runWhileLeading({
      elector: alwaysLeader("a"),
      signal: new AbortController().signal,
      work: () => Promise.reject(new KeelsonError("Unreadable", "gone")),
    });

    await expect(run).rejects.toMatchObject({ code: "Unreadable" });
  });

  it("throws what the elector throws, after the work has ended", async () => {
    let ended = false;
    const elector: LeaderElector = {
      ...alwaysLeader("a"),
      run: async () => {
        await turn();
        throw new KeelsonError("Internal", "broken");
      },
    };
    const run = runWhileLeading({
      elector,
      signal: new AbortController().signal,
      work: async (term) => {
        await untilAborted(term).catch(() => {});
        await turn();
        ended = true;
      },
    });

    await expect(run).rejects.toMatchObject({ code: "Internal" });
    expect(ended).toBe(true);
  });

  it("releases the Lease only after the work has ended", async () => {
    const lease = new MemoryLease();
    const clock = new ManualClock();
    const elector = new LeaseHolder({ store: lease, identity: "a", clock, log: silentLogger, name: "l" });
    const stop = new AbortController();
    let holderAtEnd: string | undefined;
    const run = runWhileLeading({
      elector,
      signal: stop.signal,
      work: async (term) => {
        await untilAborted(term).catch(() => {});
        await turn();
        holderAtEnd = lease.stored?.holderIdentity;
      },
    });
    await clock.advance(1000);

    stop.abort();
    await run;

    expect(holderAtEnd).toBe("a");
    expect(lease.stored?.holderIdentity).toBe("");
  });

  it("refuses a write in a term that is over, although its signal has not fired", async () => {
    let state = leading("1");
    const elector: LeaderElector = {
      ...alwaysLeader("a"),
      get state() {
        return state;
      },
    };
    const stop = new AbortController();
    let refusal: unknown;
    const run = runWhileLeading({
      elector,
      signal: stop.signal,
      work: async (term) => {
        term.check();
        state = following;
        try {
          term.check();
        } catch (error) {
          refusal = error;
        }
        stop.abort();
      },
    });
    await run;

    expect(refusal).toMatchObject({ code: "NotLeader" });
  });
});

describe("waitUntilDecided", () => {
  it("gives the first known state", async () => {
    const elector = toldElector({ kind: "unknown", reason: "not read" });
    const decided = waitUntilDecided(elector, new AbortController().signal);

    elector.cell.set(following);

    await expect(decided).resolves.toEqual(following);
  });

  it("ends with the signal", async () => {
    const elector = toldElector({ kind: "unknown", reason: "not read" });

    const decided = waitUntilDecided(elector, AbortSignal.abort());

    await expect(decided).rejects.toMatchObject({ code: "Aborted" });
  });
});
