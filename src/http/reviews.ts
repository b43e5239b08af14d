import { KeelsonError } from "../errors/index.ts";
import { fieldOf, isJsonObject } from "../object/index.ts";

/** The part of an API client that reviews need. */
export interface ReviewApi {
  /** @throws KeelsonError where the API server does not answer, or refuses */
  raw(
    method: string,
    path: string,
    options: { readonly body: string; readonly signal: AbortSignal },
  ): Promise<{ readonly body: string }>;
}

/** A user as TokenReview tells and SubjectAccessReview asks. */
export interface ReviewedUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A non-resource request. */
export interface ReviewedRequest {
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
}

const TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
const ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** Whose token it is; undefined where it is nobody's. */
export async function reviewToken(
  api: ReviewApi,
  token: string,
  signal: AbortSignal,
): Promise<ReviewedUser | undefined> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
  const status = await ask(api, { path: TOKEN_REVIEWS, review, signal });
  const user = fieldOf(status, "user");
  const username = fieldOf(user, "username");
  if (fieldOf(status, "authenticated") !== true || typeof username !== "string" || username === "") return undefined;
  const uid = fieldOf(user, "uid");
  const groups = fieldOf(user, "groups");
  const extra = fieldOf(user, "extra");
  return {
    username,
    uid: typeof uid === "string" ? uid : "",
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === "string") : [],
    extra: isJsonObject(extra) ? extra : {},
  };
}

/** Whether the user may. */
export async function reviewAccess(
  api: ReviewApi,
  asked: { readonly user: ReviewedUser; readonly request: ReviewedRequest },
  signal: AbortSignal,
): Promise<boolean> {
  const { username: user, uid, groups, extra } = asked.user;
  const spec = { user, uid, groups, extra, nonResourceAttributes: asked.request };
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  const status = await ask(api, { path: ACCESS_REVIEWS, review, signal });
  return fieldOf(status, "allowed") === true && fieldOf(status, "denied") !== true;
}

async function ask(
  api: ReviewApi,
  what: { readonly path: string; readonly review: unknown; readonly signal: AbortSignal },
): Promise<unknown> {
  const { path, review, signal } = what;
  const { body } = await api.raw("POST", path, { body: JSON.stringify(review), signal });
  try {
    return fieldOf(JSON.parse(body), "status");
  } catch {
    // Not quoted: a review holds the token.
    throw new KeelsonError("ServerError", `POST ${path}: the answer is no JSON`);
  }
}
