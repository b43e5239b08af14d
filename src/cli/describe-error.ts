import { isKeelsonError, messageOf } from "../errors/index.ts";
import { escapeControls, withoutCredentials } from "../log/index.ts";

/**
 * An error as the command line prints it: what failed and why, on one line where it is one, and for a fault of our own
 * the stack that a report needs.
 */
export function describeError(error: unknown): string {
  const line = `keelson: ${withoutCredentials(messageOf(error)).split("\n").map(escapeControls).join("\n  ")}\n`;
  if (isKeelsonError(error) && error.disposition !== "internal") return line;
  const stack = error instanceof Error && error.stack !== undefined ? `${error.stack}\n` : "";
  return `${line}This is a fault of Keelson; please report it with what follows.\n${stack}`;
}
