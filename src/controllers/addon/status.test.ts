import { describe, expect, it } from "vitest";
import type { DesiredObject } from "../../converge/index.ts";
import { KeelsonError } from "../../errors/index.ts";
import { ChangeMemory } from "./change-memory.ts";
import { desiredAddons } from "./desired.ts";
import { configMap, desired, desiredSet, engineStatus, kept, live, snapshotOf } from "./samples.case.ts";
import { type StatusInput, type StatusOverview, statusContent, statusReport } from "./status.ts";

const MODE = "addonmanager.kubernetes.io/mode";
const NOW = Date.UTC(2030, 0, 1);

function report(parts: Partial<StatusInput> = {}) {
  return statusReport({
    set: "",
    instance: "cp-1_7",
    path: "/addons",
    engine: engineStatus(),
    addons: undefined,
    snapshot: snapshotOf({}),
    now: NOW,
    ...parts,
  });
}

const overviewWith = (all: readonly DesiredObject[]): StatusOverview => ({
  desired: desiredSet(all),
  records: new Map(),
  plan: { steps: [], kept: [], waiting: [], paused: [], blocked: new Map(), converged: 0 },
  memory: undefined,
  leader: undefined,
  monotonic: 0,
});

const failure = { error: new KeelsonError("Invalid", "no"), count: 3, since: NOW - 60_000, notBefore: 0 };

