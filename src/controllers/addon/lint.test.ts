import { describe, expect, it } from "vitest";
import { lintReport } from "./lint.ts";
import { configMap, snapshotOf } from "./samples.case.ts";

const MODE = "addonmanager.kubernetes.io/mode";

describe("lintReport", () => {
  it("lists every object with its place and treatment, by file and line", () => {
    const { objects } = lintReport(
      snapshotOf({
        "b.yaml": configMap("b", { [MODE]: "EnsureExists" }),
        "a.yaml": `${configMap("a2", { [MODE]: "Reconcile" })}\n---\n${configMap("a1")}`,
      }),
    );

    expect(objects.map(({ file, line, mode, object }) => [file, line, mode, object.name])).toEqual([
      ["a.yaml", 1, "Reconcile", "a2"],
      ["a.yaml", 3, "omitted", "a1"],
      ["b.yaml", 1, "EnsureExists", "b"],
    ]);
  });

  it("hints at typos, and says nothing of objects without any label", () => {
    const { problems } = lintReport(
      snapshotOf({ "a.yaml": `${configMap("typo", { [MODE]: "Reconcil" })}\n---\n${configMap("bare")}` }),
    );

    expect(problems).toMatchObject([
      { file: "a.yaml", line: 1, message: expect.stringMatching(/ConfigMap typo:.*did you mean Reconcile/) },
    ]);
  });

  it("names both places of a duplicate, not of an unlabelled one", () => {
    const labelled = configMap("a", { [MODE]: "Reconcile" });
    const { problems } = lintReport(
      snapshotOf({ "a.yaml": `${labelled}\n---\n${configMap("a")}`, "b.yaml": `\n${labelled}` }),
    );

    expect(problems).toMatchObject([{ file: "b.yaml", message: expect.stringMatching(/declared twice.*a\.yaml:1/) }]);
  });

  it("reports what cannot be read, and goes on with the rest", () => {
    const { problems, objects } = lintReport(snapshotOf({ "a.yaml": "a: [", "b.yaml": configMap("b") }));

    expect(problems).toMatchObject([{ file: "a.yaml" }]);
    expect(objects).toHaveLength(1);
  });

  it("reports a missing directory", () => {
    const snapshot = snapshotOf({}, { state: { kind: "missing", error: "ENOENT", message: "no such directory" } });

    expect(lintReport(snapshot).problems).toEqual([{ file: "", line: 0, message: "/addons: no such directory" }]);
  });

  it("reports what was changed in an object, at its line", () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  uid: "1"\n';

    expect(lintReport(snapshotOf({ "a.yaml": text })).problems).toMatchObject([
      { file: "a.yaml", message: expect.stringMatching(/^ConfigMap a: /) },
    ]);
  });
});
