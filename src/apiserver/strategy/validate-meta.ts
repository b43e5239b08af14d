import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { metadataOf, metaText } from "../managers/index.ts";
import { equalValues } from "../merge/index.ts";
import { objectAt, objectsAt, textAt, textsAt } from "./draft.ts";
import type { FieldErrors } from "./field-errors.ts";
import { labelValueProblem, qualifiedNameProblem, subdomainProblem } from "./names.ts";

const MAX_ANNOTATIONS_BYTES = 256 * 1024;
const STANDARD_FINALIZERS = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Checks `metadata` of a new or changed object. `nameProblem` is the kind's rule for names. */
export function validateMetadata(
  object: JsonObject,
  errors: FieldErrors,
  rules: {
    readonly namespaced: boolean;
    readonly nameProblem: (name: string) => string | undefined;
    /** Of a CustomResourceDefinition's kind: any qualified name is a finalizer. */
    readonly isCustom: boolean;
  },
): void {
  const metadata = metadataOf(object);
  const name = textAt(metadata, "name");
  const generateName = textAt(metadata, "generateName");
  if (generateName !== "") {
    const problem = rules.nameProblem(generateName.endsWith("-") ? `${generateName}a` : generateName);
    if (problem !== undefined) errors.invalid("metadata.generateName", generateName, problem);
  }
  if (name === "") errors.required("metadata.name", "name or generateName is required");
  else {
    const problem = rules.nameProblem(name);
    if (problem !== undefined) errors.invalid("metadata.name", name, problem);
  }
  if (rules.namespaced && textAt(metadata, "namespace") === "") errors.required("metadata.namespace");
  if (!rules.namespaced && textAt(metadata, "namespace") !== "") {
    errors.forbidden("metadata.namespace", "not allowed on this type");
  }
  validateLabels(objectAt(metadata, "labels"), "metadata.labels", errors);
  validateAnnotations(objectAt(metadata, "annotations"), errors);
  validateOwnerReferences(metadata, errors);
  validateFinalizers(metadata, rules.isCustom, errors);
}

/** Checks a map of labels. */
export function validateLabels(labels: JsonObject | undefined, path: string, errors: FieldErrors): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    const keyProblem = qualifiedNameProblem(key);
    if (keyProblem !== undefined) errors.invalid(path, key, keyProblem);
    const valueProblem = typeof value === "string" ? labelValueProblem(value) : "must be a string";
    if (valueProblem !== undefined) errors.invalid(path, value, valueProblem);
  }
}

function validateAnnotations(annotations: JsonObject | undefined, errors: FieldErrors): void {
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    const problem = qualifiedNameProblem(key.toLowerCase());
    if (problem !== undefined) errors.invalid("metadata.annotations", key, problem);
    size += Buffer.byteLength(key) + (typeof value === "string" ? Buffer.byteLength(value) : 0);
  }
  if (size > MAX_ANNOTATIONS_BYTES) errors.tooLong("metadata.annotations", MAX_ANNOTATIONS_BYTES);
}

function validateOwnerReferences(metadata: JsonObject, errors: FieldErrors): void {
  const controllers: string[] = [];
  for (const [index, owner] of objectsAt(metadata, "ownerReferences").entries()) {
    const path = `metadata.ownerReferences[${index}]`;
    if (textAt(owner, "apiVersion") === "") errors.invalid(`${path}.apiVersion`, "", "version must not be empty");
    for (const field of ["kind", "name", "uid"]) {
      if (textAt(owner, field) === "") errors.invalid(`${path}.${field}`, "", "must not be empty");
    }
    if (owner.controller === true) controllers.push(textAt(owner, "kind"));
  }
  if (controllers.length > 1) {
    errors.invalid(
      "metadata.ownerReferences",
      null,
      `Only one reference can have Controller set to true. Found "true" in references for ${controllers.join(" and ")}`,
    );
  }
}

function validateFinalizers(metadata: JsonObject, isCustom: boolean, errors: FieldErrors): void {
  const finalizers = textsAt(metadata, "finalizers");
  for (const [index, finalizer] of finalizers.entries()) {
    const problem = qualifiedNameProblem(finalizer);
    if (problem !== undefined) errors.invalid("metadata.finalizers", finalizer, problem);
    else if (!isCustom && !finalizer.includes("/") && !STANDARD_FINALIZERS.has(finalizer)) {
      errors.invalid(
        `metadata.finalizers[${index}]`,
        finalizer,
        "name is neither a standard finalizer name nor is it fully qualified",
      );
    }
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.invalid("metadata.finalizers", finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

/** Checks that an update leaves alone what identifies the object. */
export function validateMetadataUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const metadata = metadataOf(object);
  const before = metadataOf(old);
  if (metaText(old, "deletionTimestamp") !== "") {
    const known = new Set(textsAt(before, "finalizers"));
    const added = textsAt(metadata, "finalizers").filter((finalizer) => !known.has(finalizer));
    if (added.length > 0) {
      errors.forbidden(
        "metadata.finalizers",
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((text) => JSON.stringify(text)).join(", ")}}`,
      );
    }
  }
  for (const field of [
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
  ]) {
    if (!equalValues(metadata[field], before[field])) errors.invalid(`metadata.${field}`, metadata[field], IMMUTABLE);
  }
}

/** The server's words for a field that must not change. */
export const IMMUTABLE = "field is immutable";

/** Reports a field that changed though it must not. */
export function checkImmutable(path: string, value: unknown, old: unknown, errors: FieldErrors): void {
  if (!equalValues(value ?? null, old ?? null)) errors.invalid(path, value, IMMUTABLE);
}

/** Checks a label selector. */
export function validateLabelSelector(selector: JsonObject | undefined, path: string, errors: FieldErrors): void {
  if (selector === undefined) return;
  validateLabels(isJsonObject(selector.matchLabels) ? selector.matchLabels : undefined, `${path}.matchLabels`, errors);
  for (const [index, requirement] of objectsAt(selector, "matchExpressions").entries()) {
    validateRequirement(requirement, `${path}.matchExpressions[${index}]`, errors);
  }
}

function validateRequirement(requirement: JsonObject, path: string, errors: FieldErrors): void {
  const values = textsAt(requirement, "values");
  switch (requirement.operator) {
    case "In":
    case "NotIn":
      if (values.length === 0)
        errors.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0)
        errors.forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      break;
    default:
      errors.invalid(`${path}.operator`, requirement.operator, "not a valid selector operator");
  }
  const problem = qualifiedNameProblem(textAt(requirement, "key"));
  if (problem !== undefined) errors.invalid(`${path}.key`, requirement.key, problem);
}

/** The usual rule for object names. */
export const DEFAULT_NAME_RULE: (name: string) => string | undefined = subdomainProblem;