describe("statusReport", () => {
  it.each([
    { phase: "converged", engine: {} },
    { phase: "starting", engine: { isSynced: false } },
    { phase: "progressing", engine: { desired: 2 } },
    { phase: "degraded", engine: { failures: new Map([["ConfigMap/default/a", failure]]) } },
    { phase: "degraded", engine: { blocked: new Map([["ConfigMap/default/a", "waits"]]) } },
    {
      phase: "degraded",
      engine: {
        fights: new Map([["ConfigMap/default/a", { manager: "m", path: "p", count: 9, delayMs: 1, subresource: "" }]]),
      },
    },
    { phase: "degraded", engine: { kept: [kept("a")] } },
    { phase: "converged", engine: { kept: [kept("a", { isConfirmable: false })] } },
    { phase: "degraded", engine: { unavailable: new Map([["Secret", new KeelsonError("Forbidden", "no")]]) } },
  ])("is $phase for $engine", ({ phase, engine }) => {
    expect(report({ engine: engineStatus(engine) }).phase).toBe(phase);
  });

  it.each([
    { name: "a broken file", snapshot: snapshotOf({ "b.yaml": "a: [" }) },
    {
      name: "a missing directory",
      snapshot: snapshotOf({}, { state: { kind: "missing", error: "ENOENT", message: "gone" } }),
    },
  ])("is degraded by $name, and says so", ({ snapshot }) => {
    const { phase, problems } = report({ snapshot });

    expect(phase).toBe("degraded");
    expect(problems).toHaveLength(1);
  });

  it("lists everything that is not converged, each with what to know", () => {
    const addons = desiredAddons(snapshotOf({ "a.yaml": configMap("typo", { [MODE]: "Reconcil" }) }));
    const engine = engineStatus({
      failures: new Map([["Deployment.apps/kube-system/dns", failure]]),
      blocked: new Map([["Widget.x.dev//w", "not served"]]),
      fights: new Map([
        ["ConfigMap/default/f", { manager: "hpa", path: "spec.replicas", count: 9, delayMs: 1, subresource: "" }],
      ]),
    });

    const { objects } = report({ engine, addons });

    expect(objects).toMatchObject([
      {
        object: { group: "apps", kind: "Deployment", namespace: "kube-system", name: "dns" },
        state: "failed",
        message: "Invalid: no",
        since: "2029-12-31T23:59:00.000Z",
      },
      { object: { group: "x.dev", kind: "Widget", namespace: "", name: "w" }, state: "waiting", message: "not served" },
      { state: "fighting", message: expect.stringMatching(/hpa keeps changing spec\.replicas/) },
      {
        object: { name: "typo" },
        state: "omitted",
        message: expect.stringMatching(/a\.yaml:1.*did you mean Reconcile/),
      },
    ]);
  });

  it("tells duplicates and unserved kinds as problems, mere warnings not", () => {
    const origin = { file: "b.yaml", line: 4 };
    const remark = { code: "DuplicateObject", message: "twice", origin, key: "k" } as const;
    const engine = engineStatus({
      remarks: [
        { ...remark, severity: "error" },
        { ...remark, severity: "warning" },
      ],
    });

    expect(report({ engine }).problems).toEqual([{ file: "b.yaml", line: 4, message: "twice" }]);
  });

  it("stays far below a ConfigMap's mebibyte with 5,000 objects in trouble, counts all and says what is left out", () => {
    const refused = { ...failure, error: new KeelsonError("Invalid", "\u00e4".repeat(5_000)) };
    const keys = Array.from({ length: 5_000 }, (_, at) => at);
    const failures = new Map(keys.map((at) => [`ConfigMap/default/${at}`, refused] as const));
    const files = keys.map((at) => [`${"folder/".repeat(10)}${at}.yaml`, configMap(`c${at}`, { [MODE]: "Reconcile" })]);
    const broken = keys.map((at) => [`broken-${at}.yaml`, "a: ["]);
    const snapshot = snapshotOf(Object.fromEntries([...files, ...broken]));
    const all = snapshot.objects.map(({ origin }, at) => desired({ name: String(at) }, { origin }));
    const engine = engineStatus({ failures, kept: keys.map((at) => kept(`k${at}`)) });
    const overview = overviewWith(all);

    const made = report({ engine, snapshot, overview });

    expect(made.summary).toMatchObject({ failed: 5_000, problems: 5_000, held: 5_000 });
    expect(Buffer.byteLength(JSON.stringify(made, undefined, 2))).toBeLessThan(750_000);
    for (const name of ["files", "objects", "held", "problems"] as const) {
      expect(made.leftOut?.[name]).toBeGreaterThan(0);
    }
    expect(made.objects.length + (made.leftOut?.objects ?? 0)).toBe(5_000);
  });

  it("shows each file with its objects, readiness and last changes", () => {
    const origin = { file: "dns.yaml", line: 1 };
    const [a, b] = [desired({ name: "a" }, { origin }), desired({ name: "b" }, { origin })];
    const records = new Map([
      [a.key, live({ name: "a" })],
      [b.key, live({ name: "b" }, { readiness: "InProgress", unready: "1 of 2 updated" })],
    ]);
    const memory = new ChangeMemory();
    const lastChange = { at: "2030-01-01T00:00:00Z", object: a.ref, text: "created: not in the cluster" };
    memory.restore(JSON.stringify({ lastChange, files: [{ file: "dns.yaml", lastChange }] }));

    const { files, summary, lastChange: all } = report({ overview: { ...overviewWith([a, b]), records, memory } });

    expect(summary.ready).toBe(1);
    expect(all).toEqual(lastChange);
    expect(files).toEqual([
      {
        file: "dns.yaml",
        state: "waiting",
        objects: 2,
        converged: 2,
        ready: 1,
        unready: [{ object: b.ref, readiness: "InProgress", message: "1 of 2 updated" }],
        lastChange,
      },
    ]);
  });

  it("tells when a failed object is tried again, and where it stands", () => {
    const a = desired({ name: "a" });
    const failures = new Map([[a.key, { ...failure, notBefore: 5_000 }]]);

    const { objects } = report({
      engine: engineStatus({ failures }),
      overview: { ...overviewWith([a]), monotonic: 2_000 },
    });

    expect(objects).toMatchObject([{ retry: "2030-01-01T00:00:03.000Z", file: "a.yaml", line: 1 }]);
  });

  it("counts held apart from kept", () => {
    const engine = engineStatus({ kept: [kept("a"), kept("b", { isConfirmable: false })] });

    expect(report({ engine }).summary).toMatchObject({ kept: 2, held: 1, desired: 1, converged: 1, failed: 0 });
  });

  it("has the same content whenever and by which process of a host it is written", () => {
    const later = report({ now: NOW + 1, instance: "cp-1_9" });

    expect(later.updated).not.toBe(report().updated);
    expect(statusContent(later)).toBe(statusContent(report()));
    expect(statusContent(report({ instance: "cp-2_9" }))).not.toBe(statusContent(report()));
    expect(statusContent(report({ engine: engineStatus({ desired: 2 }) }))).not.toBe(statusContent(report()));
  });
});
