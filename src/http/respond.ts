import type { IncomingMessage, ServerResponse } from "node:http";
import { hasBody } from "./request-body.ts";
import type { Reply, ReplyStream } from "./route.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";

/** Sends a whole reply, or nothing where one has begun. */
export function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  if (response.headersSent || response.destroyed) return;
  const { body } = reply;
  if (typeof body === "function") return;
  writeHead(request, response, reply);
  response.setHeader("content-length", typeof body === "string" ? Buffer.byteLength(body) : body.byteLength);
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Sends the head of a streaming reply and lets its body write itself. Rejects with what the body throws. */
export async function sendStream(
  response: ServerResponse,
  body: (out: ReplyStream) => Promise<void>,
  out: ReplyStream,
): Promise<void> {
  response.flushHeaders();
  await body(out);
  response.end();
}

/** Status and headers. */
export function writeHead(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  response.setHeader("content-type", reply.contentType ?? "text/plain; charset=utf-8");
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if (hasBody(request) && !request.complete) response.setHeader("connection", "close");
}
