/**
 * # apiserver/patch: the three patch formats beside apply
 *
 * JSON patch, JSON merge patch and strategic merge patch, on plain JSON.
 *
 * Invariants: pure; the document given is never mutated.
 */
export { applyJsonPatch, JsonPatchError } from "./json-patch.ts";
export { applyMergePatch } from "./merge-patch.ts";
export { applyStrategicPatch, StrategicPatchError } from "./strategic-patch.ts";
