import type { EngineStatus } from "../../converge/index.ts";
import type { LeaderState } from "../../leader-election/index.ts";
import type { SnapshotState } from "../../manifest/index.ts";

/** One part of health, as `/readyz?verbose` shows it. */
export interface Component {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

/** What health is judged by. */
export interface HealthInput {
  /** Undefined while the start-up waits are on. */
  readonly engine: Pick<EngineStatus, "isReachable" | "isSynced"> | undefined;
  /** What the start-up waits for. */
  readonly waitingFor: string;
  /** Whether the API server answered the last request; undefined where nobody tells. */
  readonly isAnswering: boolean | undefined;
  readonly source: SnapshotState | undefined;
  readonly leader: LeaderState;
}

/** The parts of health. A follower is healthy; one that does not know who leads is not. Pure. */
export function healthComponents(input: HealthInput): readonly Component[] {
  return [api(input), caches(input), source(input), leader(input)];
}

function api({ engine, waitingFor, isAnswering }: HealthInput): Component {
  if (engine === undefined) return { name: "api", ok: false, message: `waiting for ${waitingFor}` };
  const ok = engine.isReachable && isAnswering !== false;
  return { name: "api", ok, message: ok ? "reachable" : "unreachable" };
}

function caches({ engine }: HealthInput): Component {
  const ok = engine?.isSynced === true;
  return { name: "caches", ok, message: ok ? "synced" : "not synced" };
}

function source({ source: state }: HealthInput): Component {
  if (state === undefined) return { name: "source", ok: false, message: "not read yet" };
  return state.kind === "read"
    ? { name: "source", ok: true, message: "read" }
    : { name: "source", ok: false, message: state.message };
}

function leader({ leader: state }: HealthInput): Component {
  if (state.kind === "leading") return { name: "leader", ok: true, message: "leading" };
  if (state.kind === "following") return { name: "leader", ok: true, message: `following: ${state.reason}` };
  return { name: "leader", ok: false, message: state.reason };
}
