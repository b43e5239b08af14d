import { describe, expect, it } from "vitest";
import { desiredAddons, treatmentOf } from "./desired.ts";
import { addonIdentity, namesOf } from "./identity.ts";
import { configMap, snapshotOf } from "./samples.case.ts";

const MODE = "addonmanager.kubernetes.io/mode";
const SERVICE = "kubernetes.io/cluster-service";

function labels(service: string | undefined, mode: string | undefined): Readonly<Record<string, string>> {
  return {
    app: "dns",
    ...(service !== undefined && { [SERVICE]: service }),
    ...(mode !== undefined && { [MODE]: mode }),
  };
}

describe("treatmentOf", () => {
  it.each([
    { service: "true", mode: undefined, treated: "Reconcile", deprecated: true },
    { service: "true", mode: "Reconcile", treated: "Reconcile", deprecated: true },
    { service: "true", mode: "Reconcil", treated: "Reconcile", deprecated: true },
    { service: "true", mode: "", treated: "Reconcile", deprecated: true },
    { service: "true", mode: "ensureexists", treated: "Reconcile", deprecated: true },
    { service: "true", mode: "EnsureExists", treated: "EnsureExists", deprecated: false },
    { service: undefined, mode: "Reconcile", treated: "Reconcile", deprecated: false },
    { service: "false", mode: "Reconcile", treated: "Reconcile", deprecated: false },
    { service: "True", mode: "Reconcile", treated: "Reconcile", deprecated: false },
    { service: undefined, mode: "EnsureExists", treated: "EnsureExists", deprecated: false },
    { service: "no", mode: "EnsureExists", treated: "EnsureExists", deprecated: false },
    { service: undefined, mode: undefined, treated: "omitted" },
    { service: "false", mode: undefined, treated: "omitted" },
    { service: "True", mode: undefined, treated: "omitted" },
    { service: undefined, mode: "reconcile", treated: "omitted" },
    { service: undefined, mode: "", treated: "omitted" },
    { service: "false", mode: "Reconcile ", treated: "omitted" },
  ])("treats cluster-service=$service, mode=$mode as $treated", ({ service, mode, treated, deprecated }) => {
    const treatment = treatmentOf(labels(service, mode));

    expect(treatment.kind === "declared" ? treatment.mode : treatment.kind).toBe(treated);
    if (treatment.kind === "declared") expect(treatment.isDeprecated).toBe(deprecated);
  });

  it.each([
    { name: "a typo of Reconcile", given: { [MODE]: "Reconcil" }, hint: /did you mean Reconcile\?/ },
    { name: "another case", given: { [MODE]: "reconcile" }, hint: /did you mean Reconcile\?/ },
    { name: "a typo of EnsureExists", given: { [MODE]: "EnsureExist" }, hint: /did you mean EnsureExists\?/ },
    { name: "a value of no sort", given: { [MODE]: "yes" }, hint: /use Reconcile or EnsureExists/ },
    { name: "an empty value", given: { [MODE]: "" }, hint: /use Reconcile or EnsureExists/ },
    { name: "another case of true", given: { [SERVICE]: "True" }, hint: /only "true" does/ },
    {
      name: "a typo of the key",
      given: { "addonmanager.kubernetes.io/mod": "Reconcile" },
      hint: new RegExp(`did you mean ${MODE}`),
    },
    {
      name: "a plural of the key",
      given: { "addonmanager.kubernetes.io/modes": "Reconcile" },
      hint: new RegExp(`did you mean ${MODE}`),
    },
  ])("hints at $name", ({ given, hint }) => {
    expect(treatmentOf({ app: "dns", ...given })).toMatchObject({ kind: "omitted", hint: expect.stringMatching(hint) });
  });

  it.each([
    { name: "no labels", given: {} },
    { name: "labels of others", given: { app: "dns", "app.kubernetes.io/mode": "x" } },
    { name: "a cluster-service that was switched off", given: { [SERVICE]: "false" } },
  ])("has no hint for $name", ({ given }) => {
    expect(treatmentOf(given)).toEqual({ kind: "omitted", hint: undefined });
  });
});

const PART_OF = "applyset.kubernetes.io/part-of";

