/**
 * # kube: the API client
 *
 * Kubeconfig and in-cluster credentials, one keep-alive transport, the verbs, discovery, watch, the reflector that keeps
 * a projection of a kind's objects current, and the recorder of Events.
 *
 * Invariants: every failure is a `KeelsonError`, classified once from the server's answer (`classify.ts`); a request
 * that may have been carried out is repeated only where that is harmless; an aborted call has no socket left; whole
 * objects are never kept; credentials never appear in a message.
 *
 * It deliberately does not decide what to write, does not know any kind's fields beyond metadata, and has no
 * client-side apply, no strategic merge of its own, no HTTP/2, no protobuf and no SPDY (exec, attach, port-forward).
 */
export { type ClientSettings, createClient } from "./client.ts";
export type {
  Authentication,
  ClusterConfig,
  Environment,
  ExecPlugin,
  Impersonation,
  KubeconfigFlags,
  PemSource,
  TlsSettings,
} from "./cluster-config.ts";
export type { EventRecorder, EventRecorderOptions, RecordedEvent } from "./event-recorder.ts";
export { createEventRecorder } from "./event-recorder.ts";
export { fencedClient } from "./fenced-client.ts";
export type {
  ApplyOptions,
  ClientObserver,
  DeleteOptions,
  DeleteResult,
  Discovery,
  GetOptions,
  KubeClient,
  ListOptions,
  ListPage,
  Patch,
  RawOptions,
  RawResponse,
  RequestOptions,
  Selection,
  SubresourceWriteOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
  WriteResult,
} from "./kube-client.ts";
export { type KubeconfigSources, loadKubeconfig } from "./load-kubeconfig.ts";
export { createPlainClient } from "./plain-client.ts";
export { Reflector, type ReflectorEvent, type ReflectorOptions } from "./reflector.ts";
export type { ApiResource, Target } from "./resource.ts";
