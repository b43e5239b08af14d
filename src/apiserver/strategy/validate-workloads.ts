import type { JsonObject } from "../../object/index.ts";
import { equalValues } from "../merge/index.ts";
import { isUnset, numberAt, objectAt, objectsAt, textAt } from "./draft.ts";
import type { FieldErrors } from "./field-errors.ts";
import { matchesSelector } from "./selector.ts";
import { checkImmutable, validateLabelSelector, validateLabels } from "./validate-meta.ts";
import { validatePodSpec } from "./validate-pods.ts";

/** Checks a Deployment, DaemonSet, StatefulSet or ReplicaSet. */
export function validateWorkload(object: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  checkNotNegative(spec, "replicas", "spec", errors);
  checkNotNegative(spec, "minReadySeconds", "spec", errors);
  checkNotNegative(spec, "revisionHistoryLimit", "spec", errors);
  const selector = objectAt(spec, "selector");
  if (selector === undefined) errors.required("spec.selector");
  else {
    validateLabelSelector(selector, "spec.selector", errors);
    if (isEmptySelector(selector))
      errors.invalid("spec.selector", selector, `empty selector is invalid for ${workloadWord(object)}`);
  }
  validateTemplate(spec, "spec.template", errors, { selector, restart: ["Always"] });
  validateStrategy(object, spec, errors);
}

function workloadWord(object: JsonObject): string {
  return textAt(object, "kind").toLowerCase();
}

function isEmptySelector(selector: JsonObject): boolean {
  return (
    Object.keys(objectAt(selector, "matchLabels") ?? {}).length === 0 &&
    objectsAt(selector, "matchExpressions").length === 0
  );
}

/** Checks a pod template. */
export function validateTemplate(
  spec: JsonObject,
  path: string,
  errors: FieldErrors,
  rules: { readonly selector?: JsonObject | undefined; readonly restart: readonly string[] },
): void {
  const template = objectAt(spec, "template") ?? {};
  const labels = objectAt(objectAt(template, "metadata"), "labels") ?? {};
  validateLabels(labels, `${path}.metadata.labels`, errors);
  if (rules.selector !== undefined && !isEmptySelector(rules.selector) && !matchesSelector(rules.selector, labels)) {
    errors.invalid(`${path}.metadata.labels`, labels, "`selector` does not match template `labels`");
  }
  const pod = objectAt(template, "spec") ?? {};
  validatePodSpec(pod, `${path}.spec`, errors);
  const policy = textAt(pod, "restartPolicy");
  if (["Always", "OnFailure", "Never"].includes(policy) && !rules.restart.includes(policy)) {
    errors.notSupported(`${path}.spec.restartPolicy`, policy, rules.restart);
  }
}

