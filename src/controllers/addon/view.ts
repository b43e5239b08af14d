import type { Change, Engine } from "../../converge/index.ts";
import type { LeaderState } from "../../leader-election/index.ts";
import type { SetNames } from "./identity.ts";
import type { StatusReport } from "./status-reports.ts";

/** Who looks on while a controller works: a dashboard. Called synchronously; must not throw. */
export interface Spectator {
  /** A step was executed (failed ones too). */
  onChange(change: Change): void;
  /** What a {@link AddonView} shows may have changed. */
  onStatus(): void;
  /** A status was computed, which is not done more often than it is written. */
  onReport(report: StatusReport): void;
}

/** A look into a running controller. Live: each part is as of the moment it is read. */
export interface AddonView {
  readonly names: SetNames;
  readonly engine: Engine;
  readonly leader: LeaderState;
  /** The newest revision that is known; undefined before the first. */
  readonly revision: number | undefined;
  /** Walks over all objects. */
  status(): StatusReport;
}
