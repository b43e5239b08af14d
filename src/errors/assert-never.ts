import { KeelsonError } from "./keelson-error.ts";

/** Closes a switch over a union's `kind`: a compile error where a variant is missing, an `Internal` error at run time. */
export function assertNever(value: never): never {
  throw new KeelsonError("Internal", `unexpected variant ${JSON.stringify(value)}`);
}
