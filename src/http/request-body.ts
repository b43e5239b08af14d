import type { IncomingMessage } from "node:http";
import type { Reply } from "./route.ts";

/** A body that was read, or why it is not taken. */
export type BodyResult =
  | { readonly kind: "read"; readonly value: unknown }
  | { readonly kind: "refused"; readonly reply: Reply };

/** Whether the client announces a body. What follows an unread one on the connection cannot be told from it. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/** Reads a body of JSON, at most `maxBytes`; a client that goes away or sends too slowly is the server's business. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<BodyResult> {
  if (!hasBody(request)) return { kind: "read", value: undefined };
  if (request.headers["content-encoding"] !== undefined) return refused(415, "no content encoding is taken\n");
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge(maxBytes);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.byteLength;
    if (size > maxBytes) return tooLarge(maxBytes);
    parts.push(part);
  }
  try {
    return { kind: "read", value: JSON.parse(Buffer.concat(parts).toString("utf8")) };
  } catch {
    return refused(400, "the body is not JSON\n");
  }
}

function tooLarge(maxBytes: number): BodyResult {
  return refused(413, `the body is larger than ${maxBytes} bytes\n`);
}

function refused(status: number, body: string): BodyResult {
  return { kind: "refused", reply: { status, body } };
}
