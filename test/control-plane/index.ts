/**
 * The test bed: a real control plane (etcd, kube-apiserver, kube-controller-manager) on loopback, and a proxy that
 * injects faults in front of it.
 *
 * Invariants: a suite has a plane of its own; everything that a plane starts or writes is gone after `stop()`, and also
 * where the test process is killed; requests are counted by the API server (audit log) or by the proxy, never by the
 * code under test.
 *
 * It deliberately shares no code with src/: the client under test must not be its own oracle. It never builds the
 * programs (`make control-plane-build` does), and has no kubelet: Pods stay Pending.
 */
export type { AuditedRequest } from "./audit-log.ts";
export { type Availability, type Binaries, findBinaries, repositoryRoot } from "./binaries.ts";
export { type Certificate, createLoopbackCertificate } from "./certificate.ts";
export {
  type ApiObject,
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
  type User,
} from "./control-plane.ts";
export { describeWithControlPlane, type GetControlPlane } from "./describe-with-control-plane.ts";
export { TestBedError } from "./errors.ts";
export { type EventuallyOptions, eventually, type Held } from "./eventually.ts";
export type { Fault, FaultAction, FaultMatch, ProxiedRequest } from "./fault.ts";
export { type FaultProxy, type FaultProxyOptions, startFaultProxy } from "./fault-proxy.ts";
export { type KubectlArguments, type KubectlOptions, type KubectlResult, runKubectl } from "./kubectl.ts";
