/**
 * # leader-election: who acts
 *
 * Three electors behind one contract: {@link LeaseFollower} leads where the controller manager of this host does,
 * {@link LeaseHolder} holds a Lease of our own, {@link alwaysLeader} always leads. {@link runWhileLeading} runs work in
 * each leading term and stops it at the instant the loss is seen.
 *
 * Invariants: a lead ends here before anybody else can take it; no decision depends on the wall clock; never two terms'
 * work at a time; the Lease is released only after the work has ended.
 *
 * It does not know what the work is, and does not keep two instances apart that both act always (election off).
 */
export { alwaysLeader } from "./always.ts";
export { type KubeLeaseOptions, kubeLease } from "./kube-lease.ts";
export type { LeaderElector, LeaderState } from "./leader-elector.ts";
export {
  CONTROLLER_MANAGER_LEASE,
  LEASE_NAMESPACE,
  type Lease,
  type LeaseEvent,
  type LeaseStore,
  type LeaseWatch,
  ownLeaseName,
  type StoredLease,
} from "./lease.ts";
export { LeaseFollower, type LeaseFollowerOptions } from "./lease-follower.ts";
export { LeaseHolder, type LeaseHolderOptions } from "./lease-holder.ts";
export {
  type LeadingTerm,
  type RunWhileLeadingOptions,
  runWhileLeading,
  waitUntilDecided,
} from "./run-while-leading.ts";
