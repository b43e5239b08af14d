/**
 * Who can mend a failure.
 * - `user`: the input is wrong (a manifest, a flag, missing rights); repeating it changes nothing until someone edits.
 * - `transient`: the same request may work later (conflict, throttling, a server that is down).
 * - `terminal`: it cannot work in this process (lost leadership, stopped, refused by a guard).
 * - `internal`: a fault of Keelson itself.
 */
export type Disposition = "user" | "transient" | "terminal" | "internal";

/** A stable identifier of a failure's kind; never reworded once released. */
export type ErrorCode =
  | "InvalidFlag"
  | "InvalidKubeconfig"
  | "Unreadable"
  | "InvalidYaml"
  | "InvalidManifest"
  | "UnrenderedTemplate"
  | "InvalidTemplate"
  | "DuplicateObject"
  | "LimitExceeded"
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "NoMatch"
  | "AlreadyExists"
  | "Conflict"
  | "NamespaceNotFound"
  | "NamespaceTerminating"
  | "Expired"
  | "Invalid"
  | "Immutable"
  | "SchemaError"
  | "TrackingUnreliable"
  | "TooManyRequests"
  | "ServerError"
  | "BadRequest"
  | "Unreachable"
  | "Timeout"
  | "CredentialPlugin"
  | "Aborted"
  | "NotLeader"
  | "AnotherInstance"
  | "Refused"
  | "PlanStale"
  | "Internal";

/**
 * Every code, with its disposition and its one-line meaning. `docs/reference/errors.md` is checked against this table.
 */
export const ERROR_CODES: Readonly<Record<ErrorCode, { readonly disposition: Disposition; readonly meaning: string }>> =
  {
    // Settings and files
    InvalidFlag: { disposition: "user", meaning: "a flag or environment variable has a malformed value" },
    InvalidKubeconfig: {
      disposition: "user",
      meaning: "the kubeconfig cannot be read or names something it does not hold",
    },
    Unreadable: { disposition: "user", meaning: "a file or directory cannot be read" },
    InvalidYaml: { disposition: "user", meaning: "a document is not YAML as kubectl reads it" },
    InvalidManifest: { disposition: "user", meaning: "a document is YAML but no usable Kubernetes object" },
    UnrenderedTemplate: { disposition: "user", meaning: "a document still holds template placeholders" },
    InvalidTemplate: { disposition: "user", meaning: "a Go template cannot be parsed, or fails while it renders" },
    DuplicateObject: { disposition: "user", meaning: "the same object is declared twice" },
    LimitExceeded: { disposition: "user", meaning: "an input is larger than the limit that protects the process" },
    // Answers of the API server
    Unauthorized: { disposition: "user", meaning: "the API server does not accept the credentials (401)" },
    Forbidden: { disposition: "user", meaning: "the credentials lack a right (403)" },
    NotFound: { disposition: "transient", meaning: "the object is not there (404)" },
    NoMatch: { disposition: "transient", meaning: "the API server does not serve this kind or version" },
    AlreadyExists: { disposition: "transient", meaning: "an object of that name is there already (409)" },
    Conflict: {
      disposition: "transient",
      meaning: "a precondition no longer holds, or another manager owns the field (409)",
    },
    NamespaceNotFound: { disposition: "transient", meaning: "the object's namespace is not there" },
    NamespaceTerminating: { disposition: "transient", meaning: "the object's namespace is being deleted" },
    Expired: { disposition: "transient", meaning: "the resourceVersion is too old (410)" },
    Invalid: { disposition: "user", meaning: "the API server refuses the object's content (422)" },
    Immutable: { disposition: "user", meaning: "the change touches a field that cannot be changed (422)" },
    SchemaError: { disposition: "user", meaning: "the manifest does not fit the kind's schema" },
    TrackingUnreliable: {
      disposition: "transient",
      meaning: "managedFields name a version that is gone; entries need migration",
    },
    TooManyRequests: { disposition: "transient", meaning: "the API server throttles (429)" },
    ServerError: { disposition: "transient", meaning: "the API server failed (5xx)" },
    BadRequest: { disposition: "user", meaning: "the API server cannot read the request (400, 405, 413, 415)" },
    Unreachable: { disposition: "transient", meaning: "the API server cannot be reached, or the connection broke" },
    Timeout: { disposition: "transient", meaning: "no answer within the request timeout" },
    CredentialPlugin: { disposition: "user", meaning: "the kubeconfig's exec plugin failed" },
    // Decisions
    Aborted: { disposition: "terminal", meaning: "the work was stopped: shutdown, or leadership was lost" },
    NotLeader: { disposition: "terminal", meaning: "another instance leads" },
    AnotherInstance: { disposition: "terminal", meaning: "another live instance acts on this set" },
    Refused: { disposition: "user", meaning: "a guard refuses: the message says which and what to do" },
    PlanStale: {
      disposition: "user",
      meaning: "the cluster or the directory moved since the plan was made: plan again",
    },
    Internal: { disposition: "internal", meaning: "a fault of Keelson itself: please report it" },
  };