describe("addonIdentity", () => {
  const identity = addonIdentity(namesOf(""));

  it.each([
    { service: undefined, mode: "Reconcile", found: [MODE] },
    { service: "true", mode: "Reconcile", found: [MODE, SERVICE] },
    { service: "true", mode: undefined, found: [SERVICE] },
    { service: "true", mode: "typo", found: [SERVICE] },
    { service: "true", mode: "EnsureExists", found: [] },
    { service: "false", mode: "EnsureExists", found: [] },
    { service: undefined, mode: "typo", found: [] },
    { service: undefined, mode: undefined, found: [] },
  ])("counts cluster-service=$service, mode=$mode as of the class by $found", ({ service, mode, found }) => {
    expect(identity.classLabels(labels(service, mode))).toEqual(found);
  });

  it("selects with two selectors of which no object matches both", () => {
    expect(identity.selectors).toEqual([MODE, `${SERVICE}=true,!${MODE}`]);
  });

  it("marks members of an ApplySet, and none where its parent is another tool's", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", labels: { x: "y" } } };
    const marked = (isRefused: boolean) => addonIdentity(namesOf(""), { id: "i", isRefused }).decorate?.(object);

    expect(marked(false)).toMatchObject({ metadata: { name: "a", labels: { x: "y", [PART_OF]: "i" } } });
    expect(marked(true)).toBe(object);
    expect(identity.decorate).toBeUndefined();
  });

  it.each([
    { set: "", manager: "keelson", status: "keelson-status", control: "keelson-control" },
    { set: "edge", manager: "keelson.edge", status: "keelson-status-edge", control: "keelson-control-edge" },
  ])("names what belongs to set '$set'", ({ set, manager, status, control }) => {
    expect(namesOf(set)).toMatchObject({ manager, statusConfigMap: status, controlConfigMap: control });
  });
});

describe("desiredAddons", () => {
  it("declares labelled objects, mentions the others, and lists the deprecated label", () => {
    const snapshot = snapshotOf({
      "a.yaml": [
        configMap("reconciled", { [MODE]: "Reconcile" }),
        configMap("ensured", { [MODE]: "EnsureExists" }),
        configMap("old", { [SERVICE]: "true" }),
        configMap("typo", { [MODE]: "Reconcil" }),
        configMap("bare"),
      ].join("\n---\n"),
    });

    const { input, omitted, deprecated } = desiredAddons(snapshot);

    expect(input.declared.map(({ manifest, mode }) => [manifest.name, mode])).toEqual([
      ["reconciled", "Reconcile"],
      ["ensured", "EnsureExists"],
      ["old", "Reconcile"],
    ]);
    expect(input.mentioned.map(({ name }) => name)).toEqual(["typo", "bare"]);
    expect(omitted.map(({ hint }) => hint !== undefined)).toEqual([true, false]);
    expect(deprecated.map(({ name }) => name)).toEqual(["old"]);
  });

  it("tells the problems behind which objects may hide, and mentions objects that a problem names", () => {
    const snapshot = snapshotOf({
      "broken.yaml": "a: [",
      "named.yaml": `${configMap("named", { [MODE]: "Reconcile" }).replace('"labels":{', '"labels":{"x":{},')}`,
    });
    expect(snapshot.problems).toHaveLength(2);

    const { input } = desiredAddons(snapshot);

    expect(input.broken).toEqual(snapshot.problems.filter(({ holds }) => holds).map(({ key }) => key));
    expect(input.broken[0]).toMatch(/^broken\.yaml/);
    expect(input.mentioned.map(({ name }) => name)).toEqual(["named"]);
  });

  it("leaves alone what says itself that it is a member of another ApplySet, where this set is one", () => {
    const text = ["other", "mine"].map((of) => configMap(of, { [MODE]: "Reconcile", [PART_OF]: `applyset-${of}-v1` }));
    const snapshot = snapshotOf({ "a.yaml": text.join("\n---\n") });

    const { input } = desiredAddons(snapshot, "applyset-mine-v1");

    expect(input.declared.map(({ manifest }) => manifest.name)).toEqual(["mine"]);
    expect(input.refused?.map(({ manifest }) => [manifest.name, manifest.origin])).toEqual([
      ["other", expect.objectContaining({ file: "a.yaml", line: 1 })],
    ]);
    expect(desiredAddons(snapshot).input.declared).toHaveLength(2);
  });

  it("is missing where the directory is", () => {
    const snapshot = snapshotOf({}, { state: { kind: "missing", error: "ENOENT", message: "gone" } });

    expect(desiredAddons(snapshot).input).toMatchObject({ isMissing: true, declared: [] });
  });

  it("passes on since when files have shrunk", () => {
    const reduced = new Map([["a.yaml", 5]]);

    expect(desiredAddons(snapshotOf({}, { reduced })).input.reduced).toBe(reduced);
  });
});
