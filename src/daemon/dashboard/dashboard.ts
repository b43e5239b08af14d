import { systemClock } from "../../async/index.ts";
import type { AddonView, Spectator } from "../../controllers/addon/index.ts";
import type { Journal } from "../../history/index.ts";
import { dashboardRoutes, type Route } from "../../http/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import type { Logger } from "../../log/index.ts";
import { DashboardControls } from "./actions.ts";
import { DashboardHistory } from "./history.ts";
import { builtPages } from "./pages.ts";
import { DashboardData } from "./source.ts";

/** What a dashboard is built from. */
export interface DashboardOptions {
  readonly client: KubeClient;
  readonly log: Logger;
  readonly version: string;
  /** The directory. */
  readonly path: string;
  /** Name of the set, "" for the only one. */
  readonly set: string;
  readonly instance: string;
  /** Namespace of the revisions. */
  readonly revisionNamespace: string;
  readonly journal: Pick<Journal, "append">;
  readonly health: { readonly isAnswering: boolean };
  /** A look into the controller; undefined before the cluster has answered. */
  readonly view: () => AddonView | undefined;
}

/** The dashboard of the add-on controller. */
export class Dashboard {
  readonly #options: DashboardOptions;
  readonly #history: DashboardHistory;
  readonly #data: DashboardData;

  constructor(options: DashboardOptions) {
    this.#options = options;
    this.#history = new DashboardHistory(options);
    this.#data = new DashboardData({ ...options, clock: systemClock, history: this.#history });
  }

  /** Tells the dashboard what the controller does. */
  get spectator(): Spectator {
    return this.#data;
  }

  /** What is served. */
  routes(): readonly Route[] {
    const { client, log, view, journal } = this.#options;
    const actions = new DashboardControls({
      client,
      log,
      journal,
      history: this.#history,
      clock: systemClock,
      view,
      note: (entry) => this.#data.note(entry),
    });
    return dashboardRoutes({ source: this.#data, actions, pages: builtPages() });
  }
}
