import { expect } from "vitest";
import { type Bench, type Case, configMap } from "./case.ts";
import type { Json } from "./target.ts";

async function create(bench: Bench, name: string, metadata: Json = {}): Promise<Json> {
  return (await bench.call({ method: "POST", path: bench.core("configmaps"), body: configMap(name, {}, metadata) }))
    .body;
}

/** Verbs, preconditions, selectors, pages, and what is refused. */
export const REQUEST_CASES: readonly Case[] = [
  {
    claim: "makes a name from generateName",
    async run(bench) {
      const { body } = await bench.call({
        method: "POST",
        path: bench.core("configmaps"),
        body: { metadata: { generateName: "x-" } },
      });

      expect(body.metadata.name).toMatch(/^x-[a-z0-9]{5}$/);
    },
  },
  {
    claim: "answers a second create with AlreadyExists and an absent object with NotFound",
    async run(bench) {
      await create(bench, "a");

      const again = await bench.call({ method: "POST", path: bench.core("configmaps"), body: configMap("a", {}) });
      const absent = await bench.get(bench.core("configmaps", "b"));

      expect([again.status, again.body.reason, again.body.message]).toEqual([
        409,
        "AlreadyExists",
        'configmaps "a" already exists',
      ]);
      expect([absent.status, absent.body.reason, absent.body.message]).toEqual([
        404,
        "NotFound",
        'configmaps "b" not found',
      ]);
    },
  },
  {
    claim: "tells a missing namespace by a NotFound that names it",
    async run(bench) {
      const reply = await bench.call({
        method: "POST",
        path: "/api/v1/namespaces/nowhere/configmaps",
        body: configMap("a", {}),
      });

      expect([reply.status, reply.body.message]).toEqual([404, 'namespaces "nowhere" not found']);
    },
  },
  {
    claim: "refuses to create in a terminating namespace, and says why in a cause",
    async run(bench) {
      await create(bench, "held", { finalizers: ["example.com/x"] });
      await bench.call({ method: "DELETE", path: `/api/v1/namespaces/${bench.namespace}` });

      const reply = await bench.call({ method: "POST", path: bench.core("configmaps"), body: configMap("b", {}) });

      expect([reply.status, reply.body.reason, reply.body.details.causes[0].reason]).toEqual([
        403,
        "Forbidden",
        "NamespaceTerminating",
      ]);
    },
  },
  {
    claim: "refuses an update with an old resourceVersion, and deletes with wrong preconditions",
    async run(bench) {
      const { metadata } = await create(bench, "a");
      await bench.call({ method: "PUT", path: bench.core("configmaps", "a"), body: configMap("a", { k: "1" }) });

      const stale = await bench.call({
        method: "PUT",
        path: bench.core("configmaps", "a"),
        body: configMap("a", { k: "2" }, { resourceVersion: metadata.resourceVersion }),
      });
      const uid = await bench.call({
        method: "DELETE",
        path: bench.core("configmaps", "a"),
        body: { preconditions: { uid: "nobody" } },
      });
      const version = await bench.call({
        method: "DELETE",
        path: bench.core("configmaps", "a"),
        body: { preconditions: { resourceVersion: metadata.resourceVersion } },
      });

      expect([stale.status, stale.body.reason]).toEqual([409, "Conflict"]);
      expect(stale.body.message).toContain(
        "the object has been modified; please apply your changes to the latest version and try again",
      );
      expect(uid.body.message).toContain(
        `the UID in the precondition (nobody) does not match the UID in record (${metadata.uid})`,
      );
      expect(version.body.message).toContain(
        `the ResourceVersion in the precondition (${metadata.resourceVersion}) does not match`,
      );
    },
  },
  {
    claim: "marks an object with finalizers and lets go of it when the last one goes",
    async run(bench) {
      await create(bench, "a", { finalizers: ["example.com/x"] });

      const marked = await bench.call({ method: "DELETE", path: bench.core("configmaps", "a") });
      const added = await bench.call({
        method: "PATCH",
        path: bench.core("configmaps", "a"),
        body: { metadata: { finalizers: ["example.com/x", "example.com/y"] } },
        contentType: "application/merge-patch+json",
      });
      await bench.call({
        method: "PATCH",
        path: bench.core("configmaps", "a"),
        body: { metadata: { finalizers: null } },
        contentType: "application/merge-patch+json",
      });

      expect(marked.body.metadata.deletionTimestamp).toBeDefined();
      expect([added.status, added.body.details.causes[0].reason]).toEqual([422, "FieldValueForbidden"]);
      expect((await bench.get(bench.core("configmaps", "a"))).status).toBe(404);
    },
  },
  {
    claim: "lists by labels, by name, and page by page",
    async run(bench) {
      for (const [name, tier] of [
        ["a", "x"],
        ["b", "y"],
        ["c", "x"],
      ] as const)
        await create(bench, name, { labels: { tier } });
      const names = async (query: Record<string, string>): Promise<Json> => {
        const { body } = await bench.call({ method: "GET", path: bench.core("configmaps"), query });
        return {
          names: body.items
            .map((item: Json) => item.metadata.name)
            .filter((name: string) => name !== "kube-root-ca.crt"),
          metadata: body.metadata,
        };
      };

      expect((await names({ labelSelector: "tier=x" })).names).toEqual(["a", "c"]);
      expect((await names({ labelSelector: "tier in (y)" })).names).toEqual(["b"]);
      expect((await names({ labelSelector: "tier,tier!=x" })).names).toEqual(["b"]);
      expect((await names({ fieldSelector: "metadata.name=c" })).names).toEqual(["c"]);
      const first = await names({ labelSelector: "tier", limit: "2" });
      expect(first.names).toEqual(["a", "b"]);
      expect((await names({ labelSelector: "tier", limit: "2", continue: first.metadata.continue })).names).toEqual([
        "c",
      ]);
    },
  },
  {
    claim: "refuses an unknown field selector",
    async run(bench) {
      const path = `/apis/coordination.k8s.io/v1/namespaces/${bench.namespace}/leases`;

      const reply = await bench.call({ method: "GET", path, query: { fieldSelector: "spec.holderIdentity=x" } });

      expect([reply.status, reply.body.reason]).toEqual([400, "BadRequest"]);
    },
  },
  {
    claim: "deletes a collection by selector",
    async run(bench) {
      await create(bench, "a", { labels: { gone: "1" } });
      await create(bench, "b");

      const reply = await bench.call({
        method: "DELETE",
        path: bench.core("configmaps"),
        query: { labelSelector: "gone=1" },
      });

      expect(reply.status).toBe(200);
      expect((await bench.get(bench.core("configmaps", "a"))).status).toBe(404);
      expect((await bench.get(bench.core("configmaps", "b"))).status).toBe(200);
    },
  },
  {
    claim: "reports unknown fields as the client wishes",
    async run(bench) {
      const post = (fieldValidation: string, name: string): Promise<Json> =>
        bench.call({
          method: "POST",
          path: bench.core("configmaps"),
          query: { fieldValidation },
          body: { ...configMap(name, {}), oops: 1 },
        });

      const strict = await post("Strict", "a");
      const ignore = await post("Ignore", "b");

      expect([strict.status, strict.body.reason]).toEqual([400, "BadRequest"]);
      expect(strict.body.message).toContain('strict decoding error: unknown field "oops"');
      expect([ignore.status, ignore.body.oops]).toEqual([201, undefined]);
    },
  },
  {
    claim: "refuses malformed JSON, an unknown content type, an unknown verb and a body that is too large",
    async run(bench) {
      const path = bench.core("configmaps");

      const malformed = await bench.call({ method: "POST", path, body: "{" });
      const type = await bench.call({
        method: "PATCH",
        path: bench.core("configmaps", "a"),
        body: {},
        contentType: "text/plain",
      });
      const collection = await bench.call({
        method: "PATCH",
        path,
        body: {},
        contentType: "application/merge-patch+json",
      });
      const large = await bench.call({
        method: "POST",
        path,
        body: configMap("a", { k: "x".repeat(4 * 1024 * 1024) }),
      });

      expect([malformed.status, malformed.body.reason]).toEqual([400, "BadRequest"]);
      expect([type.status, type.body.reason]).toEqual([415, "UnsupportedMediaType"]);
      expect([collection.status, collection.body.reason]).toEqual([405, "MethodNotAllowed"]);
      expect([large.status, large.body.reason]).toEqual([413, "RequestEntityTooLarge"]);
    },
  },
  {
    claim: "refuses a ConfigMap of more than a mebibyte and annotations of more than 256 KiB",
    async run(bench) {
      const data = await bench.call({
        method: "POST",
        path: bench.core("configmaps"),
        body: configMap("a", { k: "x".repeat(1024 * 1024 + 1) }),
      });
      const annotations = await bench.call({
        method: "POST",
        path: bench.core("configmaps"),
        body: configMap("b", {}, { annotations: { a: "x".repeat(262145) } }),
      });

      expect([data.status, data.body.details.causes[0].reason]).toEqual([422, "FieldValueTooLong"]);
      expect([annotations.status, annotations.body.details.causes[0].reason]).toEqual([422, "FieldValueTooLong"]);
    },
  },
  {
    claim: "answers an unknown group with plain text and an unknown resource of a known group with a Status",
    async run(bench) {
      const group = await bench.get("/apis/unknown.example.com/v1/things");
      const resource = await bench.get("/apis/apps/v1/things");

      expect([group.status, group.body]).toEqual([404, "404 page not found\n"]);
      expect([resource.status, resource.body.message]).toEqual([
        404,
        "the server could not find the requested resource",
      ]);
    },
  },
  {
    claim: "words immutability as the kind does",
    async run(bench) {
      await bench.call({
        method: "POST",
        path: bench.core("configmaps"),
        body: { ...configMap("a", { k: "1" }), immutable: true },
      });
      await bench.call({
        method: "POST",
        path: bench.core("services"),
        body: { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { ports: [{ port: 1 }] } },
      });
      const patch = (path: string, body: Json): Promise<Json> =>
        bench.call({ method: "PATCH", path, body, contentType: "application/merge-patch+json" });

      const data = await patch(bench.core("configmaps", "a"), { data: { k: "2" } });
      const address = await patch(bench.core("services", "s"), {
        spec: { clusterIP: "10.96.99.99", clusterIPs: ["10.96.99.99"] },
      });

      expect([data.status, data.body.details.causes[0].reason]).toEqual([422, "FieldValueForbidden"]);
      expect(data.body.message).toContain("field is immutable when `immutable` is set");
      expect(address.status).toBe(422);
      expect(address.body.message).toContain("may not change once set");
    },
  },
  {
    claim: "refuses a cluster IP that another Service holds",
    async run(bench) {
      const service = (name: string): Json => ({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name },
        spec: { clusterIP: "10.96.77.7", ports: [{ port: 1 }] },
      });
      await bench.call({ method: "POST", path: bench.core("services"), body: service("a") });

      const reply = await bench.call({ method: "POST", path: bench.core("services"), body: service("b") });
      await bench.call({ method: "DELETE", path: bench.core("services", "a") });

      expect(reply.status).toBe(422);
      expect(reply.body.message).toContain("failed to allocate IP 10.96.77.7: provided IP is already allocated");
    },
  },
  {
    claim: "applies JSON patches guarded by resourceVersion",
    async run(bench) {
      const { metadata } = await create(bench, "a");
      const patch = (body: Json): Promise<Json> =>
        bench.call({
          method: "PATCH",
          path: bench.core("configmaps", "a"),
          body,
          contentType: "application/json-patch+json",
        });

      const tested = await patch([
        { op: "test", path: "/metadata/resourceVersion", value: "1" },
        { op: "add", path: "/data", value: { k: "1" } },
      ]);
      const replaced = await patch([
        { op: "replace", path: "/metadata/resourceVersion", value: "1" },
        { op: "add", path: "/data", value: { k: "1" } },
      ]);
      const current = await patch([
        { op: "replace", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
        { op: "add", path: "/data", value: { k: "1" } },
      ]);

      expect([tested.status, tested.body.reason, tested.body.message]).toEqual([
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
      ]);
      expect([replaced.status, replaced.body.reason]).toEqual([409, "Conflict"]);
      expect([current.status, current.body.data]).toEqual([200, { k: "1" }]);
    },
  },
  {
    claim: "refuses another role of a binding, another source and another mode of a volume",
    async run(bench) {
      const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${bench.namespace}/rolebindings`;
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
      const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/one" } };
      const merge = (path: string, body: Json): Promise<Json> =>
        bench.call({ method: "PATCH", path, body, contentType: "application/merge-patch+json" });
      await bench.call({ method: "POST", path: bindings, body: { metadata: { name: "b" }, roleRef } });
      const volumes = "/api/v1/persistentvolumes";
      await bench.call({ method: "POST", path: volumes, body: { metadata: { name: bench.namespace }, spec } });

      const role = await merge(`${bindings}/b`, { roleRef: { name: "edit" } });
      const source = await merge(`${volumes}/${bench.namespace}`, { spec: { hostPath: { path: "/two" } } });
      const mode = await merge(`${volumes}/${bench.namespace}`, { spec: { volumeMode: "Block" } });
      const policy = await merge(`${volumes}/${bench.namespace}`, {
        spec: { persistentVolumeReclaimPolicy: "Delete" },
      });

      const causes = [role, source, mode].map(({ body }) => body.details.causes[0]);
      expect([role.status, source.status, mode.status, policy.status]).toEqual([422, 422, 422, 200]);
      expect(causes[0]).toEqual({
        reason: "FieldValueInvalid",
        message: `Invalid value: ${JSON.stringify({ APIGroup: roleRef.apiGroup, Kind: "ClusterRole", Name: "edit" })}: field is immutable`,
        field: "roleRef",
      });
      expect(causes[1].field).toBe("spec.persistentvolumesource");
      expect(causes[1].message).toMatch(/^Forbidden: spec.persistentvolumesource is immutable after creation/);
      expect(causes[2].message).toBe('Invalid value: "Block": field is immutable');
    },
  },
];
