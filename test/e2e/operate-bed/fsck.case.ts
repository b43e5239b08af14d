import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../../control-plane/index.ts";
import { type Bed, configMap } from "./bed.ts";

interface Found {
  readonly kind: string;
  readonly object: { readonly name: string };
  readonly isFixed?: boolean;
}

/** `keelson plan --explain` and `keelson fsck`. */
export function fsckCases({ directory, apply, inSet, kubectl }: Bed): void {
  const of = (report: string): readonly string[] =>
    (JSON.parse(report).findings as readonly Found[])
      .filter(({ object }) => object.name.startsWith("fsck-"))
      .map(({ kind, object, isFixed }) => `${kind} ${object.name}${isFixed === true ? " fixed" : ""}`)
      .sort();

  it("explains an object: file, mode, what a pass would do, and who owns which field", async () => {
    const path = directory("explain", {
      "a.yaml": configMap("explain-a", "one"),
      "b.yaml": configMap("explain-b", "x"),
    });
    expect(apply("explain", path).code).toBe(0);
    const more = '{"data":{"key":"two","theirs":"1"}}';
    await kubectl("patch", "cm", "explain-a", "--type=merge", "-p", more, "--field-manager=somebody");

    const { out, code } = inSet("explain", "plan", path, "--explain", "configmap/default/explain-a");
    const json = JSON.parse(inSet("explain", "plan", path, "--explain", "explain-b", "-o", "json").out);

    expect(code).toBe(0);
    expect(out).toContain("Declared:  a.yaml:1, Reconcile");
    expect(out).toMatch(/A pass: +apply: drift: data\.key one→two by somebody/);
    expect(out).toMatch(/Ours \(keelson\.explain, Apply.*\n {2}metadata\.annotations/);
    expect(out).toMatch(/somebody \(Update, .*\n {2}data\.key\n {2}data\.theirs/);
    expect(json).toMatchObject({ mode: "Reconcile", decision: "nothing: it is as declared", diff: [] });
    expect(json.owners[0]).toMatchObject({ manager: "keelson.explain", isOurs: true });
    expect(json.owners[0].fields).toContain("data.key");
    expect(inSet("explain", "plan", path, "--explain", "configmap/none").code).toBe(3);
  });

  it("finds what does not fit together, and mends what is safe", async () => {
    const path = directory("fsck", {
      "a.yaml": configMap("fsck-a", "one"),
      "leak.yaml": configMap("fsck-leak", "one"),
    });
    expect(apply("fsck", path).code).toBe(0);
    expect(of(inSet("fsck", "fsck", path, "-o", "json").out).filter((each) => !each.startsWith("unrec"))).toEqual([]);

    rmSync(join(path, "leak.yaml"));
    writeFileSync(join(path, "twice.yaml"), configMap("fsck-a", "one"));
    writeFileSync(join(path, "both.yaml"), configMap("fsck-both", "one"));
    writeFileSync(join(path, "found.yaml"), configMap("fsck-found", "one"));
    writeFileSync(join(path, "new.yaml"), configMap("fsck-new", "one"));
    await kubectl("label", "cm", "fsck-leak", "addonmanager.kubernetes.io/mode-");
    await kubectl("create", "-f", "-", { input: configMap("fsck-look", "one") });
    await kubectl("create", "-f", "-", { input: configMap("fsck-found", "one", "a: b") });
    const other = directory("fsck-other", { "both.yaml": configMap("fsck-both", "one") });
    expect(apply("fsckother", other).code).toBe(0);

    const found = inSet("fsck", "fsck", path, "-o", "json");
    const fixed = inSet("fsck", "fsck", path, "--fix", "-o", "json");

    const expected = [
      "duplicate fsck-a",
      "foreign fsck-both",
      "foreign fsck-look",
      "leaked fsck-leak",
      "missing fsck-new",
      "unproven fsck-found",
    ];
    const without = (each: string): boolean => !each.startsWith("unrecorded");
    expect(found.code).toBe(1);
    expect(of(found.out).filter(without)).toEqual(expected);
    expect(of(fixed.out).filter(without)).toEqual(
      expected.map((each) => (each === "leaked fsck-leak" ? `${each} fixed` : each)),
    );
    const leak = JSON.parse((await kubectl("get", "cm", "fsck-leak", "-o", "json", "--show-managed-fields")).stdout);
    expect(leak.data).toEqual({ key: "one" });
    expect(leak.metadata.annotations).toBeUndefined();
    expect(JSON.stringify(leak.metadata.managedFields ?? [])).not.toContain("keelson");
    expect(of(inSet("fsck", "fsck", path, "-o", "json").out)).not.toContain("leaked fsck-leak");
    expect(inSet("fsck", "fsck", path).out).toMatch(/twice\.yaml:1 +declared twice/);
  });

  it("finds an object whose fields the API server no longer tracks, and moves its entries to a served version", async () => {
    const resource = `apiVersion: fsck.example.dev/v1
kind: Tracker
metadata:
  name: fsck-old
  namespace: default
  labels: {addonmanager.kubernetes.io/mode: Reconcile}
spec: {a: "1"}
`;
    const path = directory("untracked", { "a.yaml": resource });
    const input = (versions: readonly string[]): { input: string } => ({ input: trackers(versions) });
    await kubectl("apply", "--server-side", "-f", "-", input(["v1alpha1", "v1"]));
    await kubectl("wait", "--for=condition=Established", "crd/trackers.fsck.example.dev", "--timeout=30s");
    expect(apply("untracked", path).code).toBe(0);
    await kubectl("label", "trackers.v1alpha1.fsck.example.dev", "fsck-old", "old=1", "--field-manager=old");
    const stored = '{"status":{"storedVersions":["v1"]}}';
    await kubectl("patch", "crd", "trackers.fsck.example.dev", "--subresource=status", "--type=merge", "-p", stored);
    await kubectl("apply", "--server-side", "-f", "-", input(["v1"]));

    await eventually("it is found", () =>
      of(inSet("untracked", "fsck", path, "-o", "json").out).includes("untracked fsck-old"),
    );
    const fixed = of(inSet("untracked", "fsck", path, "--fix", "-o", "json").out);

    expect(fixed).toContain("untracked fsck-old fixed");
    expect(of(inSet("untracked", "fsck", path, "-o", "json").out)).not.toContain("untracked fsck-old");
    const { stdout } = await kubectl("get", "tracker", "fsck-old", "-o", "json", "--show-managed-fields");
    const { metadata, spec } = JSON.parse(stdout);
    const versions = metadata.managedFields.map(({ apiVersion }: { readonly apiVersion: string }) => apiVersion);
    expect([...new Set(versions)]).toEqual(["fsck.example.dev/v1"]);
    expect([metadata.labels.old, spec.a]).toEqual(["1", "1"]);
  });
}

/** A kind in these versions, stored in the last. */
function trackers(versions: readonly string[]): string {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "trackers.fsck.example.dev" },
    spec: {
      group: "fsck.example.dev",
      names: { kind: "Tracker", listKind: "TrackerList", plural: "trackers", singular: "tracker" },
      scope: "Namespaced",
      versions: versions.map((name) => ({ name, served: true, storage: name === versions.at(-1), schema })),
    },
  });
}
