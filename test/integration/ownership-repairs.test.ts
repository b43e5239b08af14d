import { afterAll, beforeAll, expect, it } from "vitest";
import {
  dropUpdateEntry,
  entryOf,
  type JsonPatch,
  type KubeObject,
  leakPatch,
  migrateApiVersion,
  ownedRecord,
  promoteUpdateEntry,
  releasePatch,
  replaceParentPatches,
  takeOver,
  trackingReliable,
} from "../../src/object/index.ts";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";
import { Api, type ApiAnswer } from "./ownership-fuzz/api.ts";

const MANAGER = "keelson";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const SERVICES = "/api/v1/namespaces/default/services";
const MODE = "addonmanager.kubernetes.io/mode";

function configMap(name: string, data?: Readonly<Record<string, string>>, labels = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", labels },
    ...(data === undefined ? {} : { data }),
  };
}

function deployment(name: string, podSpec: object, spec: object = {}): KubeObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: podSpec };
  const metadata = { name, namespace: "default" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: { selector: { matchLabels: labels }, template, ...spec },
  };
}

const container = (fields: object) => ({ containers: [{ name: "c", image: "i:1", ...fields }] });

/** What somebody makes of an object, and the desired object that an apply alone then cannot restore. */
const STUCK: readonly {
  readonly name: string;
  readonly path: string;
  readonly desired: (name: string) => KubeObject;
  readonly edit: JsonPatch;
}[] = [
  {
    name: "a port number",
    path: SERVICES,
    desired: (name) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: "default" },
      spec: { ports: [{ name: "http", port: 80 }] },
    }),
    edit: [{ op: "replace", path: "/spec/ports/0/port", value: 81 }],
  },
  {
    name: "a port's protocol",
    path: SERVICES,
    desired: (name) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: "default" },
      spec: { ports: [{ name: "dns", port: 53 }] },
    }),
    edit: [{ op: "replace", path: "/spec/ports/0/protocol", value: "UDP" }],
  },
  {
    name: "the source of an environment variable",
    path: DEPLOYMENTS,
    desired: (name) => deployment(name, container({ env: [{ name: "A", value: "1" }] })),
    edit: [
      {
        op: "replace",
        path: "/spec/template/spec/containers/0/env/0",
        value: { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      },
    ],
  },
  {
    name: "a probe's handler",
    path: DEPLOYMENTS,
    desired: (name) => deployment(name, container({ livenessProbe: { httpGet: { path: "/", port: 80 } } })),
    edit: [
      { op: "replace", path: "/spec/template/spec/containers/0/livenessProbe", value: { exec: { command: ["true"] } } },
    ],
  },
  {
    name: "a volume's source",
    path: DEPLOYMENTS,
    desired: (name) => deployment(name, { ...container({}), volumes: [{ name: "v", configMap: { name: "x" } }] }),
    edit: [{ op: "replace", path: "/spec/template/spec/volumes/0", value: { name: "v", emptyDir: {} } }],
  },
  {
    name: "the strategy",
    path: DEPLOYMENTS,
    desired: (name) => deployment(name, container({}), { strategy: { type: "Recreate" } }),
    edit: [{ op: "replace", path: "/spec/strategy", value: { type: "RollingUpdate", rollingUpdate: { maxSurge: 2 } } }],
  },
];

