import { describe, expect, it } from "vitest";
import { MissingTracker } from "./missing.ts";
import { decide, type PruneLimit, phaseOfStep, plan } from "./plan.ts";
import { desired, desiredSet, digest, live, planInput, pruneContext } from "./samples.case.ts";
import { refOfStep } from "./step.ts";

const key = "ConfigMap/default/a";

describe("decide, for a Reconcile object", () => {
  it.each([
    { name: "it was never seen", baselines: [], reason: "missing" },
    { name: "it was there", baselines: [live({})], reason: "deleted" },
  ])("creates it when absent, and says whether $name", ({ baselines, reason }) => {
    const decision = decide(key, planInput({ desired: [desired({})], baselines }));

    expect(decision).toMatchObject({ kind: "step", step: { kind: "create", reason: { kind: reason } } });
  });

  it("finds it converged where the record equals what our last apply left", () => {
    // Text may differ (a quantity): the baseline alone decides.
    const record = live({}, { holdsDesired: false, resourceVersion: "99" });

    expect(decide(key, planInput({ desired: [desired({})], live: [record], baselines: [record] }))).toEqual({
      kind: "converged",
    });
  });

  it("finds it converged before any apply where it holds the desired text", () => {
    expect(decide(key, planInput({ desired: [desired({})], live: [live({})] }))).toEqual({ kind: "converged" });
  });

  it.each([
    { name: "another uid", change: { uid: "other" } },
    { name: "another owned set", change: { setHash: "other" } },
    { name: "another owned value", change: { valueHash: "other" } },
  ])("applies on drift: $name", ({ change }) => {
    const input = planInput({ desired: [desired({})], live: [live({}, change)], baselines: [live({})] });

    expect(decide(key, input)).toMatchObject({ kind: "step", step: { kind: "apply", reason: { kind: "drifted" } } });
  });

  it("applies where the server's tracking is not reliable, whatever the record says", () => {
    const record = live({}, { isTrackingReliable: false });

    expect(decide(key, planInput({ desired: [desired({})], live: [record], baselines: [record] }))).toMatchObject({
      step: { kind: "apply" },
    });
  });

  it("applies a changed file, naming the line, although the record equals the baseline", () => {
    const changed = desired({}, { digest: digest(2), origin: { file: "dns.yaml", line: 12 } });
    const input = planInput({ desired: [changed], live: [live({})], baselines: [live({})] });

    expect(decide(key, input)).toMatchObject({
      step: { kind: "apply", reason: { kind: "changed", file: "dns.yaml", line: 12 } },
    });
  });

  it.each([
    { name: "adopted", change: { hasApplyEntry: false, applied: undefined, holdsDesired: false } },
    { name: "changed", change: { applied: digest(0), holdsDesired: false } },
    // Observed while the file still read otherwise.
    { name: "changed", change: { applied: digest(0), holdsDesired: true } },
    { name: "unverified", change: { holdsDesired: false } },
  ] as const)("says of an object without baseline that it is $name", ({ name, change }) => {
    expect(decide(key, planInput({ desired: [desired({})], live: [live({}, change)] }))).toMatchObject({
      step: { kind: "apply", reason: { kind: name } },
    });
  });

  it("waits while it is being deleted, naming the finalizers", () => {
    const record = live({}, { terminating: ["example.com/wait"] });

    expect(decide(key, planInput({ desired: [desired({})], live: [record] }))).toMatchObject({
      kind: "blocked",
      detail: expect.stringContaining("example.com/wait"),
    });
  });

  it("waits while its kind is not served", () => {
    expect(decide(key, planInput({ desired: [desired({}, { resource: undefined })] }))).toMatchObject({
      kind: "blocked",
    });
  });
});

