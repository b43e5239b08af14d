import type { AdmissionCluster } from "./admission-cluster.ts";
import { reviewConfig } from "./admission-config.ts";
import { faultOnNodes } from "./admission-nodes.ts";
import { faultOfPolicy, mutatePolicy, type PolicyRules } from "./admission-policy.ts";
import { reviewPool } from "./admission-pool.ts";
import { type AdmissionRequest, ALLOWED, type Reviewer, type Verdict } from "./admission-review.ts";
import { parsePolicy } from "./node-policy.ts";

/** What the rules depend on. */
export interface AdmissionContext extends PolicyRules {
  /** The operator's namespace. */
  readonly namespace: string;
  readonly cluster: AdmissionCluster;
}

/** The reviewers by the paths under which the webhook configurations name them. */
export function reviewers(context: AdmissionContext): Readonly<Record<string, Reviewer>> {
  return {
    "/mutating-custom-resource": async ({ kind, operation, object }) =>
      kind === "SriovNetworkNodePolicy" && operation !== "DELETE"
        ? { kind: "allowed", patch: mutatePolicy(object) }
        : ALLOWED,
    "/validating-custom-resource": (request) => validate(request, context),
  };
}

async function validate(request: AdmissionRequest, context: AdmissionContext): Promise<Verdict> {
  switch (request.kind) {
    case "SriovOperatorConfig":
      return reviewConfig(request, context.namespace, context.cluster);
    case "SriovNetworkNodePolicy":
      return reviewPolicy(request, context);
    case "SriovNetworkPoolConfig":
      return reviewPool(request.object);
    default:
      return ALLOWED;
  }
}

async function reviewPolicy(request: AdmissionRequest, context: AdmissionContext): Promise<Verdict> {
  const policy = parsePolicy(request.object);
  const { namespace, cluster } = context;
  if (request.operation === "DELETE" || (policy.name === "default" && policy.namespace === namespace)) return ALLOWED;
  const warnings =
    policy.namespace === namespace
      ? []
      : [`it is created in namespace ${policy.namespace}, and has an effect in ${namespace} only`];
  const reason = faultOfPolicy(policy, context) ?? (await faultOnNodes(policy, context, cluster));
  return reason === undefined ? { kind: "allowed", warnings } : { kind: "denied", reason, warnings };
}
