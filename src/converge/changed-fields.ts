import { type DriftedField, type FieldOwner, fieldDiff, type KubeObject, parseJson } from "../object/index.ts";
import type { Step } from "./step.ts";

/** A field that a step changes. Values of Secrets are masked. */
export interface ChangedField {
  /** As a person writes it: `spec.template.spec.containers[name=dns].image`. */
  readonly path: string;
  /** Absent where the field was not there. */
  readonly before?: unknown;
  /** Absent where the field is removed. */
  readonly after?: unknown;
  /** Who had written `before`, where managedFields told. */
  readonly owner?: FieldOwner;
}

const NOTHING: readonly ChangedField[] = [];

/**
 * Which fields a step changes, as far as that is known without asking: from drift, or from the text of the manifest that
 * was applied before (`former`: its JSON, undefined where it is not known). Nothing for what is created or deleted. Pure.
 */
export function changedFields(step: Step, former: string | undefined): readonly ChangedField[] {
  if (step.kind !== "apply") return NOTHING;
  const { reason, live, desired } = step;
  if (reason.kind === "drifted") return reason.fields.map(ofDrift);
  if (reason.kind !== "changed" || former === undefined) return live.drift.map(ofDrift);
  const [before, after] = [former, desired.manifest.body].map((body) => parseJson(body) as KubeObject);
  return fieldDiff(before, after, { ignore: [] }).map(({ path, before: was, after: is }) => ofPair(path, was, is));
}

function ofDrift({ path, live, desired, owner }: DriftedField): ChangedField {
  return { ...ofPair(path, live, desired), ...(owner === undefined ? {} : { owner }) };
}

function ofPair(path: string, before: unknown, after: unknown): ChangedField {
  return { path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}
