import { KeelsonError } from "../../errors/index.ts";

/**
 * What a Go function returns as its error, or panics with. The evaluator adds where; the text is Go's own.
 */
export function failure(message: string): KeelsonError {
  return new KeelsonError("InvalidTemplate", message);
}

/** A slice expression out of bounds, as Go's runtime words it. */
export function boundsFailure(bounds: string): KeelsonError {
  return failure(`runtime error: slice bounds out of range [${bounds}]`);
}

/** What reflect.TypeOf(nil).Kind() ends in: sprig's list functions panic on nil. */
export function nilDereference(): KeelsonError {
  return failure("runtime error: invalid memory address or nil pointer dereference");
}
