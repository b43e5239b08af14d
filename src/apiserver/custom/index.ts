/**
 * # apiserver/custom: custom resources
 *
 * The APIs that CustomResourceDefinitions serve: pruning, defaulting and validation by structural schemas, several
 * versions without conversion.
 *
 * Invariants: an API is built anew when its definition changes; objects are stored at the storage version.
 *
 * No CEL rules, no conversion webhooks, no `oneOf`/`anyOf`/`allOf`/`not`.
 */
export { CustomResources } from "./custom-resources.ts";
