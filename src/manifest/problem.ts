import { createHash } from "node:crypto";
import type { ErrorCode } from "../errors/index.ts";
import type { ManifestIdentity, Problem } from "./snapshot.ts";

/** What a {@link Problem} is made of. */
export interface ProblemParts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly file: string;
  readonly line?: number | undefined;
  readonly holds: boolean;
  readonly digest: string;
  readonly identity?: ManifestIdentity | undefined;
}

export function buildProblem(parts: ProblemParts): Problem {
  const { code, message, file, line, holds, digest, identity } = parts;
  return { code, message, file, line, holds, digest, key: `${file}@${digest}`, identity };
}

/** Digest of what could not be used: 32 hexadecimal digits of SHA-256. */
export function contentDigest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 32);
}
