/** What a metric is, how it is called, and what it tells. */
export interface MetricSpec {
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  readonly help: string;
  /** Upper bounds of a histogram's buckets, in the metric's unit. */
  readonly buckets?: readonly number[];
}

/** From a cached answer on the same host to a request that has given up. */
const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
/** A pass is memory alone where nothing has to be asked for. */
const PASS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

/** Name of a metric. */
export type MetricName =
  | "keelson_build_info"
  | "keelson_api_reachable"
  | "keelson_api_requests_total"
  | "keelson_api_request_duration_seconds"
  | "keelson_watch_restarts_total"
  | "keelson_objects"
  | "keelson_objects_converged"
  | "keelson_objects_blocked"
  | "keelson_objects_failed"
  | "keelson_plan_steps"
  | "keelson_changes_total"
  | "keelson_drift_repairs_total"
  | "keelson_pass_duration_seconds"
  | "keelson_converged"
  | "keelson_last_converged_timestamp_seconds"
  | "keelson_synced"
  | "keelson_unavailable_kinds"
  | "keelson_problems"
  | "keelson_prunes_held"
  | "keelson_objects_contested"
  | "keelson_fights_total"
  | "keelson_leader"
  | "keelson_leadership_terms_total"
  | "keelson_self_check_misses_total"
  | "keelson_revision"
  | "keelson_revisions_recorded_total"
  | "keelson_revision_held"
  | "keelson_pauses"
  | "keelson_journal_writable"
  | "keelson_journal_gaps_total"
  | "keelson_journal_lost_lines_total"
  | "keelson_stuck_loops"
  | "process_cpu_seconds_total"
  | "process_resident_memory_bytes"
  | "process_start_time_seconds"
  | "process_open_fds"
  | "process_max_fds"
  | "nodejs_heap_size_total_bytes"
  | "nodejs_heap_size_used_bytes"
  | "nodejs_external_memory_bytes"
  | "nodejs_eventloop_busy_seconds_total";

/**
 * Every metric, by name. Units and suffixes follow Prometheus' conventions; the values of every label are bounded, and
 * none names an object. `docs/reference/metrics.md` is checked against this table.
 */
