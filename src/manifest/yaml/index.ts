/**
 * # manifest/yaml: kubectl's dialect
 *
 * Reads the documents of a file to JSON values as kubectl does: JSON streams, `---` lines, and YAML 1.1 as Go's library
 * (sigs.k8s.io/yaml on go-yaml v2, a libyaml) understands it, booleans, octal numbers, merge keys and all.
 *
 * The scanner is our own. js-yaml follows YAML 1.2: it takes other characters for the end of a plain scalar, other tabs
 * for indentation and other keys for simple ones, and none of that can be changed by a schema. A test compares this
 * folder with kubectl itself on generated texts.
 *
 * Invariants: pure; no document breaks another; every fault has its place; a document costs time and memory in
 * proportion to its size, whatever its aliases say.
 *
 * It does not know what a Kubernetes object is.
 */
export { type Document, type FaultDocument, lineAt, type ValueDocument } from "./document.ts";
export { PLACEHOLDER, readDocuments } from "./documents.ts";
export type { Positions } from "./positions.ts";
