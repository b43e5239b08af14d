import type { Clock } from "../async/index.ts";
import { isKeelsonError, KeelsonError } from "../errors/index.ts";
import { type ApiResource, type KubeClient, Reflector, type ReflectorEvent, type Target } from "../kube/index.ts";
import { isJsonObject, type KubeObject, PART_OF_LABEL } from "../object/index.ts";
import {
  LEASE_NAMESPACE,
  type Lease,
  type LeaseEvent,
  type LeaseStore,
  type LeaseWatch,
  type StoredLease,
} from "./lease.ts";

/** Served by every API server since 1.14, so that an election needs no discovery. */
const LEASES: ApiResource = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  resource: "leases",
  namespaced: true,
  verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
  subresources: [],
};

/** Which Lease of which cluster. */
export interface KubeLeaseOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly name: string;
  /** Default kube-system. */
  readonly namespace?: string;
  /** Writes it; default `keelson`. */
  readonly fieldManager?: string;
}

/** One Lease, to read, write and watch. Watching it costs one request until it changes. */
export function kubeLease(options: KubeLeaseOptions): LeaseStore & LeaseWatch {
  const { client, clock, name, namespace = LEASE_NAMESPACE, fieldManager = "keelson" } = options;
  const target: Target = { namespace, name };
  return {
    async get(signal) {
      try {
        return storedLease(await client.get(LEASES, target, { signal }));
      } catch (error) {
        if (isKeelsonError(error, "NotFound")) return undefined;
        throw error;
      }
    },
    async create(lease, signal) {
      const metadata = { name, namespace, labels: { [PART_OF_LABEL]: "keelson" } };
      const body = JSON.stringify({
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata,
        spec: specOf(lease),
      });
      return storedLease((await client.create(LEASES, target, body, { signal, fieldManager })).object);
    },
    async update(lease, resourceVersion, signal) {
      // A merge patch leaves labels and owner references of others alone; the resourceVersion in it is the lock.
      const body = JSON.stringify({ metadata: { resourceVersion }, spec: specOf(lease) });
      return storedLease(
        (await client.patch(LEASES, target, { type: "merge", body }, { signal, fieldManager })).object,
      );
    },
    watch(signal, listener) {
      const reflector = new Reflector<StoredLease>({
        client,
        clock,
        resource: LEASES,
        namespace,
        fieldSelector: `metadata.name=${name}`,
        project: storedLease,
        onEvent: (event) => {
          const told = leaseEvent(event, () => reflector.get(target));
          if (told !== undefined) listener(told);
        },
      });
      return reflector.run(signal);
    },
  };
}

/** A list is told as a whole ("synced"), as it tells unchanged objects no other way. */
function leaseEvent(
  event: ReflectorEvent<StoredLease>,
  current: () => StoredLease | undefined,
): LeaseEvent | undefined {
  switch (event.kind) {
    case "upsert":
      return event.initial ? undefined : { kind: "seen", lease: event.record };
    case "delete":
      return { kind: "seen", lease: undefined };
    case "synced":
      return { kind: "seen", lease: current() };
    case "unavailable":
      return { kind: "unavailable", why: event.error.message };
    default:
      return undefined;
  }
}

function specOf(lease: Lease): Record<string, unknown> {
  return {
    // The API takes no empty holder; null removes the field in a patch.
    holderIdentity: lease.holderIdentity === "" ? null : lease.holderIdentity,
    leaseDurationSeconds: lease.leaseDurationSeconds,
    acquireTime: lease.acquireTime,
    renewTime: lease.renewTime,
    leaseTransitions: lease.leaseTransitions,
  };
}

function storedLease(object: KubeObject): StoredLease {
  const { uid, resourceVersion } = object.metadata;
  if (uid === undefined || resourceVersion === undefined) {
    throw new KeelsonError("Internal", "a stored Lease has no uid or no resourceVersion");
  }
  const { spec } = object;
  const fields = isJsonObject(spec) ? spec : {};
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const count = (value: unknown): number => (typeof value === "number" ? value : 0);
  return {
    uid,
    resourceVersion,
    holderIdentity: text(fields.holderIdentity),
    leaseDurationSeconds: count(fields.leaseDurationSeconds),
    acquireTime: text(fields.acquireTime),
    renewTime: text(fields.renewTime),
    leaseTransitions: count(fields.leaseTransitions),
  };
}
