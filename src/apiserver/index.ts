/**
 * # apiserver: the embedded API server
 *
 * A small Kubernetes 1.37 API server in process, on the loopback interface: for the sandbox, the demo, offline plans, and
 * for tests where the real control plane is missing. Server-side apply is exact: `merge` and `managers` follow
 * structured-merge-diff 6 and kube-apiserver's field managers, and a differential test holds them against the real
 * server.
 *
 * Invariants: shares no code with `kube` and `converge` (client and oracle must not err together); requests are atomic;
 * nothing leaves the process but on 127.0.0.1.
 *
 * What it does not do, beside what `docs/reference/sandbox.md` lists: authentication and authorization, admission
 * webhooks and policies, conversion webhooks, CEL, API priority and fairness, aggregated API servers, protobuf, audit;
 * pods never run. Validation covers the common rules of common kinds.
 */
export { type ApiServer, type ApiServerOptions, startApiServer } from "./server.ts";
export type { StoreSnapshot } from "./storage/index.ts";