describe("decide, for an Absent object", () => {
  const absent = desired({}, { mode: "Absent" });

  it("deletes it whoever made it", () => {
    const foreign = live({}, { classLabels: [], isProven: false, hasApplyEntry: false, hasController: true });

    expect(decide(key, planInput({ desired: [absent], live: [foreign] }))).toMatchObject({
      step: { kind: "delete", live: foreign, reason: { kind: "unwanted" } },
    });
  });

  it.each([
    { name: "it is not there", object: absent },
    { name: "its kind is not served", object: desired({}, { mode: "Absent", resource: undefined }) },
  ])("is content where $name", ({ object }) => {
    expect(decide(key, planInput({ desired: [object] }))).toEqual({ kind: "converged" });
  });

  it("waits while it is being deleted, naming the finalizers", () => {
    const record = live({}, { terminating: ["example.com/wait"] });

    expect(decide(key, planInput({ desired: [absent], live: [record] }))).toEqual({
      kind: "blocked",
      detail: "it is being deleted (finalizers: example.com/wait)",
    });
  });

  it("is deleted whatever the prune limit is", () => {
    const pruneLimit: PruneLimit = { kind: "count", count: 0 };

    expect(plan(planInput({ desired: [absent], live: [live({})], pruneLimit })).steps).toHaveLength(1);
  });
});

describe("decide, for an EnsureExists object", () => {
  const ensured = desired({}, { mode: "EnsureExists" });

  it("creates it when absent", () => {
    expect(decide(key, planInput({ desired: [ensured] }))).toMatchObject({
      step: { kind: "ensure", reason: { kind: "missing" } },
    });
  });

  it.each([
    { name: "as we created it", change: { classLabels: [], ownsModeLabel: false, isProven: false } },
    {
      name: "without any label",
      change: { classLabels: [], modeLabel: undefined, ownsModeLabel: false, isProven: false },
    },
    { name: "with other content", change: { ownsModeLabel: false, isProven: false, valueHash: "other", applied: "x" } },
    {
      name: "with somebody's Reconcile label",
      change: { ownsModeLabel: false, isProven: false, hasApplyEntry: false },
    },
  ])("leaves it alone $name", ({ change }) => {
    expect(decide(key, planInput({ desired: [ensured], live: [live({}, change)] }))).toEqual({ kind: "converged" });
  });

  it.each([
    { name: "the mode label", change: { ownsModeLabel: true } },
    { name: "the older label of the class", change: { ownsModeLabel: false, isProven: true } },
  ])("relabels it while our Apply entry owns $name, and does nothing more", ({ change }) => {
    expect(decide(key, planInput({ desired: [ensured], live: [live({}, change)] }))).toMatchObject({
      step: { kind: "relabel", reason: { kind: "mode-changed" } },
    });
  });

  it("is never pruned nor applied, whatever prune says", () => {
    const input = planInput({ desired: [ensured], live: [live({}, { ownsModeLabel: false, isProven: false })] });

    expect(plan(input).steps).toEqual([]);
  });
});

describe("decide, for an object that is not desired", () => {
  it("ignores one that is not there", () => {
    expect(decide(key, planInput({}))).toEqual({ kind: "ignored" });
  });

  it.each([
    { name: "deletes", prune: {}, expected: { kind: "step", step: { kind: "delete", reason: { kind: "left" } } } },
    {
      name: "keeps",
      prune: { isOff: true },
      expected: { kind: "kept", filter: "switched-off", isConfirmable: false },
    },
    { name: "ignores", prune: { isDesiredUid: () => true }, expected: { kind: "ignored" } },
    { name: "waits", prune: { now: 0 }, expected: { kind: "waiting", untilMs: 2_000 } },
  ])("$name as the prune rules say", ({ prune, expected }) => {
    expect(decide(key, planInput({ live: [live({})], prune }))).toMatchObject(expected);
  });

  it("releases a protected one", () => {
    const record = live({ kind: "Namespace", namespace: "", name: "kube-system" });

    expect(decide(record.key, planInput({ live: [record] }))).toMatchObject({
      step: { kind: "release", reason: { kind: "protected" } },
    });
  });
});

