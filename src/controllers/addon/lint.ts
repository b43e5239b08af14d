import type { ManifestSnapshot } from "../../manifest/index.ts";
import { compareRefs, type ObjectRef, parseApiVersion, refKey } from "../../object/index.ts";
import { comparePlaces } from "./compare-places.ts";
import { contestedFields } from "./contested.ts";
import { treatmentOf } from "./desired.ts";
import type { LintObject, LintReport, ProblemReport } from "./reports.ts";

/** What the files say, without a cluster: every object with its treatment, every problem and warning with its place. Pure. */
export function lintReport(snapshot: ManifestSnapshot): LintReport {
  const objects: LintObject[] = [];
  const problems: ProblemReport[] = [];
  const seen = new Map<string, LintObject>();
  if (snapshot.state.kind === "missing")
    problems.push({ file: "", line: 0, message: `${snapshot.root}: ${snapshot.state.message}` });
  for (const manifest of snapshot.objects) {
    const { origin, warnings, labels, kind, name, namespace, apiVersion } = manifest;
    const treatment = treatmentOf(labels);
    const object: ObjectRef = { group: parseApiVersion(apiVersion).group, kind, namespace: namespace ?? "", name };
    const mode = treatment.kind === "declared" ? treatment.mode : "omitted";
    const linted: LintObject = { ...origin, mode, object };
    objects.push(linted);
    for (const { line, message } of warnings)
      problems.push({ file: origin.file, line, message: `${kind} ${name}: ${message}` });
    if (treatment.kind === "omitted" && treatment.hint !== undefined) {
      problems.push({ ...origin, message: `${kind} ${name}: ${treatment.hint}` });
    }
    const first = seen.get(refKey(object));
    if (first !== undefined && mode !== "omitted") {
      problems.push({ ...origin, message: `${kind} ${name}: declared twice: here and at ${first.file}:${first.line}` });
    } else if (mode !== "omitted") seen.set(refKey(object), linted);
  }
  for (const { manifest, message } of contestedFields(snapshot))
    problems.push({ ...manifest.origin, message: `${manifest.kind} ${manifest.name}: ${message}` });
  for (const { file, line, message } of [...snapshot.problems, ...snapshot.warnings])
    problems.push({ file, line: line ?? 0, message });
  objects.sort((a, b) => comparePlaces(a, b) || compareRefs(a.object, b.object));
  problems.sort(comparePlaces);
  return { objects, problems };
}