export const METRICS: Readonly<Record<MetricName, MetricSpec>> = {
  keelson_build_info: { type: "gauge", labels: ["version", "node"], help: "1; its labels say what runs." },
  keelson_api_reachable: {
    type: "gauge",
    labels: [],
    help: "1 where the API server answered the last request, else 0.",
  },
  keelson_api_requests_total: {
    type: "counter",
    labels: ["verb", "resource", "code"],
    help: "Requests sent to the API server, each attempt; code 0: no answer came. Writes are the verbs apply, create, update, patch and delete.",
  },
  keelson_api_request_duration_seconds: {
    type: "histogram",
    labels: ["verb"],
    buckets: REQUEST_SECONDS,
    help: "Time to the whole answer of the API server; to its headers for a watch.",
  },
  keelson_watch_restarts_total: {
    type: "counter",
    labels: ["resource", "reason"],
    help: "Watches that ended and were started again; reason ended is the regular end of a stream.",
  },
  keelson_objects: {
    type: "gauge",
    labels: ["controller", "mode", "readiness"],
    help: "Desired objects by their mode and by what the cluster has made of them (kstatus).",
  },
  keelson_objects_converged: {
    type: "gauge",
    labels: ["controller"],
    help: "Desired objects that are as declared.",
  },
  keelson_objects_blocked: {
    type: "gauge",
    labels: ["controller"],
    help: "Desired objects that wait for something else, such as their kind.",
  },
  keelson_objects_failed: {
    type: "gauge",
    labels: ["controller", "code"],
    help: "Objects whose last step failed, by the error's code.",
  },
  keelson_plan_steps: {
    type: "gauge",
    labels: ["controller", "action"],
    help: "Steps that are to be taken now: the size of the plan.",
  },
  keelson_changes_total: {
    type: "counter",
    labels: ["controller", "outcome"],
    help: "Steps taken, by what became of them.",
  },
  keelson_drift_repairs_total: {
    type: "counter",
    labels: ["controller", "kind", "manager"],
    help: "Objects put right after somebody else had changed or deleted them, by the field manager that did where that is known.",
  },
  keelson_pass_duration_seconds: {
    type: "histogram",
    labels: ["controller"],
    buckets: PASS_SECONDS,
    help: "Time of a full pass over all objects, without the steps that it asks for.",
  },
  keelson_converged: {
    type: "gauge",
    labels: ["controller"],
    help: "1 where every desired object is as declared, else 0. Only a leader knows.",
  },
  keelson_last_converged_timestamp_seconds: {
    type: "gauge",
    labels: ["controller"],
    help: "When every desired object was last seen to be as declared, in seconds since the epoch.",
  },
  keelson_synced: {
    type: "gauge",
    labels: ["controller"],
    help: "1 where every kind that is watched has been listed, else 0.",
  },
  keelson_unavailable_kinds: {
    type: "gauge",
    labels: ["controller"],
    help: "Kinds that cannot be listed or watched.",
  },
  keelson_problems: {
    type: "gauge",
    labels: ["controller"],
    help: "Things wrong with the source: unreadable files, documents that are no objects, duplicates.",
  },
  keelson_prunes_held: {
    type: "gauge",
    labels: ["controller", "reason"],
    help: "Objects that prune leaves alone until somebody decides, by the rule that holds them.",
  },
  keelson_objects_contested: {
    type: "gauge",
    labels: ["controller"],
    help: "Objects of which a field is changed back again and again by another manager.",
  },
  keelson_fights_total: { type: "counter", labels: ["controller"], help: "Fights that have begun." },
  keelson_leader: {
    type: "gauge",
    labels: ["controller"],
    help: "1 where this instance leads, else 0.",
  },
  keelson_leadership_terms_total: {
    type: "counter",
    labels: ["controller"],
    help: "Times that this instance has become the leader.",
  },
  keelson_self_check_misses_total: {
    type: "counter",
    labels: ["controller"],
    help: "Drift that the self-check found and no event had told.",
  },
  keelson_revision: {
    type: "gauge",
    labels: ["controller"],
    help: "Number of the latest revision of the set that was recorded.",
  },
  keelson_revisions_recorded_total: {
    type: "counter",
    labels: ["controller"],
    help: "Revisions that this instance has recorded.",
  },
  keelson_revision_held: {
    type: "gauge",
    labels: ["controller"],
    help: "Number of the revision that is held after a rollback, 0 where the files count.",
  },
  keelson_pauses: {
    type: "gauge",
    labels: ["controller"],
    help: "Pauses in force: of everything, of a namespace, of an object.",
  },
  keelson_journal_writable: {
    type: "gauge",
    labels: ["controller"],
    help: "1 where the audit journal takes lines, else 0.",
  },
  keelson_journal_gaps_total: {
    type: "counter",
    labels: ["controller"],
    help: "Gaps that had to be recorded in the audit journal.",
  },
  keelson_journal_lost_lines_total: {
    type: "counter",
    labels: ["controller"],
    help: "Lines of the audit journal that were lost because nothing could be written for too long.",
  },
  keelson_stuck_loops: {
    type: "gauge",
    labels: [],
    help: "Loops that no longer go round: what makes /livez fail.",
  },
  process_cpu_seconds_total: {
    type: "counter",
    labels: [],
    help: "Total user and system CPU time spent in seconds.",
  },
  process_resident_memory_bytes: { type: "gauge", labels: [], help: "Resident memory size in bytes." },
  process_start_time_seconds: {
    type: "gauge",
    labels: [],
    help: "Start time of the process since unix epoch in seconds.",
  },
  process_open_fds: { type: "gauge", labels: [], help: "Number of open file descriptors." },
  process_max_fds: { type: "gauge", labels: [], help: "Maximum number of open file descriptors." },
  nodejs_heap_size_total_bytes: { type: "gauge", labels: [], help: "Size of the JavaScript heap in bytes." },
  nodejs_heap_size_used_bytes: { type: "gauge", labels: [], help: "Used part of the JavaScript heap in bytes." },
  nodejs_external_memory_bytes: {
    type: "gauge",
    labels: [],
    help: "Memory that is bound to JavaScript objects outside of the heap, in bytes.",
  },
  nodejs_eventloop_busy_seconds_total: {
    type: "counter",
    labels: [],
    help: "Time that the event loop has spent working rather than waiting, in seconds.",
  },
};
