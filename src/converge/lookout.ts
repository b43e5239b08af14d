import { groupVersionKindOf } from "../object/index.ts";
import type { Cluster } from "./cluster.ts";
import type { DesiredObject, DesiredSet } from "./desired.ts";

/** What a lookout asks of its engine. */
export interface LookoutPort {
  readonly desired: () => DesiredSet;
  /** Fires when the engine stops; undefined before it starts. */
  readonly signal: () => AbortSignal | undefined;
  /** A kind that was not served is served now: the set has to be resolved again. Resolves when that is in force. */
  readonly onServed: () => Promise<void>;
  /** Definitions changed a while ago: what was known of served kinds and versions is to be looked at again. */
  readonly onRefresh: () => void;
}

/** Discovery lags behind a change of definitions; by then it has caught up. */
const REFRESH_MS = 1_000;

/** After a definition changed: when to look again for kinds that are still not served, in milliseconds. */
const LOOK_AGAIN_MS = [25, 50, 100, 200, 400, 800, 1_600, 3_200] as const;

/** Looks out for kinds of desired objects that the API server does not serve yet. Asks nothing where all are served. */
export class Lookout {
  readonly #cluster: Cluster;
  readonly #port: LookoutPort;
  #cancel: (() => void) | undefined;
  #cancelRefresh: (() => void) | undefined;

  constructor(cluster: Cluster, port: LookoutPort) {
    this.#cluster = cluster;
    this.#port = port;
  }

  /**
   * A CRD or an APIService changed. Being served lags behind the event by some 10 to 40 ms, and more under load, so the
   * look is repeated for a while.
   */
  look(): void {
    this.#cluster.client.discovery.invalidate();
    this.#cancelRefresh?.();
    this.#cancelRefresh = this.#cluster.clock.after(REFRESH_MS, () => {
      if (this.#port.signal()?.aborted === true) return;
      this.#cluster.client.discovery.invalidate();
      this.#port.onRefresh();
    });
    this.lookForUnserved();
  }

  /** Looks for kinds that are not served, now and for a while; asks nothing where all are. */
  lookForUnserved(): void {
    this.#cancel?.();
    if (this.#unserved().length > 0) this.#lookFrom(0);
  }

  /** Asks discovery anew for what is not served, and has the set resolved again where something is. */
  async lookOnce(): Promise<void> {
    const unserved = this.#unserved();
    if (unserved.length === 0) return;
    const { discovery } = this.#cluster.client;
    discovery.invalidate();
    for (const { manifest } of unserved) {
      const resource = await discovery.find(groupVersionKindOf(manifest), this.#port.signal());
      if (resource === undefined) continue;
      // Not awaited: the caller may be the very turn that the resolution has to wait for.
      void this.#port.onServed().catch(() => {});
      return;
    }
  }

  #lookFrom(step: number): void {
    const delay = LOOK_AGAIN_MS[step];
    if (delay === undefined || this.#port.signal()?.aborted === true) return;
    this.#cancel = this.#cluster.clock.after(delay, () => {
      this.lookOnce().then(
        () => this.#lookOn(step),
        () => this.#lookOn(step),
      );
    });
  }

  #lookOn(step: number): void {
    if (this.#unserved().length > 0) this.#lookFrom(step + 1);
  }

  #unserved(): readonly DesiredObject[] {
    return [...this.#port.desired().objects.values()].filter(
      ({ resource, mode }) => resource === undefined && mode !== "Absent",
    );
  }
}
