import { systemClock } from "../async/index.ts";
import { isKeelsonError, KeelsonError } from "../errors/index.ts";
import type { ApiResource, KubeClient } from "../kube/index.ts";
import { type KubeObject, parseApiVersion } from "../object/index.ts";

const POLL_MS = 20;
const WITHIN_MS = 30_000;

/** An object of the demo's namespace. */
export interface DemoRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** The demo's cluster as somebody with kubectl sees it. */
export class DemoCluster {
  readonly namespace: string;
  readonly #client: KubeClient;
  readonly #signal: AbortSignal;

  constructor(client: KubeClient, namespace: string, signal: AbortSignal) {
    this.namespace = namespace;
    this.#client = client;
    this.#signal = signal;
  }

  /** The object, or undefined where it or its kind is not there. */
  async find(ref: DemoRef): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(await this.#resource(ref), this.#target(ref), { signal: this.#signal });
    } catch (error) {
      if (isKeelsonError(error, "NotFound", "NamespaceNotFound", "NoMatch")) return undefined;
      throw error;
    }
  }

  /** A merge patch by a field manager of that name. */
  async patch(ref: DemoRef, manager: string, change: object): Promise<void> {
    const patch = { type: "merge", body: JSON.stringify(change) } as const;
    const options = { fieldManager: manager, signal: this.#signal };
    await this.#client.patch(await this.#resource(ref), this.#target(ref), patch, options);
  }

  async delete(ref: DemoRef): Promise<void> {
    await this.#client.delete(await this.#resource(ref), this.#target(ref), { signal: this.#signal });
  }

  /** Waits until `probe` holds; the milliseconds that took. Throws `Timeout`. */
  async until(what: string, probe: () => Promise<boolean>): Promise<number> {
    const started = systemClock.monotonic();
    while (!(await probe())) {
      if (systemClock.monotonic() - started > WITHIN_MS) {
        throw new KeelsonError("Timeout", `not within ${WITHIN_MS / 1000} s: ${what}`);
      }
      await systemClock.sleep(POLL_MS, this.#signal);
    }
    return Math.round(systemClock.monotonic() - started);
  }

  async #resource({ apiVersion, kind }: DemoRef): Promise<ApiResource> {
    const { discovery } = this.#client;
    const resource = await discovery.find({ ...parseApiVersion(apiVersion), kind }, this.#signal);
    if (resource !== undefined) return resource;
    discovery.invalidate();
    throw new KeelsonError("NoMatch", `${apiVersion} ${kind} is not served`);
  }

  #target({ name }: DemoRef): { readonly namespace: string; readonly name: string } {
    return { namespace: this.namespace, name };
  }
}