describeWithControlPlane(
  "repairs of ownership",
  (plane) => {
    let api: Api;
    beforeAll(() => {
      api = new Api(plane());
    });
    afterAll(() => api.close());

    const send = (path: string, type: "json-patch" | "merge", body: unknown, manager = MANAGER): Promise<ApiAnswer> =>
      api.send({ method: "PATCH", path, type, body, query: { fieldManager: manager } });

    async function ok(answer: Promise<ApiAnswer>): Promise<KubeObject> {
      const { status, body } = await answer;
      expect([status < 300 ? "ok" : status, status < 300 ? "" : body]).toEqual(["ok", ""]);
      return body;
    }

    const create = (path: string, body: unknown, manager: string) =>
      ok(api.send({ method: "POST", path, body, query: { fieldManager: manager } }));

    it("a client-side-applied object loses what the file dropped, once its managers are migrated", async () => {
      const annotation = { "kubectl.kubernetes.io/last-applied-configuration": "{}" };
      const created = configMap("csa", { a: "1", b: "2" });
      const body = { ...created, metadata: { ...created.metadata, annotations: annotation } };
      const live = await create(CONFIG_MAPS, body, "kubectl-client-side-apply");
      const label = await ok(
        send(`${CONFIG_MAPS}/csa`, "merge", { metadata: { labels: { user: "x" } } }, "kubectl-label"),
      );
      expect(label.metadata.uid).toBe(live.metadata.uid);

      const migration = takeOver(label, { manager: MANAGER });
      await ok(send(`${CONFIG_MAPS}/csa`, "json-patch", migration?.patch));
      const applied = await ok(api.apply(`${CONFIG_MAPS}/csa`, configMap("csa", { a: "1" })));

      expect(applied.data).toEqual({ a: "1" });
      expect(applied.metadata.annotations).toBeUndefined();
      expect(applied.metadata.labels).toEqual({ user: "x" });
      expect(takeOver(applied, { manager: MANAGER })).toBeUndefined();
    });

    it("a stale migration is refused as a conflict", async () => {
      const live = await create(CONFIG_MAPS, configMap("stale", { a: "1" }), MANAGER);
      await ok(send(`${CONFIG_MAPS}/stale`, "merge", { data: { a: "2" } }, "other"));

      const answer = await send(`${CONFIG_MAPS}/stale`, "json-patch", promoteUpdateEntry(live, MANAGER)?.patch);

      expect([answer.status, answer.body.reason]).toEqual([409, "Conflict"]);
    });

    it("an ensured object that becomes reconciled loses what is not desired", async () => {
      const live = await create(CONFIG_MAPS, configMap("ensured", { a: "1", b: "2" }), MANAGER);

      await ok(send(`${CONFIG_MAPS}/ensured`, "json-patch", promoteUpdateEntry(live, MANAGER)?.patch));
      const applied = await ok(api.apply(`${CONFIG_MAPS}/ensured`, configMap("ensured", { b: "2" })));

      expect(applied.data).toEqual({ b: "2" });
      expect(applied.metadata.managedFields).toHaveLength(1);
    });

    it("a released object keeps all values but our marks, and nothing of our name", async () => {
      const path = `${CONFIG_MAPS}/released`;
      const desired = configMap("released", { a: "1" }, { [MODE]: "Reconcile", ours: "x", shared: "y" });
      await ok(api.apply(path, desired));
      await ok(api.apply(path, configMap("released", undefined, { shared: "y" }), { manager: "other" }));
      const live = await ok(api.get(path));

      const released = await ok(
        send(path, "json-patch", releasePatch(live, { manager: MANAGER, classLabels: [MODE] })),
      );

      expect(released.data).toEqual({ a: "1" });
      expect(released.metadata.labels).toEqual({ shared: "y" });
      expect(released.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["other"]);
    });

    it("a released object of which we were the only manager has no entry left", async () => {
      const path = `${CONFIG_MAPS}/released-alone`;
      const live = await ok(api.apply(path, configMap("released-alone", { a: "1" }, { [MODE]: "Reconcile" })));

      const released = await ok(
        send(path, "json-patch", releasePatch(live, { manager: MANAGER, classLabels: [MODE] })),
      );

      expect(released.data).toEqual({ a: "1" });
      expect(released.metadata.managedFields).toBeUndefined();
    });

    it("what an apply leaves behind after the entries were wiped is removed as a leak", async () => {
      const path = `${CONFIG_MAPS}/leak`;
      const before = await ok(api.apply(path, configMap("leak", { a: "1", b: "2" })));
      await ok(send(path, "merge", { metadata: { managedFields: [{}] } }, "cleaner"));
      const applied = await ok(api.apply(path, configMap("leak", { a: "1" })));
      expect(applied.data).toEqual({ a: "1", b: "2" });

      const owned = entryOf(before, MANAGER, "Apply")?.fieldsV1 ?? {};
      const patched = await ok(send(path, "json-patch", leakPatch(applied, owned, configMap("leak", { a: "1" }))));

      expect(patched.data).toEqual({ a: "1" });
      expect(entryOf(patched, MANAGER, "Update")).toBeUndefined();
    });

    it.each(STUCK)(
      "a foreign change of $name is repaired by replacing its parent",
      async ({ name, path, desired, edit }) => {
        const id = name.replaceAll(/[^a-z]/g, "-");
        const first = await ok(api.apply(`${path}/${id}`, desired(id)));
        const live = await ok(send(`${path}/${id}`, "json-patch", edit, "kubectl-edit"));
        const refused = await api.apply(`${path}/${id}`, desired(id));
        expect([refused.status, refused.body.reason]).toEqual([422, "Invalid"]);

        const [patch] = replaceParentPatches(live, desired(id), refused.body.details.causes);
        await ok(send(`${path}/${id}`, "json-patch", patch));
        const applied = await ok(api.apply(`${path}/${id}`, desired(id)));
        const repaired = await ok(send(`${path}/${id}`, "json-patch", dropUpdateEntry(applied, MANAGER)?.patch));

        const record = (object: KubeObject) => ownedRecord(object, entryOf(object, MANAGER, "Apply"));
        expect(record(repaired)).toEqual(record(first));
        expect(entryOf(repaired, MANAGER, "Update")).toBeUndefined();
      },
    );

    it.each([
      [
        "no strategy, then Recreate",
        deployment("file-a", container({})),
        deployment("file-a", container({}), { strategy: { type: "Recreate" } }),
      ],
      [
        "a defaulted emptyDir, then a secret",
        deployment("file-b", { ...container({}), volumes: [{ name: "v" }] }),
        deployment("file-b", { ...container({}), volumes: [{ name: "v", secret: { secretName: "s" } }] }),
      ],
    ])("a change of the file alone is repaired so too: %s", async (_, before, after) => {
      const path = `${DEPLOYMENTS}/${before.metadata.name}`;
      const live = await ok(api.apply(path, before));
      const refused = await api.apply(path, after);
      expect(refused.status).toBe(422);

      await ok(send(path, "json-patch", replaceParentPatches(live, after, refused.body.details.causes)[0]));

      expect((await api.apply(path, after)).status).toBe(200);
    });

    it("an object with an entry of a version that is gone is tracked again once all entries are migrated", async () => {
      const collection = "/apis/gone.keelson.test/v1/namespaces/default/things";
      const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      await ok(api.send({ method: "POST", path: definitions, body: thingDefinition(["v1", "v1alpha1"]) }));
      const old = collection.replace("/v1/", "/v1alpha1/");
      await eventually("both versions are served", async () => {
        return (await api.get(collection)).status === 200 && (await api.get(old)).status === 200;
      });
      const thing = (spec: object): KubeObject => ({
        apiVersion: "gone.keelson.test/v1",
        kind: "Thing",
        metadata: { name: "t", namespace: "default" },
        spec,
      });
      await ok(api.apply(`${collection}/t`, thing({ a: "1", b: "2" })));
      await ok(send(`${old}/t`, "merge", { metadata: { labels: { x: "y" } } }, "somebody"));
      await ok(send(`${definitions}/things.gone.keelson.test`, "merge", { spec: thingDefinition(["v1"]).spec }));
      await eventually("the old version is gone", async () => (await api.get(old)).status === 404);
      const live = await eventually("applies are refused", async () => {
        const refused = await api.apply(`${collection}/t`, thing({ a: "1" }));
        return refused.status === 500 ? ok(api.get(`${collection}/t`)) : undefined;
      });
      expect(trackingReliable(live, ["v1"])).toBe(false);

      const migrated = await ok(send(`${collection}/t`, "json-patch", migrateApiVersion(live)?.patch));
      const applied = await ok(api.apply(`${collection}/t`, thing({ a: "1" })));

      expect(trackingReliable(migrated, ["v1"])).toBe(true);
      expect(applied.spec).toEqual({ a: "1" });
    });
  },
  { controllerManager: false },
);

function thingDefinition(versions: readonly string[]) {
  const text = { type: "string" };
  const spec = { type: "object", properties: { a: text, b: text } };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.gone.keelson.test" },
    spec: {
      group: "gone.keelson.test",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing" },
      versions: versions.map((name) => ({ name, served: true, storage: name === "v1", schema })),
    },
  };
}
