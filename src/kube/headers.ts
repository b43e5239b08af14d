import type { IncomingHttpHeaders } from "node:http";
import type { Impersonation } from "./cluster-config.ts";

/** Longest wait that a server may ask for. */
const maxRetryAfterMs = 60_000;

/** `Retry-After` in milliseconds, at most 60 s; `nowMs` is the wall clock, for its date form. */
export function retryAfterOf(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}

/** The texts of `Warning: 299 - "…"` headers (RFC 7234 5.5); Node has joined several by commas. */
export function warningsOf(headers: IncomingHttpHeaders): readonly string[] {
  const text = headers.warning;
  if (text === undefined) return [];
  // Header bytes arrive as latin1; the server writes UTF-8.
  const header = Buffer.from(text.toString(), "latin1").toString("utf8");
  return [...header.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = ""]) =>
    quoted.replace(/\\(.)/g, "$1"),
  );
}

/** `Impersonate-…` headers. Keys of extra fields are percent-encoded, since header names know no capitals. */
export function impersonationHeaders(impersonation: Impersonation | undefined): Record<string, string | string[]> {
  if (impersonation === undefined) return {};
  const { user, uid, groups, extra } = impersonation;
  return {
    "impersonate-user": user,
    ...(uid !== undefined && { "impersonate-uid": uid }),
    ...(groups.length > 0 && { "impersonate-group": [...groups] }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${encodeExtraKey(key)}`, [...values]]),
    ),
  };
}

/** Whatever may not stand in a header name is encoded, and the percent sign itself. */
function encodeExtraKey(key: string): string {
  return [...Buffer.from(key.toLowerCase(), "utf8")]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[a-z0-9!#$&'*+.^_`|~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}
