import { applyObject } from "./apply.ts";
import type { Executed } from "./change-set.ts";
import type { Cluster } from "./cluster.ts";
import { ensureObject, relabelObject } from "./ensure.ts";
import { deleteObject, releaseObject } from "./prune.ts";
import type { Step } from "./step.ts";

/** Executes one step of a plan. Rejects with the classified error where it fails. */
export function executeStep(cluster: Cluster, step: Step, signal: AbortSignal): Promise<Executed> {
  switch (step.kind) {
    case "create":
    case "apply":
      return applyObject(cluster, step, signal);
    case "ensure":
      return ensureObject(cluster, step, signal);
    case "relabel":
      return relabelObject(cluster, step, signal);
    case "delete":
      return deleteObject(cluster, step, signal);
    case "release":
      return releaseObject(cluster, step, signal);
  }
}
