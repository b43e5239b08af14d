import { randomUUID } from "node:crypto";
import type { Cluster } from "../rest/index.ts";
import { formatMicroTime } from "../schema/index.ts";
import { ensureExists, mergeInto, requestFor } from "./objects.ts";

const RENEW_MS = 2_000;
const DURATION_SECONDS = 15;
const LEASE = { metadata: { name: "kube-controller-manager", namespace: "kube-system" } };

/** Holds the kube-controller-manager Lease as a manager on `host` would; the returned function lets it lapse. */
export function holdLease(cluster: Cluster, host: string): () => void {
  const api = cluster.apis.find("coordination.k8s.io", "v1", "leases");
  if (api === undefined) return () => {};
  const holderIdentity = `${host}_${randomUUID()}`;
  const manager = "kube-controller-manager";
  const acquireTime = formatMicroTime(cluster.clock.now());
  const renew = (): void => {
    const spec = {
      holderIdentity,
      acquireTime,
      renewTime: formatMicroTime(cluster.clock.now()),
      leaseDurationSeconds: DURATION_SECONDS,
      leaseTransitions: 0,
    };
    const { namespace, name } = requestFor(api, LEASE, manager);
    if (cluster.store.get(api.table, `${namespace}/${name}`) === undefined)
      ensureExists(cluster, api, { ...LEASE, spec }, manager);
    else mergeInto(cluster, { api, object: LEASE, manager }, { spec });
  };
  let stopTimer = (): void => {};
  const tick = (): void => {
    renew();
    stopTimer = cluster.clock.after(RENEW_MS, tick);
  };
  tick();
  return () => stopTimer();
}
