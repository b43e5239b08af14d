import { createHash } from "node:crypto";
import { canonicalJson } from "./json.ts";
import type { Digest } from "./types.ts";

/** The digest of a JSON value: `v1:` and the first 32 hexadecimal digits of the SHA-256 of its {@link canonicalJson}. */
export function digestOf(value: unknown): Digest {
  return digestOfJson(canonicalJson(value));
}

/** The same of what is canonical JSON already. */
export function digestOfJson(text: string): Digest {
  return `v1:${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}
