/**
 * # readiness: has the cluster done what an object asks for?
 *
 * The rules of kstatus (kubernetes-sigs/cli-utils), so that Keelson, kubectl plug-ins and other GitOps tools say the
 * same of the same object.
 *
 * Invariants: pure, no clock: the same object always has the same readiness; an unknown kind without conditions is
 * Current as soon as it exists.
 *
 * It does not wait, watch, or judge whether the object is the desired one.
 */
export { readinessOf } from "./readiness.ts";
export type { Readiness, ReadinessKind } from "./verdict.ts";
