import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/object/index.ts";
import { eventually } from "../control-plane/index.ts";
import {
  Admin,
  annotated,
  clusterObject,
  configMap,
  crd,
  deployment,
  describeWithApiServer,
  type Live,
  object,
  pathOf,
  reconciled,
  service,
  startEngine,
  type TestEngine,
} from "./addon-bed/index.ts";

const RECREATE = { "keelson.dev/recreate": "allowed" };
const PROBE = { httpGet: { path: "/", port: 80 } };

interface Foreign {
  readonly name: string;
  readonly desired: (name: string) => KubeObject;
  /** Strategic merge patch or JSON patch by somebody else. */
  readonly edit: unknown;
  readonly type?: "strategic" | "json";
  /** What must be as it was afterwards. */
  readonly part: (live: Live) => unknown;
}

const container = (live: Live) => live.spec.template.spec.containers[0];
const volumes = (live: Live) => live.spec.template.spec.volumes;
const CONTAINER = "/spec/template/spec/containers/0";

/** Foreign edits after which a forced apply alone is refused with 422 for ever (server-side apply, observed). */
const FOREIGN: readonly Foreign[] = [
  {
    name: "the number of a named port of a Service",
    desired: (name) => service(name),
    edit: [{ op: "replace", path: "/spec/ports/0/port", value: 81 }],
    part: (live) => live.spec.ports.map(({ name, port }: { name: string; port: number }) => [name, port]),
  },
  {
    name: "the protocol of a named port of a Service",
    desired: (name) => service(name, { ports: [{ name: "dns", port: 53, protocol: "UDP" }] }),
    edit: [{ op: "replace", path: "/spec/ports/0/protocol", value: "TCP" }],
    part: (live) => live.spec.ports[0].protocol,
  },
  {
    name: "the number of a named port of a container",
    desired: (name) => deployment(name, { ports: [{ name: "http", containerPort: 80 }] }),
    edit: [{ op: "replace", path: `${CONTAINER}/ports/0/containerPort`, value: 81 }],
    part: (live) => container(live).ports.map(({ containerPort }: { containerPort: number }) => containerPort),
  },
  {
    name: "the protocol of a container's port that the file leaves to its default",
    desired: (name) => deployment(name, { ports: [{ name: "http", containerPort: 80 }] }),
    edit: [
      { op: "replace", path: `${CONTAINER}/ports/0/protocol`, value: "UDP" },
      { op: "add", path: "/spec/template/spec/containers/-", value: { name: "sidecar", image: "s:1" } },
    ],
    part: (live) => container(live).ports,
  },
  {
    name: "a value of the environment into a reference",
    desired: (name) => deployment(name, { env: [{ name: "A", value: "1" }] }),
    edit: [
      {
        op: "replace",
        path: `${CONTAINER}/env/0`,
        value: { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      },
    ],
    part: (live) => container(live).env,
  },
  {
    name: "the handler of a probe",
    desired: (name) => deployment(name, { livenessProbe: PROBE }),
    edit: [{ op: "replace", path: `${CONTAINER}/livenessProbe`, value: { exec: { command: ["true"] } } }],
    part: (live) => [container(live).livenessProbe.httpGet.path, container(live).livenessProbe.exec],
  },
  {
    name: "the source of a volume",
    desired: (name) => deployment(name, {}, { pod: { volumes: [{ name: "v", configMap: { name: "c" } }] } }),
    edit: [{ op: "replace", path: "/spec/template/spec/volumes/0", value: { name: "v", emptyDir: {} } }],
    part: (live) => [volumes(live)[0].configMap.name, volumes(live)[0].emptyDir],
  },
  {
    name: "the strategy of a Deployment",
    desired: (name) => deployment(name, {}, { spec: { strategy: { type: "Recreate" } } }),
    edit: [{ op: "replace", path: "/spec/strategy", value: { type: "RollingUpdate", rollingUpdate: { maxSurge: 2 } } }],
    part: (live) => live.spec.strategy,
  },
];

const withContainers = (name: string, ...containers: readonly object[]): KubeObject =>
  deployment(name, {}, { pod: { containers } });

/** File changes that meet a server default or a field of somebody else (the same). */
const FILE_CHANGES: readonly {
  readonly name: string;
  readonly before: (name: string) => KubeObject;
  /** JSON patch by somebody else in between. */
  readonly edit?: unknown;
  readonly after: (name: string) => KubeObject;
  readonly part: (live: Live) => unknown;
  readonly expected: unknown;
}[] = [
  {
    name: "no strategy to Recreate",
    before: (name) => deployment(name),
    after: (name) => deployment(name, {}, { spec: { strategy: { type: "Recreate" } } }),
    part: (live) => live.spec.strategy,
    expected: { type: "Recreate" },
  },
  {
    name: "a volume with a defaulted emptyDir to a secret",
    before: (name) => deployment(name, {}, { pod: { volumes: [{ name: "v" }] } }),
    after: (name) => deployment(name, {}, { pod: { volumes: [{ name: "v", secret: { secretName: "s" } }] } }),
    part: (live) => [volumes(live)[0].secret.secretName, volumes(live)[0].emptyDir],
    expected: ["s", undefined],
  },
  {
    name: "one union member that is all ours to another",
    before: (name) => deployment(name, {}, { pod: { volumes: [{ name: "v", configMap: { name: "c" } }] } }),
    after: (name) => deployment(name, {}, { pod: { volumes: [{ name: "v", secret: { secretName: "s" } }] } }),
    part: (live) => [volumes(live)[0].secret.secretName, volumes(live)[0].configMap],
    expected: ["s", undefined],
  },
  {
    name: "a volume to two, where the parent of neither is valid without the other",
    before: (name) =>
      deployment(name, { volumeMounts: [{ name: "b", mountPath: "/b" }] }, { pod: { volumes: [{ name: "b" }] } }),
    after: (name) =>
      deployment(
        name,
        {
          volumeMounts: [
            { name: "a", mountPath: "/a" },
            { name: "b", mountPath: "/b" },
          ],
        },
        {
          pod: {
            volumes: [
              { name: "a", emptyDir: {} },
              { name: "b", configMap: { name: "c" } },
            ],
          },
        },
      ),
    part: (live) => volumes(live).map(({ name, configMap }: { name: string; configMap?: object }) => [name, configMap]),
    expected: [
      ["a", undefined],
      ["b", { name: "c", defaultMode: 420 }],
    ],
  },
  {
    name: "two containers to one, where somebody holds a field of the other",
    before: (name) =>
      withContainers(name, { name: "main", image: "m:1", args: ["--a"] }, { name: "aux", image: "aux:1" }),
    edit: [{ op: "replace", path: "/spec/template/spec/containers/1/imagePullPolicy", value: "Always" }],
    after: (name) => withContainers(name, { name: "main", image: "m:1", args: ["--b"] }),
    part: (live) => live.spec.template.spec.containers.map(({ args }: { args: string[] }) => args),
    expected: [["--b"]],
  },
];

describeWithApiServer("repairs beyond an apply", (plane) => {
  let admin: Admin;
  beforeAll(async () => {
    admin = await Admin.of(plane());
  });
  afterAll(() => admin.close());

  /** No entry of ours but the one of our applies: an Update entry would keep alive what a later apply drops. */
  function expectOnlyApplyEntry(live: Live, daemon: TestEngine): void {
    const ours = live.metadata.managedFields.filter(({ manager }: { manager: string }) => manager === daemon.manager);
    expect(ours.map(({ operation }: { operation: string }) => operation)).toEqual(["Apply"]);
  }

  describe("a foreign edit of", () => {
    it.each(FOREIGN.map((each, at) => ({ ...each, id: `foreign-${at}` })))("$name is undone", async (row) => {
      const desired = reconciled(row.desired(row.id));
      const daemon = await startEngine(plane(), { set: row.id });
      await daemon.declare(desired);
      await daemon.converged();
      const before = row.part(await admin.find(pathOf(desired)));

      const edited = await admin.patch(pathOf(desired), row.edit, { type: "json" });
      expect(() => expect(row.part(edited)).toEqual(before)).toThrow();
      await eventually("it is as before", async () => {
        expect(row.part(await admin.find(pathOf(desired)))).toEqual(before);
        return true;
      });
      await daemon.converged();

      const live = await admin.find(pathOf(desired));
      expect(live.metadata.uid).toBe(edited.metadata.uid);
      expectOnlyApplyEntry(live, daemon);
      expect(daemon.outcomesOf(row.id)).not.toContain("failed");
    });
  });

  describe("a change of the file from", () => {
    it.each(FILE_CHANGES.map((each, at) => ({ ...each, id: `file-${at}` })))("$name comes through", async (row) => {
      const daemon = await startEngine(plane(), { set: row.id });
      await daemon.declare(reconciled(row.before(row.id)));
      await daemon.converged();
      const { uid } = (await admin.find(pathOf(row.before(row.id)))).metadata;
      if (row.edit !== undefined) await admin.patch(pathOf(row.before(row.id)), row.edit, { type: "json" });

      await daemon.declare(reconciled(row.after(row.id)));
      await daemon.converged();

      const live = await admin.find(pathOf(row.after(row.id)));
      expect(row.part(live)).toEqual(row.expected);
      expect(live.metadata.uid).toBe(uid);
      expectOnlyApplyEntry(live, daemon);
    });
  });

  it("leaves what others have added where the file is refused for another reason, too", async () => {
    const daemon = await startEngine(plane(), { set: "elsewhere" });
    const before = reconciled(deployment("elsewhere", {}, { pod: { volumes: [{ name: "v" }] } }));
    await daemon.declare(before);
    await daemon.converged();
    const foreign = [
      { op: "add", path: "/spec/template/spec/containers/-", value: { name: "sidecar", image: "s:1" } },
      { op: "add", path: "/spec/template/spec/volumes/-", value: { name: "foreign", emptyDir: {} } },
    ];
    await admin.patch(pathOf(before), foreign, { type: "json" });

    const secret = { name: "v", secret: { secretName: "s" } };
    await daemon.declare(
      reconciled(deployment("elsewhere", {}, { pod: { volumes: [secret] }, spec: { replicas: -1 } })),
    );
    await eventually("it is refused", () => daemon.outcomesOf("elsewhere").includes("failed"));

    const live = await admin.find(pathOf(before));
    expect(volumes(live).map(({ name }: { name: string }) => name)).toEqual(["v", "foreign"]);
    expect(live.spec.template.spec.containers.map(({ name }: { name: string }) => name)).toEqual(["c", "sidecar"]);
  });

  describe("a custom resource whose managedFields name a version that is gone", () => {
    const properties = { a: { type: "string" }, b: { type: "string" } };

    /** A kind with two versions; one object of it that somebody labelled through the older one. */
    async function withOldEntry(singular: string): Promise<{ path: string; desired: (spec: object) => KubeObject }> {
      await applyCrd(crd(singular, { v1alpha1: properties, v1: properties }));
      const desired = (spec: object): KubeObject =>
        reconciled(object("example.dev/v1", singular[0]?.toUpperCase() + singular.slice(1), "x", { spec }));
      const path = `/apis/example.dev/v1/namespaces/default/${singular}s/x`;
      return { path, desired };
    }

    async function applyCrd(definition: KubeObject): Promise<void> {
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`;
      await admin.apply(path, definition, "admin");
    }

    /** Drops the older version from the definition, as an upgrade of an operator does. */
    async function dropOldVersion(singular: string): Promise<void> {
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${singular}s.example.dev`;
      await admin.patch(`${path}/status`, { status: { storedVersions: ["v1"] } });
      await applyCrd(crd(singular, { v1: properties }));
    }

    it("is repaired while running: foreign values go back, dropped fields go", async () => {
      const { path, desired } = await withOldEntry("gadget");
      const daemon = await startEngine(plane(), { set: "gadget" });
      await daemon.declare(desired({ a: "1", b: "2" }));
      await daemon.converged();
      await admin.patch(path.replace("/v1/", "/v1alpha1/"), { metadata: { labels: { old: "1" } } }, { manager: "old" });
      await daemon.converged();
      await dropOldVersion("gadget");

      await eventually("the foreign value is put back", async () => {
        // Until the server has forgotten the version the write is tracked, and merely undone.
        await admin.patch(path, { spec: { a: "FOREIGN" } });
        return eventually("put back", async () => (await admin.find(path)).spec.a === "1", { timeoutMs: 5_000 });
      });
      await daemon.declare(desired({ a: "1" }));
      await daemon.converged();

      const live = await admin.find(path);
      expect(live.spec).toEqual({ a: "1" });
      expect(live.metadata.labels.old).toBe("1");
      expect(versionsOf(live)).toEqual(["example.dev/v1"]);
    });

    it("is repaired at a start, where the drift happened before", async ({ skip }) => {
      const { minor } = await admin.find("/version");
      if (Number(minor) < 35) skip(`Kubernetes 1.${minor} takes an apply although an entry's version is gone`);
      const { path, desired } = await withOldEntry("gizmo");
      const first = await startEngine(plane(), { set: "gizmo" });
      await first.declare(desired({ a: "1", b: "2" }));
      await first.converged();
      first.stop();
      await admin.patch(path.replace("/v1/", "/v1alpha1/"), { metadata: { labels: { old: "1" } } }, { manager: "old" });
      await dropOldVersion("gizmo");
      await eventually("an apply is refused", async () => {
        await admin.patch(path, { spec: { a: "FOREIGN" } });
        return admin.apply(`${path}`, desired({ a: "1" }), "probe").then(
          () => false,
          (error: Error) => error.message.includes("invalid group/version"),
        );
      });

      const second = await startEngine(plane(), { set: "gizmo" });
      await second.declare(desired({ a: "1" }));
      await second.converged();

      const live = await admin.find(path);
      expect(live.spec).toEqual({ a: "1" });
      expect(versionsOf(live)).toEqual(["example.dev/v1"]);
      expect(second.outcomesOf("x")).not.toContain("failed");
    });

    it("leaves entries of versions that are served alone, also of one that came while running", async () => {
      const { path, desired } = await withOldEntry("gear");
      await applyCrd(crd("gear", { v1: properties }));
      const daemon = await startEngine(plane(), { set: "gear" });
      await daemon.declare(desired({ a: "1" }));
      await daemon.converged();

      await applyCrd(crd("gear", { v1: properties, v2: properties }, { storage: "v1" }));
      await eventually("the new version is served", () => admin.get(path.replace("/v1/", "/v2/")));
      await eventually("its entries are taken for reliable", async () => {
        await admin.patch(path.replace("/v1/", "/v2/"), { metadata: { labels: { at: String(Date.now()) } } });
        await daemon.engine.whenIdle();
        const before = daemon.changes.length;
        await admin.patch(path.replace("/v1/", "/v2/"), { metadata: { labels: { at: String(Date.now()) } } });
        const { resourceVersion } = (await admin.find(path)).metadata;
        await eventually("seen", () =>
          [...daemon.engine.records.values()].some((r) => r.resourceVersion === resourceVersion),
        );
        await daemon.engine.whenIdle();
        return daemon.changes.length === before;
      });
    });
  });

  describe("an immutable field that the file changes", () => {
    it("fails, names the field, and leaves the object as it was", async () => {
      const frozen = (data: Record<string, string>) => reconciled({ ...configMap("i-a", data), immutable: true });
      const daemon = await startEngine(plane(), { set: "i" });
      await daemon.declare(frozen({ a: "1" }), reconciled(configMap("i-b")));
      await daemon.converged();
      const before = await admin.find(pathOf(frozen({})));

      await daemon.declare(frozen({ a: "2" }), reconciled(configMap("i-b", { a: "2" })));
      await eventually("it has failed", () => daemon.engine.status().failures.size === 1);
      await eventually("the other is changed", async () => (await admin.find(pathOf(configMap("i-b")))).data.a === "2");

      const failure = [...daemon.engine.status().failures.values()][0];
      expect(failure?.error.code).toBe("Immutable");
      expect(failure?.error.message).toMatch(/data.*immutable/);
      expect((await admin.find(pathOf(frozen({})))).metadata.uid).toBe(before.metadata.uid);
      // A change of the file helps at once.
      await daemon.declare(frozen({ a: "1" }), reconciled(configMap("i-b", { a: "2" })));
      await daemon.converged();
    });

    it.each([
      {
        name: "an immutable ConfigMap",
        id: "r-cm",
        before: { ...configMap("r-cm", { a: "1" }), immutable: true },
        after: { ...configMap("r-cm", { a: "2" }), immutable: true },
        part: (live: Live) => live.data.a,
        expected: "2",
      },
      {
        name: "the selector of a Deployment",
        id: "r-deploy",
        before: deployment("r-deploy"),
        after: deployment(
          "r-deploy",
          {},
          {
            spec: {
              selector: { matchLabels: { app: "other" } },
              template: {
                metadata: { labels: { app: "other" } },
                spec: { containers: [{ name: "c", image: "registry.example/app:1" }] },
              },
            },
          },
        ),
        part: (live: Live) => live.spec.selector.matchLabels.app,
        expected: "other",
      },
      {
        name: "the role of a binding",
        id: "r-binding",
        before: binding("r-binding", "view"),
        after: binding("r-binding", "edit"),
        part: (live: Live) => live.roleRef.name,
        expected: "edit",
      },
    ])("deletes and creates $name where the annotation allows it", async ({ id, before, after, part, expected }) => {
      const daemon = await startEngine(plane(), { set: id });
      await daemon.declare(reconciled(annotated(before, RECREATE)));
      await daemon.converged();
      const { uid } = (await admin.find(pathOf(before))).metadata;

      await daemon.declare(reconciled(annotated(after, RECREATE)));
      await daemon.converged();

      const live = await admin.find(pathOf(after));
      expect(part(live)).toBe(expected);
      expect(live.metadata.uid).not.toBe(uid);
    });

    it("does not delete an object whose successor would be refused", async () => {
      const before = { ...configMap("r-bad", { a: "1" }), immutable: true };
      const after = { ...configMap("r-bad", { a: "2", "no key!": "x" }), immutable: true };
      const daemon = await startEngine(plane(), { set: "r-bad" });
      await daemon.declare(reconciled(annotated(before, RECREATE)));
      await daemon.converged();
      const { uid } = (await admin.find(pathOf(before))).metadata;

      await daemon.declare(reconciled(annotated(after, RECREATE)));
      await eventually("it has failed", () => daemon.engine.status().failures.size === 1);

      expect((await admin.find(pathOf(before))).metadata.uid).toBe(uid);
    });

    it.each([
      {
        kind: "PersistentVolumeClaim",
        id: "never-pvc",
        before: claim("never-pvc", "one"),
        after: claim("never-pvc", "two"),
      },
      {
        kind: "PersistentVolume",
        id: "never-pv",
        before: volume("never-pv", "/one"),
        after: volume("never-pv", "/two"),
      },
      {
        kind: "CustomResourceDefinition",
        id: "never-crd",
        before: crd("never", { v1: {} }),
        after: scoped(crd("never", { v1: {} }), "Cluster"),
      },
    ])("never deletes and creates a $kind, annotation or not", async ({ kind, id, before, after }) => {
      const path =
        kind === "CustomResourceDefinition"
          ? "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nevers.example.dev"
          : pathOf(before);
      const daemon = await startEngine(plane(), { set: id });
      await daemon.declare(reconciled(annotated(before, RECREATE)));
      await daemon.converged();
      if (kind === "CustomResourceDefinition") await established(admin, path);
      const { uid } = (await admin.find(path)).metadata;

      await daemon.declare(reconciled(annotated(after, RECREATE)));
      await eventually("it is refused", () => daemon.engine.status().failures.size === 1);

      expect([...daemon.engine.status().failures.values()][0]?.error).toMatchObject({
        code: "Refused",
        message: expect.stringContaining(kind),
      });
      const live = await admin.find(path);
      expect([live.metadata.uid, live.metadata.deletionTimestamp]).toEqual([uid, undefined]);
    });
  });
});

/** Before a CRD is established, the API server lets everything about it change, its scope included. */
async function established(admin: Admin, path: string): Promise<void> {
  await eventually("the CRD is established", async () => {
    const { status } = await admin.find(path);
    return status?.conditions?.some(({ type, status }: Live) => type === "Established" && status === "True") === true;
  });
}

function versionsOf(live: Live): readonly string[] {
  return [...new Set<string>(live.metadata.managedFields.map(({ apiVersion }: { apiVersion: string }) => apiVersion))];
}

function binding(name: string, role: string): KubeObject {
  return object("rbac.authorization.k8s.io/v1", "RoleBinding", name, {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
  });
}

function claim(name: string, storageClassName: string): KubeObject {
  return object("v1", "PersistentVolumeClaim", name, {
    spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
}

function volume(name: string, path: string): KubeObject {
  return clusterObject("v1", "PersistentVolume", name, {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path } },
  });
}

function scoped(definition: KubeObject, scope: string): KubeObject {
  return { ...definition, spec: { ...(definition.spec as object), scope } };
}
