import type { KeelsonError } from "../errors/index.ts";

/** When a failed object is tried again. */
export type Requeue =
  /** After its own back-off. */
  | { readonly kind: "back-off"; readonly atLeastMs: number }
  /** Only when its file, its kind or the live object changes. */
  | { readonly kind: "on-change" }
  /** Look at the live object first, then at once. */
  | { readonly kind: "look-again" }
  /** As soon as the API server answers again; where it does and the same happens, after a back-off. */
  | { readonly kind: "when-reachable" }
  /** Not by us: the work was stopped. */
  | { readonly kind: "stopped" };

/** One of the two places that map an error to something else (the other maps it to an exit code). */
export function requeueAfter(error: KeelsonError): Requeue {
  switch (error.code) {
    case "Aborted":
    case "NotLeader":
    case "AnotherInstance":
      return { kind: "stopped" };
    case "Unreachable":
      return { kind: "when-reachable" };
    case "Conflict":
      return { kind: "look-again" };
    case "SchemaError":
    case "Immutable":
    case "Refused":
    case "InvalidManifest":
      return { kind: "on-change" };
    // BadRequest among them: it is also how a webhook refuses, which may change its mind.
    default:
      return { kind: "back-off", atLeastMs: error.retryAfterMs ?? 0 };
  }
}
