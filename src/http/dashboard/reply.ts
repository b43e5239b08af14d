import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { isKeelsonError, type KeelsonError } from "../../errors/index.ts";
import { escapeControls } from "../../log/index.ts";
import type { Reply, RouteRequest } from "../route.ts";
import { acceptsGzip } from "./pages.ts";
import type { ApiError } from "./types.ts";

const pack = promisify(gzip);
/** Smaller answers gain nothing. */
const WORTH_PACKING = 2_000;
const MAX_MESSAGE = 2_000;

/** A value as JSON, packed where it is long and the client takes that. */
export async function jsonAnswer(
  request: Pick<RouteRequest, "header">,
  value: unknown,
  status: number = 200,
): Promise<Reply> {
  const text = JSON.stringify(value);
  const contentType = "application/json; charset=utf-8";
  if (text.length < WORTH_PACKING || !acceptsGzip(request.header("accept-encoding")))
    return { status, contentType, body: text };
  const body = await pack(text, { level: 4 });
  return { status, contentType, headers: { "content-encoding": "gzip", vary: "accept-encoding" }, body };
}

/** An answer that is no success. */
export function errorAnswer(status: number, message: string): Reply {
  const error: ApiError = { error: escapeControls(message.slice(0, MAX_MESSAGE)) };
  return { status, contentType: "application/json; charset=utf-8", body: JSON.stringify(error) };
}

/** The answer of `work`; what a user can understand of a failure is told, faults of ours are thrown on. */
export async function answering(request: RouteRequest, work: () => unknown): Promise<Reply> {
  try {
    return await jsonAnswer(request, await work());
  } catch (error) {
    if (isKeelsonError(error) && error.disposition !== "internal") return errorAnswer(statusOf(error), error.message);
    throw error;
  }
}

function statusOf(error: KeelsonError): number {
  if (error.code === "NotFound") return 404;
  if (error.code === "Refused") return 409;
  return error.disposition === "user" ? 400 : 502;
}
