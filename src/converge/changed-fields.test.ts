import { describe, expect, it } from "vitest";
import { changedFields } from "./changed-fields.ts";
import { desired, live, manifest } from "./samples.case.ts";
import type { Step } from "./step.ts";

const body = (data: object, kind = "ConfigMap"): string =>
  JSON.stringify({ apiVersion: "v1", kind, metadata: { name: "a" }, data });
const applying = (reason: Step["reason"], text = body({ x: "2" })): Step => {
  const object = JSON.parse(text);
  const drift = [{ path: "data.y", kind: "changed", desired: "1", live: "9" }] as const;
  const wanted = desired({}, { manifest: manifest(object, { body: text }) });
  return { kind: "apply", key: "k", desired: wanted, live: live({}, { drift }), reason };
};
const CHANGED = { kind: "changed", file: "a.yaml", line: 1 } as const;

describe("changedFields", () => {
  it("tells drift from what is live to what is desired, and who wrote it", () => {
    const owner = { manager: "kubectl-edit", operation: "Update", subresource: "" } as const;
    const fields = [{ path: "data.x", kind: "changed", desired: "2", live: "9", owner } as const];

    expect(changedFields(applying({ kind: "drifted", fields }), undefined)).toEqual([
      { path: "data.x", before: "9", after: "2", owner },
    ]);
  });

  it("compares a changed file with the manifest that was applied before", () => {
    expect(changedFields(applying(CHANGED), body({ x: "1", gone: "1" }))).toEqual([
      { path: "data.x", before: "1", after: "2" },
      { path: "data.gone", before: "1" },
    ]);
  });

  it("tells what the cluster had otherwise where the former manifest is not known", () => {
    expect(changedFields(applying(CHANGED), undefined)).toEqual([{ path: "data.y", before: "9", after: "1" }]);
  });

  it("masks values of Secrets", () => {
    const step = applying(CHANGED, body({ x: "young" }, "Secret"));

    expect(changedFields(step, body({ x: "old" }, "Secret"))).toEqual([
      { path: "data.x", before: "***", after: "*** (changed)" },
    ]);
  });

  it("tells nothing of what is created or deleted", () => {
    const left: Step = { kind: "delete", key: "k", live: live({}), reason: { kind: "left" } };

    expect(changedFields(left, undefined)).toEqual([]);
  });
});