function validateStrategy(object: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  const field = object.kind === "Deployment" ? "strategy" : "updateStrategy";
  const other: Readonly<Record<string, string>> = {
    Deployment: "Recreate",
    DaemonSet: "OnDelete",
    StatefulSet: "OnDelete",
  };
  const alternative = other[textAt(object, "kind")];
  if (alternative === undefined) return;
  const strategy = objectAt(spec, field) ?? {};
  const type = textAt(strategy, "type");
  const rolling = objectAt(strategy, "rollingUpdate");
  if (type === "") errors.required(`spec.${field}.type`);
  else if (type !== "RollingUpdate" && type !== alternative) {
    errors.notSupported(`spec.${field}.type`, type, ["RollingUpdate", alternative].sort());
  } else if (type === "Recreate" && rolling !== undefined) {
    errors.forbidden(`spec.${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
  } else if (object.kind === "StatefulSet" && type === "OnDelete" && rolling !== undefined) {
    errors.invalid(`spec.${field}.rollingUpdate`, rolling, "only allowed for updateStrategy 'RollingUpdate'");
  }
  if (
    type === "RollingUpdate" &&
    rolling !== undefined &&
    isZero(rolling.maxUnavailable) &&
    isZero(rolling.maxSurge) &&
    object.kind === "Deployment"
  ) {
    errors.invalid(
      `spec.${field}.rollingUpdate.maxUnavailable`,
      rolling.maxUnavailable,
      "may not be 0 when `maxSurge` is 0",
    );
  }
}

function isZero(value: unknown): boolean {
  return value === 0 || value === "0%";
}

export function checkNotNegative(parent: JsonObject, field: string, path: string, errors: FieldErrors): void {
  const value = numberAt(parent, field);
  if (value !== undefined && value < 0) errors.invalid(`${path}.${field}`, value, "must be greater than or equal to 0");
}

/** A workload's selector never changes. */
export function validateWorkloadUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const before = objectAt(old, "spec") ?? {};
  if (object.kind === "StatefulSet") validateStatefulSetUpdate(spec, before, errors);
  else checkImmutable("spec.selector", spec.selector, before.selector, errors);
}

const STATEFUL_SET_MUTABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

function validateStatefulSetUpdate(spec: JsonObject, before: JsonObject, errors: FieldErrors): void {
  const fixed = Object.fromEntries(Object.entries(spec).filter(([key]) => !STATEFUL_SET_MUTABLE.includes(key)));
  const old = Object.fromEntries(Object.entries(before).filter(([key]) => !STATEFUL_SET_MUTABLE.includes(key)));
  if (equalValues(fixed, old)) return;
  errors.forbidden(
    "spec",
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  );
}

/** Checks a Job's spec. */
export function validateJob(object: JsonObject, errors: FieldErrors): void {
  validateJobSpec(objectAt(object, "spec") ?? {}, "spec", errors);
}

function validateJobSpec(spec: JsonObject, path: string, errors: FieldErrors): void {
  for (const field of [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
  ]) {
    checkNotNegative(spec, field, path, errors);
  }
  if (path === "spec" && objectAt(spec, "selector") === undefined) errors.required("spec.selector");
  validateTemplate(spec, `${path}.template`, errors, { restart: ["OnFailure", "Never"] });
}

/** A Job's template, selector and completions never change while it runs. */
export function validateJobUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const before = objectAt(old, "spec") ?? {};
  if (spec.completionMode !== "Indexed")
    checkImmutable("spec.completions", spec.completions, before.completions, errors);
  checkImmutable("spec.selector", spec.selector, before.selector, errors);
  checkImmutable("spec.template", spec.template, before.template, errors);
  checkImmutable("spec.completionMode", spec.completionMode, before.completionMode, errors);
  checkImmutable("spec.podFailurePolicy", spec.podFailurePolicy, before.podFailurePolicy, errors);
  checkImmutable("spec.backoffLimitPerIndex", spec.backoffLimitPerIndex, before.backoffLimitPerIndex, errors);
}

const CRON_FIELD = /^(\*|\?|[0-9A-Za-z]+(-[0-9A-Za-z]+)?)(\/\d+)?(,(\*|[0-9A-Za-z]+(-[0-9A-Za-z]+)?)(\/\d+)?)*$/;

/** Checks a CronJob. */
export function validateCronJob(object: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const schedule = textAt(spec, "schedule");
  if (schedule === "") errors.required("spec.schedule");
  else if (!isSchedule(schedule))
    errors.invalid(
      "spec.schedule",
      schedule,
      `expected exactly 5 fields, found ${schedule.split(/\s+/).length}: [${schedule}]`,
    );
  const policies = ["Allow", "Forbid", "Replace"];
  const policy = textAt(spec, "concurrencyPolicy");
  if (!policies.includes(policy)) errors.notSupported("spec.concurrencyPolicy", policy, policies);
  for (const field of ["startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"]) {
    checkNotNegative(spec, field, "spec", errors);
  }
  validateJobSpec(objectAt(objectAt(spec, "jobTemplate"), "spec") ?? {}, "spec.jobTemplate.spec", errors);
}

function isSchedule(text: string): boolean {
  if (/^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/.test(text)) return true;
  const fields = text.trim().split(/\s+/);
  return fields.length === 5 && fields.every((field) => CRON_FIELD.test(field));
}

/** Checks a Pod. */
export function validatePod(object: JsonObject, errors: FieldErrors): void {
  validatePodSpec(objectAt(object, "spec") ?? {}, "spec", errors);
}

const POD_MUTABLE_CONTAINER = new Set(["image"]);

/** Of a pod only images, deadlines, added tolerations and scheduling gates change. */
export function validatePodUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  if (equalValues(fixedPodSpec(object), fixedPodSpec(old))) return;
  errors.forbidden(
    "spec",
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
  );
}

function fixedPodSpec(object: JsonObject): JsonObject {
  const { tolerations: _, activeDeadlineSeconds: __, schedulingGates: ___, ...spec } = objectAt(object, "spec") ?? {};
  const fixed = (list: string): unknown =>
    isUnset(spec[list])
      ? undefined
      : objectsAt(spec, list).map((item) =>
          Object.fromEntries(Object.entries(item).filter(([key]) => !POD_MUTABLE_CONTAINER.has(key))),
        );
  return { ...spec, containers: fixed("containers"), initContainers: fixed("initContainers") };
}
