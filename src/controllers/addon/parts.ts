import type { Clock, Watchdog } from "../../async/index.ts";
import { type DesiredSet, Engine, type EngineState, meteredListener, type PrunePolicy } from "../../converge/index.ts";
import { type Journal, RevisionStore } from "../../history/index.ts";
import { type EventRecorder, fencedClient, type KubeClient } from "../../kube/index.ts";
import type { ChangeLog, Logger } from "../../log/index.ts";
import type { EngineMeter } from "../../metrics/index.ts";
import { ApplySetKeeper } from "./applyset-keeper.ts";
import type { ChangeMemory } from "./change-memory.ts";
import { Confirmations } from "./confirmations.ts";
import { Declarations } from "./declarations.ts";
import { addonIdentity, type SetNames, SYSTEM_NAMESPACE } from "./identity.ts";
import { changeEntry, confirmationEntry, type Entry, holdBackEntry, holdEntry, pauseEntry } from "./journal-entries.ts";
import { Pauses } from "./pauses.ts";
import { Reporter } from "./reporter.ts";
import { RevisionRecorder } from "./revision-recorder.ts";
import type { Spectator } from "./view.ts";

/** What the controller is made of, once the cluster answers. */
export interface Parts {
  readonly engine: Engine;
  readonly reporter: Reporter;
  readonly declarations: Declarations;
  readonly pauses: Pauses;
  readonly confirmations: Confirmations;
  /** Undefined where none are to be made. */
  readonly revisions: RevisionRecorder | undefined;
  /** Undefined where the set is not to be an ApplySet. */
  readonly applySet: ApplySetKeeper | undefined;
}

/** What the parts are handed from outside. */
export interface PartsPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  readonly journal?: Pick<Journal, "append" | "flush" | "state">;
  readonly meter?: EngineMeter | undefined;
  readonly watchdog?: Watchdog | undefined;
  readonly spectator?: Spectator | undefined;
}

/** How they work. */
export interface PartsOptions {
  readonly prune: PrunePolicy;
  readonly set: string;
  readonly instance: string;
  readonly revisions?: { readonly namespace: string; readonly limit: number };
  readonly tooling?: string | undefined;
}

/** What the parts are handed by the controller. */
export interface PartsContext {
  readonly names: SetNames;
  readonly said: ChangeLog;
  readonly memory: ChangeMemory;
  /** What has survived a restart. */
  readonly state: EngineState | undefined;
  /** Throws where the term is over. */
  readonly check: () => void;
  readonly isActing: () => boolean;
  readonly onStatus: () => void;
  readonly signal: AbortSignal;
}

const SELF_CHECK_MS = 5 * 60_000;

/** Builds the parts and ties them together. Nothing is asked of the cluster yet. */
export function buildParts(ports: PartsPorts, options: PartsOptions, context: PartsContext): Parts {
  const { client, clock, log, recorder, journal, meter, watchdog, spectator } = ports;
  const { prune, set, instance, revisions } = options;
  const { names, said, memory, state, check, isActing, onStatus, signal } = context;
  // The journal is the leader's: what others see of the same decisions is not theirs to put down.
  const note = (entry: Entry): void => {
    if (isActing()) journal?.append(entry);
  };
  const store = new RevisionStore({
    client: fencedClient(client, check),
    set,
    namespace: revisions?.namespace ?? SYSTEM_NAMESPACE,
  });
  const reporter = new Reporter({
    log,
    said,
    recorder,
    names,
    memory,
    onStatus,
    spectator,
    onWrite: (change) => note(changeEntry(change, recording?.newest)),
    onHoldBack: (kept) => note(holdBackEntry(kept, clock.now())),
  });
  const { tooling } = options;
  const applySet =
    tooling === undefined
      ? undefined
      : new ApplySetKeeper({ client: fencedClient(client, check), clock, said, names, tooling, onProblem: onStatus });
  const cluster = { client, clock, identity: addonIdentity(names, applySet), watchdog };
  const listener = meteredListener(reporter, meter);
  const beforeDeclared = async (desired: DesiredSet): Promise<void> => applySet?.declaring(desired);
  const engine = new Engine(cluster, { prune, listener, selfCheckMs: SELF_CHECK_MS, beforeDeclared }, state);
  const onDeclared = (): void => {
    reporter.remarks(engine.desired.remarks);
    onStatus();
  };
  const declarations = new Declarations(
    {
      engine,
      store,
      clock,
      log,
      said,
      onDeclared,
      onHold: (change) => note(holdEntry(change, clock.now())),
    },
    signal,
  );
  const pauses = new Pauses({ engine, clock, log, onChange: (change) => note(pauseEntry(change, clock.now())) });
  const confirmations = new Confirmations({
    engine,
    clock,
    log,
    said,
    onConfirmed: (confirmation, objects) => note(confirmationEntry(confirmation, objects, clock.now())),
  });
  const recording =
    revisions === undefined || revisions.limit === 0
      ? undefined
      : new RevisionRecorder({
          store,
          engine,
          clock,
          log,
          said,
          instance,
          limit: revisions.limit,
          declarations,
          journal,
          onRevision: onStatus,
        });
  return { engine, reporter, declarations, pauses, confirmations, revisions: recording, applySet };
}
