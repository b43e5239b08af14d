import type { Declared, DesiredInput, MentionedObject, Mode, RefusedObject } from "../../converge/index.ts";
import type { ManifestObject, ManifestSnapshot } from "../../manifest/index.ts";
import { CLUSTER_SERVICE_LABEL, MODE_LABEL } from "../../object/index.ts";
import { APPLYSET_PART_OF_LABEL } from "./identity.ts";

/** What an object's labels say (spec of the addon manager: the label table). Values are case-sensitive. */
export type Treatment =
  | { readonly kind: "declared"; readonly mode: Exclude<Mode, "Absent">; readonly isDeprecated: boolean }
  /** No label selects it; `hint` where a value looks like a slip. */
  | { readonly kind: "omitted"; readonly hint: string | undefined };

/** Reads the labels of an object. Total: every combination has a treatment. */
export function treatmentOf(labels: Readonly<Record<string, string>>): Treatment {
  const mode = labels[MODE_LABEL];
  if (labels[CLUSTER_SERVICE_LABEL] === "true") {
    return mode === "EnsureExists"
      ? { kind: "declared", mode, isDeprecated: false }
      : { kind: "declared", mode: "Reconcile", isDeprecated: true };
  }
  if (mode === "Reconcile" || mode === "EnsureExists") return { kind: "declared", mode, isDeprecated: false };
  return { kind: "omitted", hint: hintFor(labels) };
}

const MODES = ["Reconcile", "EnsureExists"] as const;

function hintFor(labels: Readonly<Record<string, string>>): string | undefined {
  const value = labels[MODE_LABEL];
  if (value !== undefined) {
    const near = MODES.find((mode) => distance(value.toLowerCase(), mode.toLowerCase()) <= 3);
    const guess = near === undefined ? `use ${MODES.join(" or ")}` : `did you mean ${near}?`;
    return `label ${MODE_LABEL}=${JSON.stringify(value)} selects nothing: ${guess}`;
  }
  const service = labels[CLUSTER_SERVICE_LABEL];
  if (service !== undefined && service !== "false") {
    return `label ${CLUSTER_SERVICE_LABEL}=${JSON.stringify(service)} selects nothing: only "true" does`;
  }
  const slip = Object.keys(labels).find((key) => key !== MODE_LABEL && distance(key, MODE_LABEL) <= 3);
  return slip === undefined ? undefined : `label ${JSON.stringify(slip)} selects nothing: did you mean ${MODE_LABEL}?`;
}

/** Levenshtein distance, for "did you mean". */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return 4;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** An object without a label that selects it. */
export interface OmittedObject {
  readonly manifest: ManifestObject;
  readonly hint: string | undefined;
}

/** What a snapshot asks for. */
export interface DesiredAddons {
  readonly input: DesiredInput;
  readonly omitted: readonly OmittedObject[];
  /** Objects that are declared by the deprecated label alone. */
  readonly deprecated: readonly ManifestObject[];
}

/** Reads the labels of every object of a snapshot; `applySet` is the id of the set where its members are marked. Pure. */
export function desiredAddons(snapshot: ManifestSnapshot, applySet?: string): DesiredAddons {
  const declared: Declared[] = [];
  const refused: RefusedObject[] = [];
  const omitted: OmittedObject[] = [];
  const deprecated: ManifestObject[] = [];
  for (const manifest of snapshot.objects) {
    const treatment = treatmentOf(manifest.labels);
    if (treatment.kind === "omitted") omitted.push({ manifest, hint: treatment.hint });
    else if (isOfOther(manifest, applySet)) refused.push({ manifest, message: otherMessage(manifest) });
    else {
      declared.push({ manifest, mode: treatment.mode });
      if (treatment.isDeprecated) deprecated.push(manifest);
    }
  }
  const named = snapshot.problems.flatMap(({ identity }) => (identity === undefined ? [] : [identity]));
  const mentioned: readonly MentionedObject[] = [...omitted.map(({ manifest }) => manifest), ...named];
  const broken = snapshot.problems.filter(({ holds }) => holds).map(({ key }) => key);
  const isMissing = snapshot.state.kind === "missing";
  const input = { declared, mentioned, broken, isMissing, reduced: snapshot.reduced };
  return { input: refused.length === 0 ? input : { ...input, refused }, omitted, deprecated };
}

/** An object is a member of one ApplySet at most. */
function isOfOther({ labels }: ManifestObject, applySet: string | undefined): boolean {
  const of = labels[APPLYSET_PART_OF_LABEL];
  return applySet !== undefined && of !== undefined && of !== applySet;
}

function otherMessage({ labels }: ManifestObject): string {
  const value = JSON.stringify(labels[APPLYSET_PART_OF_LABEL]);
  return `label ${APPLYSET_PART_OF_LABEL}=${value} makes it a member of another ApplySet: it is left alone; take the label out of the manifest`;
}
