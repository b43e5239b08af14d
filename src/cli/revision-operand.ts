import { KeelsonError } from "../errors/index.ts";
import type { Operand } from "./command.ts";

/** The number of a revision. */
export const REVISION_OPERAND: Operand = {
  name: "REV",
  help: "number of a revision, as history lists it",
  required: true,
};

/** Reads the number of a revision. @throws KeelsonError InvalidFlag */
export function parseRevision(text: string | undefined, name: string): number {
  if (text !== undefined && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  const message = `${name}="${text ?? ""}": accepted: the number of a revision, as keelson history lists it`;
  throw new KeelsonError("InvalidFlag", message, { object: name });
}
