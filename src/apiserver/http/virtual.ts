import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../object/index.ts";
import { deleteObject, getObject, methodNotAllowed, parseDeleteOptions, updateObject } from "../rest/index.ts";
import { formatTime } from "../schema/index.ts";
import { copyObject, ensureObject, objectAt, textAt } from "../strategy/index.ts";
import { type Answer, parseBody, type ResourceCall, writeRequest } from "./call.ts";

/** Kinds that are asked, not stored: everybody may do everything here. */
const REVIEWS: Readonly<Record<string, (body: JsonObject) => JsonObject>> = {
  SelfSubjectAccessReview: () => ({ allowed: true }),
  SubjectAccessReview: () => ({ allowed: true }),
  LocalSubjectAccessReview: () => ({ allowed: true }),
  SelfSubjectRulesReview: () => ({
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false,
  }),
  SelfSubjectReview: () => ({ userInfo: { username: "sandbox", groups: ["system:masters", "system:authenticated"] } }),
  TokenReview: () => ({ authenticated: true, user: { username: "sandbox" } }),
};

/** Answers requests that no stored object stands for; undefined for all others. */
export function answerVirtual(call: ResourceCall, method: string): Answer | undefined {
  const { api, name, subresource } = call.route;
  const review = REVIEWS[api.kind];
  if (review !== undefined && method === "POST") {
    const body = parseBody(call);
    return {
      status: 201,
      object: { ...body, metadata: { creationTimestamp: null }, status: review(body) },
      warnings: [],
    };
  }
  if (name === "" || method !== "POST") return finalizeNamespace(call, method);
  switch (`${api.table}/${subresource}`) {
    case "serviceaccounts/token":
      return issueToken(call);
    case "pods/eviction":
      return evict(call);
    case "pods/binding":
      return bind(call);
    default:
      if (subresource !== "") throw methodNotAllowed();
      return undefined;
  }
}

/** PUT of `namespaces/x/finalize` is the only way to change a namespace's own finalizers. */
function finalizeNamespace(call: ResourceCall, method: string): Answer | undefined {
  const { api, name, subresource } = call.route;
  if (api.table !== "namespaces" || subresource !== "finalize" || method !== "PUT") return undefined;
  const finalizers = objectAt(parseBody(call), "spec")?.finalizers;
  const request = writeRequest(call, "UpdateOptions");
  const stored = getObject(call.cluster, api, "", name);
  const draft = copyObject(stored);
  ensureObject(draft, "spec").finalizers = finalizers;
  const isGone =
    objectAt(stored, "metadata")?.deletionTimestamp !== undefined &&
    (!Array.isArray(finalizers) || finalizers.length === 0);
  if (isGone && !request.dryRun) call.cluster.store.delete(api.table, name);
  else if (!request.dryRun) call.cluster.store.put(api.table, name, draft);
  return { status: 200, object: draft, warnings: [] };
}

const HOUR_MS = 3_600_000;

function issueToken(call: ResourceCall): Answer {
  const { cluster, route } = call;
  getObject(cluster, route.api, route.namespace, route.name);
  const expirationTimestamp = formatTime(cluster.clock.now() + HOUR_MS);
  const status = { token: `sandbox-${randomUUID()}`, expirationTimestamp };
  return {
    status: 201,
    object: { ...parseBody(call), kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", status },
    warnings: [],
  };
}

function evict(call: ResourceCall): Answer {
  const { cluster, query } = call;
  deleteObject(
    cluster,
    { ...writeRequest(call, "CreateOptions"), subresource: "" },
    parseDeleteOptions(objectAt(parseBody(call), "deleteOptions"), query),
  );
  return {
    status: 201,
    object: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
    warnings: [],
  };
}

function bind(call: ResourceCall): Answer {
  const node = textAt(objectAt(parseBody(call), "target"), "name");
  updateObject(
    call.cluster,
    { ...writeRequest(call, "CreateOptions"), subresource: "binding" },
    {
      allowCreate: false,
      transform: (existing) => {
        const draft = copyObject(existing);
        ensureObject(draft, "spec").nodeName = node;
        return draft;
      },
    },
  );
  return {
    status: 201,
    object: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
    warnings: [],
  };
}
