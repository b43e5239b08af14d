import { messageOf } from "../../errors/index.ts";
import { fieldOf, isJsonObject, type JsonObject, type KubeObject } from "../../object/index.ts";

/** What is asked about one write, as far as the rules read it (admission.k8s.io/v1). */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: string;
  readonly operation: string;
  /** What is to be stored; of a delete, what is to go. */
  readonly object: KubeObject;
}

/** One operation of the JSON patch that an answer carries. */
export interface MutationOperation {
  readonly op: "add";
  readonly path: string;
  readonly value: unknown;
}

/** The answer to a review. */
export type Verdict =
  | { readonly kind: "allowed"; readonly warnings?: readonly string[]; readonly patch?: readonly MutationOperation[] }
  /** A rule is violated; `reason` says which. */
  | { readonly kind: "denied"; readonly reason: string; readonly warnings?: readonly string[] }
  /** The object cannot be read. */
  | { readonly kind: "undecodable"; readonly message: string };

/** Judges one request. */
export type Reviewer = (request: AdmissionRequest) => Promise<Verdict>;

/** A write that nothing speaks against. */
export const ALLOWED: Verdict = { kind: "allowed" };

/** The answer to a body; undefined where it is no review at all (HTTP 400). Never rejects: what fails is a denial. */
export async function answerReview(body: string, review: Reviewer): Promise<JsonObject | undefined> {
  const request = requestIn(body);
  if (request === undefined) return undefined;
  const uid = String(request.uid ?? "");
  const verdict = await judge(request, uid, review);
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, ...responseOf(verdict) } };
}

async function judge(request: JsonObject, uid: string, review: Reviewer): Promise<Verdict> {
  const operation = String(request.operation ?? "");
  const kind = String(fieldOf(request.kind, "kind") ?? "");
  // A delete has no new object (sriov-network-operator, openshift#403).
  const object = operation === "DELETE" ? request.oldObject : request.object;
  if (!isJsonObject(object) || !isJsonObject(object.metadata)) {
    return {
      kind: "undecodable",
      message: `the ${operation === "DELETE" ? "old " : ""}object of the request cannot be read`,
    };
  }
  try {
    return await review({ uid, kind, operation, object: object as KubeObject });
  } catch (error) {
    return { kind: "denied", reason: messageOf(error) };
  }
}

function requestIn(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const isReview =
      isJsonObject(value) && value.apiVersion === "admission.k8s.io/v1" && value.kind === "AdmissionReview";
    return isReview && isJsonObject(value.request) ? value.request : undefined;
  } catch {
    return undefined;
  }
}

function responseOf(verdict: Verdict): JsonObject {
  switch (verdict.kind) {
    case "undecodable":
      return { allowed: false, status: { message: verdict.message } };
    case "denied":
      return { allowed: false, status: { reason: verdict.reason }, ...warningsOf(verdict.warnings) };
    case "allowed": {
      const { patch = [], warnings } = verdict;
      const patched = { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
      return { allowed: true, ...warningsOf(warnings), ...(patch.length === 0 ? {} : patched) };
    }
  }
}

function warningsOf(warnings: readonly string[] = []): JsonObject {
  return warnings.length === 0 ? {} : { warnings };
}
