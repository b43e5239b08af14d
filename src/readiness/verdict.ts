/**
 * - `Current`: the cluster has done what the object asks for.
 * - `InProgress`: it is at it.
 * - `Failed`: it has given up, or cannot do it as it stands.
 * - `Terminating`: the object is being deleted.
 * - `NotFound`: there is no object.
 */
export type ReadinessKind = "Current" | "InProgress" | "Failed" | "Terminating" | "NotFound";

/** An object's readiness and the reason, for people. */
export interface Readiness {
  readonly kind: ReadinessKind;
  readonly message: string;
}

/** A rule's answer where it has found nothing that stands in the way. */
export function current(message: string): Readiness {
  return { kind: "Current", message };
}

/** Work is going on. */
export function inProgress(message: string): Readiness {
  return { kind: "InProgress", message };
}

/** It will not become ready by itself. */
export function failed(message: string): Readiness {
  return { kind: "Failed", message };
}

/** The first rule that answers: rules are asked in order and stay silent where nothing is wrong. */
export function firstOf(...answers: readonly (Readiness | false)[]): Readiness | undefined {
  return answers.find((answer) => answer !== false);
}
