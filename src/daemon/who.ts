import { hostname, userInfo } from "node:os";
import { isAborted } from "../errors/index.ts";
import type { KubeClient } from "../kube/index.ts";
import { isJsonObject } from "../object/index.ts";
import type { Environment } from "./operations.ts";

const REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

/**
 * Who asks, for journal, history and status: the name by which the API server knows the credentials, and the user of this
 * machine: `kubernetes-admin (alice@cp-1)`. Where the server does not tell (before 1.28, or not allowed): `alice@cp-1`.
 */
export async function whoAsks(client: KubeClient, environment: Environment, signal: AbortSignal): Promise<string> {
  const here = `${localUser(environment)}@${hostname()}`;
  const known = await apiUser(client, signal);
  return known === undefined ? here : `${known} (${here})`;
}

function localUser({ SUDO_USER, USER }: Environment): string {
  if (SUDO_USER !== undefined && SUDO_USER !== "") return SUDO_USER;
  if (USER !== undefined && USER !== "") return USER;
  try {
    return userInfo().username;
  } catch {
    // A container's user often has no entry in its passwd file.
    return String(process.getuid?.() ?? "unknown");
  }
}

async function apiUser(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  try {
    const answer: unknown = JSON.parse((await client.raw("POST", REVIEW, { body, signal })).body);
    const status = isJsonObject(answer) && isJsonObject(answer.status) ? answer.status : {};
    const name = isJsonObject(status.userInfo) ? status.userInfo.username : undefined;
    return typeof name === "string" && name !== "" ? name : undefined;
  } catch (error) {
    if (isAborted(error)) throw error;
    return undefined;
  }
}
