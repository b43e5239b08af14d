import type { Clock } from "../../async/index.ts";
import type { AddonView, Spectator, StatusReport } from "../../controllers/addon/index.ts";
import { type Change, describeReason } from "../../converge/index.ts";
import { KeelsonError } from "../../errors/index.ts";
import type {
  Addon,
  DashboardListener,
  DashboardSource,
  ObjectDetail,
  ObjectRow,
  Overview,
  Phase,
  RevisionDiff,
  Revisions,
  TimelineEntry,
} from "../../http/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import { addonsOf } from "./addons.ts";
import { type Control, controlOf, pauseOf, pauseWords } from "./control.ts";
import { readDetail } from "./detail.ts";
import type { DashboardHistory } from "./history.ts";
import { overviewOf, phaseOf, problemsOf } from "./overview.ts";
import { rowsOf, type Standing, standingOf } from "./rows.ts";
import { entryOfChange, Timeline } from "./timeline.ts";

/** What a dashboard looks at. */
export interface DashboardPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly version: string;
  /** The directory, and this instance: shown while nothing else is known. */
  readonly path: string;
  readonly instance: string;
  readonly set: string;
  /** Whether the API server answered the last request. */
  readonly health: { readonly isAnswering: boolean };
  /** A look into the controller; undefined before the cluster has answered. */
  readonly view: () => AddonView | undefined;
  readonly history: DashboardHistory;
}

const RECENT = 12;
const OF_ONE_OBJECT = 100;

/**
 * Looks on while the add-on controller works. What it remembers is the timeline and since when the phase is what it is;
 * everything else is worked out when a page asks.
 */
export class DashboardData implements DashboardSource, Spectator {
  readonly #ports: DashboardPorts;
  readonly #timeline: Timeline = new Timeline();
  readonly #listeners: Set<DashboardListener> = new Set();
  #phase: Phase = "starting";
  #since: number;

  constructor(ports: DashboardPorts) {
    this.#ports = ports;
    this.#since = ports.clock.now();
  }

  onChange(change: Change): void {
    const entry = entryOfChange(change);
    if (entry !== undefined) this.note(entry);
  }

  onStatus(): void {
    for (const listener of this.#listeners) listener.onStatus();
  }

  onReport(report: StatusReport): void {
    const phase = phaseOf(report);
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#since = this.#ports.clock.now();
  }

  /** Adds to the timeline and tells open pages. */
  note(entry: Omit<TimelineEntry, "id">): void {
    const numbered = this.#timeline.add(entry);
    for (const listener of this.#listeners) listener.onEntry(numbered);
  }

  subscribe(listener: DashboardListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  overview(): Overview {
    const { version, clock, health, history } = this.#ports;
    const view = this.#ports.view();
    if (view === undefined) return this.#startingOverview();
    const status = view.status();
    this.onReport(status);
    const standing = this.#standing(view);
    return overviewOf({
      version,
      now: clock.now(),
      since: this.#since,
      view,
      status,
      rows: rowsOf(standing),
      isReachable: standing.engine.isReachable && health.isAnswering,
      control: controlOf(status),
      revision: history.newest(view.revision, () => this.onStatus()),
      recent: this.#timeline.newest(RECENT),
    });
  }

  addons(): readonly Addon[] {
    const view = this.#ports.view();
    if (view === undefined) return [];
    const status = view.status();
    return addonsOf(this.rows(), problemsOf(status), controlOf(status).pauses);
  }

  rows(): readonly ObjectRow[] {
    const view = this.#ports.view();
    return view === undefined ? [] : rowsOf(this.#standing(view));
  }

  async object(key: string, signal: AbortSignal): Promise<ObjectDetail> {
    const view = this.#ports.view();
    const row = this.rows().find((each) => each.key === key);
    if (view === undefined || row === undefined) throw noSuchObject(key);
    const desired = view.engine.desired.objects.get(key);
    const known = {
      row,
      desired,
      record: view.engine.records.get(key),
      timeline: this.#timeline.newest(OF_ONE_OBJECT, key),
      pause: desired === undefined ? undefined : pauseOf(this.#control(view), desired),
    };
    return readDetail(known, { client: this.#ports.client, manager: view.names.manager, signal });
  }

  revisions(signal: AbortSignal): Promise<Revisions> {
    return this.#ports.history.revisions(signal);
  }

  diff(from: number, to: number, signal: AbortSignal): Promise<RevisionDiff> {
    return this.#ports.history.diff(from, to, signal);
  }

  #standing(view: AddonView): Standing {
    const control = this.#control(view);
    const pausedWords = (desired: Parameters<typeof pauseOf>[1]): string | undefined => {
      const pause = control.pauses.length === 0 ? undefined : pauseOf(control, desired);
      return pause === undefined ? undefined : pauseWords(pause);
    };
    return standingOf(view, pausedWords, (step) => `${step.kind}: ${describeReason(step.reason)}`);
  }

  #control(view: AddonView): Control {
    return controlOf(view.status());
  }

  /** Before the cluster has answered. */
  #startingOverview(): Overview {
    const { version, path, instance, set, clock, health } = this.#ports;
    const none = { desired: 0, converged: 0, pending: 0, failed: 0, blocked: 0, fighting: 0 };
    return {
      version,
      set,
      path,
      instance,
      now: new Date(clock.now()).toISOString(),
      phase: "starting",
      since: new Date(this.#since).toISOString(),
      isReachable: health.isAnswering,
      leader: { kind: "unknown", reason: "the cluster has not answered yet" },
      pauses: [],
      counts: { ...none, paused: 0, held: 0, kept: 0, ready: 0, notReady: 0 },
      problems: [],
      held: { confirmable: 0, objects: [] },
      attention: [],
      recent: [],
    };
  }
}

function noSuchObject(key: string): KeelsonError {
  const message = `${key.slice(0, 300)}: neither the directory nor the cluster has it as an object of this set`;
  return new KeelsonError("NotFound", message);
}
