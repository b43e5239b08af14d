import { KeelsonError } from "../../errors/index.ts";
import { type LeaderElector, waitUntilDecided } from "../../leader-election/index.ts";
import { InstanceGuard } from "./guard.ts";
import { namesOf } from "./identity.ts";
import type { OwnPorts } from "./own-config-map.ts";

/** Who asks to act. */
export interface Candidate {
  readonly set: string;
  /** Unique to this process. */
  readonly instance: string;
  /** No election: a live daemon is found by challenge. */
  readonly isUnelected: boolean;
}

const ELECTION_WITHIN_MS = 15_000;

/** Resolves where a single pass may write. Rejects with `NotLeader` or `AnotherInstance`, having written no object. */
export async function requireLead(
  { elector, client, clock }: OwnPorts & { readonly elector: LeaderElector | undefined },
  { set, instance, isUnelected }: Candidate,
  signal: AbortSignal,
): Promise<void> {
  const guard = new InstanceGuard({ client, clock, names: namesOf(set), instance });
  if (isUnelected || elector === undefined) {
    await guard.challenge(signal);
    return;
  }
  const taking = new AbortController();
  const running = elector.run(AbortSignal.any([signal, taking.signal]));
  running.catch(() => {});
  try {
    const state = await waitUntilDecided(elector, AbortSignal.any([signal, AbortSignal.timeout(ELECTION_WITHIN_MS)]));
    // A daemon on the host whose Lease is followed leads, too.
    if (state.kind === "leading") return await guard.challenge(signal);
    const holder = state.kind === "following" ? (state.holder ?? "nobody") : "unknown";
    const message = `not the leader (holder: ${holder}; ${state.reason}): nothing was written; --force-leader acts all the same`;
    throw new KeelsonError("NotLeader", message);
  } finally {
    taking.abort();
    await running.catch(() => {});
  }
}