describe("plan", () => {
  const refs = {
    crd: { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition", namespace: "", name: "x" },
    namespace: { kind: "Namespace", namespace: "", name: "ns" },
    config: { name: "config" },
    deployment: { group: "apps", kind: "Deployment", name: "web" },
    service: { kind: "Service", name: "web" },
    webhook: {
      group: "admissionregistration.k8s.io",
      kind: "ValidatingWebhookConfiguration",
      namespace: "",
      name: "web",
    },
    apiService: { group: "apiregistration.k8s.io", kind: "APIService", namespace: "", name: "v1.x" },
  };

  it("applies in phases: definitions, configuration with Services, workloads, registrations", () => {
    const backwards = [...Object.values(refs)].reverse().map((ref) => desired(ref));

    const { steps } = plan(planInput({ desired: backwards }));

    expect(steps.map((step) => refOfStep(step).kind)).toEqual([
      "Namespace",
      "CustomResourceDefinition",
      "ConfigMap",
      "Service",
      "Deployment",
      "ValidatingWebhookConfiguration",
      "APIService",
    ]);
  });

  it("deletes in reverse, after every apply: a webhook goes before its backend", () => {
    const left = Object.values(refs).map((ref) => live(ref));

    const { steps } = plan(planInput({ desired: [desired({ name: "new" })], live: left }));

    expect(steps.map((step) => `${step.kind} ${refOfStep(step).kind}`)).toEqual([
      "create ConfigMap",
      "delete ValidatingWebhookConfiguration",
      "delete APIService",
      "delete Deployment",
      "delete ConfigMap",
      "delete Service",
      "delete Namespace",
      "delete CustomResourceDefinition",
    ]);
  });

  it("ensures before it reconciles within a phase, not across phases", () => {
    const { steps } = plan(
      planInput({
        desired: [
          desired({ kind: "Secret", name: "z" }, { mode: "EnsureExists" }),
          desired({ kind: "ConfigMap", name: "a" }),
          desired(refs.deployment, { mode: "EnsureExists" }),
        ],
      }),
    );

    expect(steps.map(({ kind, key: of }) => `${kind} ${of}`)).toEqual([
      "ensure Secret/default/z",
      "create ConfigMap/default/a",
      "ensure Deployment.apps/default/web",
    ]);
  });

  it("gives a delete a later phase than any apply", () => {
    const { steps } = plan(planInput({ desired: [desired(refs.apiService)], live: [live(refs.config)] }));

    const [apply, removal] = steps.map(phaseOfStep);
    expect(removal).toBeGreaterThan(apply ?? Number.POSITIVE_INFINITY);
  });

  it("counts what is converged, and lists what is kept, waits or is blocked apart from the steps", () => {
    const planned = plan(
      planInput({
        desired: [desired({ name: "ok" }), desired({ name: "later" }, { resource: undefined })],
        live: [live({ name: "ok" }), live({ name: "stays" }, { isPruneDisabled: true }), live({ name: "left" })],
        prune: { now: 0 },
      }),
    );

    expect(planned.steps).toEqual([]);
    expect(planned.converged).toBe(1);
    expect([...planned.blocked.keys()]).toEqual(["ConfigMap/default/later"]);
    expect(planned.kept.map(({ live: { ref } }) => ref.name)).toEqual(["stays"]);
    expect(planned.waiting.map(({ live: { ref } }) => ref.name)).toEqual(["left"]);
  });

  it("patches an object that moved to another API group, and deletes nothing", () => {
    const moved = live({ group: "networking.k8s.io", kind: "Ingress" }, { uid: "7", holdsDesired: false });
    const old = live({ group: "extensions", kind: "Ingress" }, { uid: "7" });
    const input = planInput({
      desired: [desired({ group: "networking.k8s.io", kind: "Ingress" })],
      live: [moved, old],
      prune: { isDesiredUid: (uid) => uid === "7" },
    });

    expect(plan(input).steps.map(({ kind }) => kind)).toEqual(["apply"]);
  });

  it("plans no delete for an unchanged set", () => {
    const input = planInput({ desired: [desired({})], live: [live({})], baselines: [live({})] });

    expect(plan(input)).toMatchObject({ steps: [], kept: [], waiting: [], converged: 1 });
  });
});

describe("--prune-limit", () => {
  const left = (count: number) => Array.from({ length: count }, (_, at) => live({ name: `left-${at}` }));
  const kept = (count: number) => Array.from({ length: count }, (_, at) => live({ name: `kept-${at}` }));
  const count = (limit: number): PruneLimit => ({ kind: "count", count: limit });
  const percent = (limit: number): PruneLimit => ({ kind: "percent", percent: limit });

  it.each([
    { name: "3 of at most 3", limit: count(3), deletes: 3, stay: 0, isHeld: false },
    { name: "4 of at most 3", limit: count(3), deletes: 4, stay: 0, isHeld: true },
    { name: "1 of at most 0", limit: count(0), deletes: 1, stay: 9, isHeld: true },
    { name: "2 of 10 at 20 percent", limit: percent(20), deletes: 2, stay: 8, isHeld: false },
    { name: "3 of 10 at 20 percent", limit: percent(20), deletes: 3, stay: 7, isHeld: true },
    { name: "1 of 9 at 10 percent, rounded down", limit: percent(10), deletes: 1, stay: 8, isHeld: true },
    { name: "all at 100 percent", limit: percent(100), deletes: 5, stay: 0, isHeld: false },
    { name: "any number without a limit", limit: undefined, deletes: 50, stay: 0, isHeld: false },
  ])("$name: held $isHeld", ({ limit, deletes, stay, isHeld }) => {
    const input = planInput({
      desired: kept(stay).map(({ ref }) => desired(ref)),
      live: [...left(deletes), ...kept(stay)],
      prune: { desired: desiredSet([desired({ name: "other" })]) },
      pruneLimit: limit,
    });

    const planned = plan(input);

    expect(planned.steps).toHaveLength(isHeld ? 0 : deletes);
    expect(planned.kept).toHaveLength(isHeld ? deletes : 0);
    for (const each of planned.kept) expect(each).toMatchObject({ filter: "prune-limit", isConfirmable: true });
  });

  it("holds deletes alone: applies and releases go on", () => {
    const system = live({ kind: "Namespace", namespace: "", name: "kube-system" });
    const planned = plan(
      planInput({ desired: [desired({ name: "new" })], live: [...left(3), system], pruneLimit: count(1) }),
    );

    expect(planned.steps.map(({ kind }) => kind)).toEqual(["create", "release"]);
  });

  it("does not count what was confirmed, and deletes it", () => {
    const planned = plan(
      planInput({
        live: left(4),
        pruneLimit: count(1),
        prune: { confirmed: new Set(["uid-left-0", "uid-left-1", "uid-left-2"]) },
      }),
    );

    expect(planned.steps).toHaveLength(4);
    expect(planned.kept).toEqual([]);
  });

  it("counts what still waits for its file to settle, so that nothing trickles through", () => {
    const missing = new MissingTracker();
    const others = [desired({ name: "other" })];
    const files = left(4).map(({ ref }, at) => desired(ref, { origin: { file: `${at}.yaml`, line: 1 } }));
    missing.advance(desiredSet([...files, ...others]), 0);
    const reduced = new Map(files.map(({ origin: { file } }, at) => [file, 1_000 + at]));
    const set = desiredSet(others, { reduced });
    missing.advance(set, 1_000);
    const context = pruneContext({ desired: set, missing, now: 3_000 });

    const planned = plan(planInput({ live: left(4), prune: context, pruneLimit: count(2) }));

    expect(planned.waiting).toHaveLength(3);
    expect(planned.steps).toEqual([]);
    expect(planned.kept).toHaveLength(1);
  });
});

describe("decide, for a paused object", () => {
  const drifted = live({}, { setHash: "other" });
  const until = Date.UTC(2030, 0, 1);

  it("does nothing that would be a write, and says what it would be", () => {
    const input = {
      ...planInput({ desired: [desired({})], live: [drifted], baselines: [live({})] }),
      pausedUntil: () => until,
    };

    expect(decide(key, input)).toMatchObject({ kind: "paused", until, step: { kind: "apply" } });
    expect(plan(input)).toMatchObject({ steps: [], converged: 0, paused: [{ step: { key } }] });
  });

  it("is converged where nothing is to be done", () => {
    const input = { ...planInput({ desired: [desired({})], live: [live({})] }), pausedUntil: () => until };

    expect(decide(key, input)).toEqual({ kind: "converged" });
  });

  it("is asked for by its reference and its file", () => {
    const asked: unknown[] = [];
    const pausedUntil = (...what: unknown[]): undefined => void asked.push(what);

    decide(key, { ...planInput({ desired: [desired({})], live: [drifted], baselines: [live({})] }), pausedUntil });

    expect(asked).toEqual([[desired({}).ref, "a.yaml"]]);
  });

  it("keeps what left the directory (row 11), unconfirmable", () => {
    const input = {
      ...planInput({ desired: [desired({ name: "other" })], live: [live({})] }),
      pausedUntil: () => until,
    };

    expect(decide(key, input)).toMatchObject({ kind: "kept", filter: "paused", isConfirmable: false });
  });
});
