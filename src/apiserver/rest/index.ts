/**
 * # apiserver/rest: verbs on objects
 *
 * Create, update, patch, apply, delete, get and list, subresources and selectors: what `pkg/endpoints/handlers` and
 * `pkg/registry/generic` are to kube-apiserver, without HTTP.
 *
 * Invariants: every verb is synchronous, so requests never interleave; refusals are {@link ApiError}.
 *
 * It knows no transport and no custom resource definitions (those come in as {@link Api}).
 */
export type { Api, Codec, CustomApi, Subresource } from "./api.ts";
export {
  ApiError,
  badRequest,
  expired,
  invalid,
  methodNotAllowed,
  notAcceptable,
  tooLarge,
  unknownResource,
  unsupportedMediaType,
} from "./api-error.ts";
export { builtinApis } from "./builtin-api.ts";
export { type Cluster, nowText, type WriteRequest } from "./cluster.ts";
export { createObject } from "./create.ts";
export { type DeleteOptions, deleteObject, parseDeleteOptions } from "./delete.ts";
export { patchObject } from "./patch.ts";
export { getObject, listObjects } from "./read.ts";
export { ApiRegistry } from "./registry.ts";
export { getScale, patchScale, replaceScale } from "./scale.ts";
export { type Matcher, matcherOf } from "./selectors.ts";
export { replaceObject, updateObject, type Written } from "./update.ts";
