/** A Lease (coordination.k8s.io/v1), as far as elections read it. */
export interface Lease {
  /** "" where nobody holds it. */
  readonly holderIdentity: string;
  /** Seconds; how long others wait after the last renewal before they take it. */
  readonly leaseDurationSeconds: number;
  /** RFC 3339 with microseconds; for people. Elections never compare it with a local clock. */
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How often the holder has changed. */
  readonly leaseTransitions: number;
}

/** A Lease as stored. */
export interface StoredLease extends Lease {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** One Lease in a cluster. */
export interface LeaseStore {
  /** Undefined where it is not there. */
  get(signal: AbortSignal): Promise<StoredLease | undefined>;
  /** Throws `AlreadyExists` where it is there. */
  create(lease: Lease, signal: AbortSignal): Promise<StoredLease>;
  /** Writes over `resourceVersion` only. Throws `Conflict` where it has moved on, `NotFound` where it is gone. */
  update(lease: Lease, resourceVersion: string, signal: AbortSignal): Promise<StoredLease>;
}

/** What a watch of one Lease tells. */
export type LeaseEvent =
  /** As it is now; `lease` is undefined where it is not there. */
  | { readonly kind: "seen"; readonly lease: StoredLease | undefined }
  /** It cannot be watched at present; "seen" follows once it can. */
  | { readonly kind: "unavailable"; readonly why: string };

/** A watch on one Lease. */
export interface LeaseWatch {
  /** Tells `listener` synchronously of every change until `signal` fires; then resolves or rejects with `Aborted`. */
  watch(signal: AbortSignal, listener: (event: LeaseEvent) => void): Promise<void>;
}

/** Where the controller manager's Lease lies, and our own. */
export const LEASE_NAMESPACE = "kube-system";
/** The Lease that is followed by default. */
export const CONTROLLER_MANAGER_LEASE = "kube-controller-manager";

/** Name of our own Lease; `set` is "" for the only set. */
export function ownLeaseName(set: string): string {
  return set === "" ? "keelson-addon" : `keelson-addon-${set}`;
}
