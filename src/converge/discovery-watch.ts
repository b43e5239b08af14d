import { Backoff } from "../async/index.ts";
import { isAborted, type KeelsonError } from "../errors/index.ts";
import { type ApiResource, Reflector } from "../kube/index.ts";
import type { GroupVersionKind } from "../object/index.ts";
import type { Cluster } from "./cluster.ts";

/** The kinds whose objects change what the API server serves. */
const DEFINING: readonly GroupVersionKind[] = [
  { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" },
  { group: "apiregistration.k8s.io", version: "v1", kind: "APIService" },
];

/** What a watch of the definitions tells. */
export interface DefinitionListener {
  /** A CustomResourceDefinition or an APIService has appeared, changed or gone: what was not served may be now. */
  onChange(): void;
  /** All were listed for the first time; some may have come since the API server was asked what it serves. */
  onListed(): void;
  /** They cannot be listed or watched. */
  onUnavailable(resource: ApiResource, error: KeelsonError): void;
}

/** Watches the definitions' metadata. Without the right to do that the interval's look has to do. */
export function watchDefinitions(cluster: Cluster, listener: DefinitionListener, signal: AbortSignal): void {
  const start = async (gvk: GroupVersionKind): Promise<void> => {
    const resource = await findServed(cluster, gvk, signal);
    if (resource === undefined) return;
    let wasListed = false;
    const heart = cluster.watchdog?.heart("watches", resource.kind);
    const reflector = new Reflector<string>({
      heart,
      client: cluster.client,
      clock: cluster.clock,
      resource,
      metadataOnly: true,
      project: (object) => object.metadata.resourceVersion ?? "",
      onEvent: (event) => {
        // A list after the first one tells what has changed while the watch was broken.
        if (event.kind === "delete" || (event.kind === "upsert" && (wasListed || !event.initial))) listener.onChange();
        if (event.kind === "unavailable") listener.onUnavailable(resource, event.error);
        if (event.kind !== "synced" || wasListed) return;
        wasListed = true;
        listener.onListed();
      },
    });
    await reflector.run(signal);
  };
  for (const gvk of DEFINING) start(gvk).catch(() => {});
}

/** Asks until discovery answers: a failure at the start must not cost the watch for good. */
async function findServed(
  { client, clock }: Cluster,
  gvk: GroupVersionKind,
  signal: AbortSignal,
): Promise<ApiResource | undefined> {
  const backoff = new Backoff(DISCOVERY_BACKOFF, clock);
  for (;;) {
    try {
      return await client.discovery.find(gvk, signal);
    } catch (error) {
      if (isAborted(error)) throw error;
    }
    await clock.sleep(backoff.next(), signal);
  }
}

const DISCOVERY_BACKOFF = { baseMs: 500, maxMs: 60_000 } as const;
