/**
 * # apiserver/schema: the types of values
 *
 * What a field may hold and how it merges ({@link TypeNode}): of built-in kinds from the data file, of custom resources
 * from their structural schemas; and what Go's codec makes of a built-in object ({@link toGoForm}).
 *
 * Invariants: pure; types are compiled once and never change.
 *
 * It does not validate beyond types: rules between fields are the strategies'.
 */
export { BuiltinTypes } from "./builtin-types.ts";
export type { CompactResource, DataFile } from "./data-file.ts";
export { type Decoded, DecodeError, toGoForm } from "./go-form.ts";
export { quantityValue } from "./quantity.ts";
export { structuralType } from "./structural.ts";
export { formatMicroTime, formatTime } from "./time.ts";
export { type FieldNode, type TypeNode, typeOfKey } from "./type-node.ts";
