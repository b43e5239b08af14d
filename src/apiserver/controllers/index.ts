/**
 * # apiserver/controllers: what kube-controller-manager does, in small
 *
 * Default ServiceAccounts, namespace deletion, garbage collection by owner references, workloads that become ready,
 * the kube-controller-manager Lease.
 *
 * Invariants: controllers write through `rest` like everybody else, never inside another write; a pass that fails is
 * tried again with the next change.
 *
 * No ReplicaSets or Pods are made for workloads, no Endpoints for Services, no quota is counted.
 */
export { type Controllers, type ControllersOptions, startControllers } from "./start.ts";
