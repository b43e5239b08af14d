/**
 * # apiserver/strategy: what each kind asks of its objects
 *
 * Defaults, what create and update do to an object before it is stored, validation, generation: kubernetes'
 * `pkg/apis/<group>/<version>/defaults.go`, `pkg/apis/<group>/validation` and `pkg/registry/<group>/<kind>/strategy.go`, as
 * far as the sandbox and the differential test go.
 *
 * Invariants: no I/O; only drafts are changed.
 *
 * Validation covers names, labels, required and immutable fields and unions of the common kinds, not every rule.
 */
export { defaultObject } from "./default-object.ts";
export {
  copyJson,
  copyObject,
  type Draft,
  ensureObject,
  isDraft,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "./draft.ts";
export { type FieldError, FieldErrors } from "./field-errors.ts";
export { matchesSelector } from "./selector.ts";
export { ServiceAllocator } from "./service-allocation.ts";
export { bumpGeneration, type Strategy, strategyOf } from "./strategies.ts";
export { DEFAULT_NAME_RULE, validateMetadata, validateMetadataUpdate } from "./validate-meta.ts";
