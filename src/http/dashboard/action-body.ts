import { isJsonObject } from "../../object/index.ts";
import type { ActionName, ActionOrder, ActionRequest, PauseTarget } from "./types.ts";

/** Every action, as in `/api/v1/actions/NAME`. */
export const ACTION_NAMES: readonly ActionName[] = ["rollback", "resume", "pause", "unpause", "confirm-prune"];

const MAX_TEXT = 1000;
const LONGEST_PAUSE_MS = 31 * 24 * 3_600_000;

/** Reads what a client sent; undefined where it is no action. */
export function parseActionRequest(body: unknown): ActionRequest | undefined {
  if (!isJsonObject(body)) return undefined;
  switch (body.kind) {
    case "rollback":
      return isRevision(body.revision)
        ? { kind: "rollback", revision: body.revision, ...reasonOf(body.reason) }
        : undefined;
    case "resume":
      return { kind: "resume" };
    case "pause": {
      const target = parseTarget(body.target);
      const { forMs } = body;
      if (target === undefined || !isSpan(forMs)) return undefined;
      return { kind: "pause", target, forMs, ...reasonOf(body.reason) };
    }
    case "unpause": {
      const target = parseTarget(body.target);
      return target === undefined ? undefined : { kind: "unpause", target };
    }
    case "confirm-prune":
      return isText(body.digest) ? { kind: "confirm-prune", digest: body.digest } : undefined;
    default:
      return undefined;
  }
}

/** Reads an order of the action `name`; undefined where it is none, or one of another action. */
export function parseActionOrder(name: ActionName, body: unknown): ActionOrder | undefined {
  if (!isJsonObject(body) || !isText(body.digest)) return undefined;
  const request = parseActionRequest(body.request);
  return request?.kind === name ? { request, digest: body.digest } : undefined;
}

function parseTarget(target: unknown): PauseTarget | undefined {
  if (!isJsonObject(target)) return undefined;
  if (target.kind === "object" && isText(target.key)) return { kind: "object", key: target.key };
  if (target.kind === "file" && isText(target.file)) return { kind: "file", file: target.file };
  return undefined;
}

function reasonOf(reason: unknown): { readonly reason?: string } {
  return isText(reason) ? { reason } : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_TEXT;
}

function isRevision(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function isSpan(value: unknown): value is number {
  return typeof value === "number" && value >= 1000 && value <= LONGEST_PAUSE_MS;
}
