import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../src/async/index.ts";
import type { ErrorCode } from "../../src/errors/index.ts";
import {
  type ApiResource,
  createClient,
  type KubeClient,
  loadKubeconfig,
  type WriteResult,
} from "../../src/kube/index.ts";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";
import { configMap, crd, deployment, service } from "./kube-objects.case.ts";

// The kinds of answers that the engine tells apart, each provoked on the real API server.

const options = { fieldManager: "keelson" };

// Without kube-controller-manager a deleted namespace stays terminating for good, which is what is wanted here.
describeWithControlPlane(
  "the client's errors",
  (plane) => {
    const clients: KubeClient[] = [];
    let client: KubeClient;

    async function clientOf(userOrToken: string): Promise<KubeClient> {
      const config = await loadKubeconfig({
        flags: { kubeconfig: plane().kubeconfigFor(userOrToken) },
        env: {},
        home: "/",
      });
      const made = createClient({ config, clock: systemClock });
      clients.push(made);
      return made;
    }

    async function resource(group: string, kind: string): Promise<ApiResource> {
      return (await client.discovery.preferred({ group, kind })) as ApiResource;
    }

    async function apply(object: Record<string, unknown>, as: KubeClient = client): Promise<WriteResult> {
      const { apiVersion, kind, metadata } = object as {
        apiVersion: string;
        kind: string;
        metadata: { name: string; namespace?: string };
      };
      const [version = "", group = ""] = apiVersion.split("/").reverse();
      const found = await as.discovery.find({ group, version, kind });
      return as.apply(
        found as ApiResource,
        { namespace: metadata.namespace ?? "", name: metadata.name },
        JSON.stringify(object),
        options,
      );
    }

    function refused(result: Promise<unknown>, code: ErrorCode, message = ""): Promise<void> {
      return expect(result).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    }

    beforeAll(async () => {
      client = await clientOf("keelson");
    });

    afterAll(() => {
      for (const made of clients) made.close();
    });

    it("tells who may not, and who is not known", async () => {
      const [someone, unknown] = [await clientOf("someone"), await clientOf("no-such-token")];
      const configMaps = await resource("", "ConfigMap");
      const target = { namespace: "default", name: "x" };

      await refused(someone.get(configMaps, target), "Forbidden", "ConfigMap default/x: get:");
      await refused(unknown.get(configMaps, target), "Unauthorized", "renew them");
    });

    it.each<[string, Record<string, unknown>, string]>([
      ["an unknown field", configMap("x", { dta: {} }), "field not declared in schema"],
      [
        "a duplicate list key",
        deployment("x", { env: [{ name: "A" }, { name: "A" }] }),
        'duplicate entries for key [name="A"]',
      ],
      ["a number for a text", deployment("x", { image: 1 }), "expected string"],
      ["a text for a number", deployment("x", {}, { replicas: "two" }), "expected numeric"],
      ["a bad quantity", deployment("x", { resources: { limits: { cpu: "much" } } }), "failed to convert new object"],
      ["bad base64", { ...configMap("x", { binaryData: { a: "%%" } }) }, "failed to convert new object"],
    ])("takes %s for a SchemaError, and asks once", async (_, object, message) => {
      const result = apply(object);

      await refused(result, "SchemaError", message);
      await expect(result).rejects.toMatchObject({ disposition: "user" });
    });

    it("takes a duplicate YAML key and, on create, an unknown field for a SchemaError", async () => {
      const configMaps = await resource("", "ConfigMap");
      const target = { namespace: "default", name: "x" };
      const twice = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, name: x}\n";

      await refused(client.apply(configMaps, target, twice, options), "SchemaError");
      await refused(
        client.create(configMaps, target, JSON.stringify(configMap("x", { dta: {} })), options),
        "SchemaError",
        "dta",
      );
    });

    it("takes a duplicate value, and a taken address, for Invalid with its causes", async () => {
      await apply(service("taken", { clusterIP: "10.96.77.7" }));
      const ports = [
        { name: "http", port: 80 },
        { name: "http", port: 81 },
      ];

      await expect(apply(service("twice", { ports }))).rejects.toMatchObject({
        code: "Invalid",
        causes: [{ reason: "FieldValueDuplicate", field: "spec.ports[1].name" }],
      });
      await refused(apply(service("late", { clusterIP: "10.96.77.7" })), "Invalid", "already allocated");
    });

    it("takes every spelling of an immutable field for Immutable", async () => {
      const binding = (role: string) => ({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "immutable" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      });
      const statefulSet = (serviceName: string) => ({ ...deployment("set", {}, { serviceName }), kind: "StatefulSet" });
      const storageClass = (provisioner: string) => ({
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: "fast" },
        provisioner,
      });
      const pairs: [Record<string, unknown>, Record<string, unknown>][] = [
        [
          deployment("fixed"),
          deployment(
            "fixed",
            {},
            {
              selector: { matchLabels: { app: "other" } },
              template: { metadata: { labels: { app: "other" } }, spec: { containers: [{ name: "c", image: "i" }] } },
            },
          ),
        ],
        [binding("view"), binding("edit")],
        [
          configMap("fixed", { immutable: true, data: { a: "1" } }),
          configMap("fixed", { immutable: true, data: { a: "2" } }),
        ],
        [service("fixed", { clusterIP: "10.96.88.8" }), service("fixed", { clusterIP: "10.96.88.9" })],
        [statefulSet("a"), statefulSet("b")],
        [storageClass("a.example"), storageClass("b.example")],
      ];
      for (const [before, after] of pairs) {
        await apply(before);

        await refused(apply(after), "Immutable");
      }
    });

    it("takes a precondition that fails for Conflict, whatever its words", async () => {
      const { object } = await apply(configMap("guarded"));
      const configMaps = await resource("", "ConfigMap");
      const target = { namespace: "default", name: "guarded" };
      const patch = (operations: unknown) =>
        client.patch(configMaps, target, { type: "json", body: JSON.stringify(operations) }, options);
      const withMetadata = (metadata: Record<string, unknown>, name = "guarded") =>
        apply({ ...configMap(name), metadata: { name, namespace: "default", ...metadata } });

      await refused(client.delete(configMaps, target, { uid: "other" }), "Conflict", "UID in the precondition");
      await refused(
        client.delete(configMaps, target, { resourceVersion: "1" }),
        "Conflict",
        "ResourceVersion in the precondition",
      );
      await refused(patch([{ op: "test", path: "/metadata/uid", value: "x" }]), "Conflict");
      await refused(patch([{ op: "remove", path: "/data/none" }]), "Conflict");
      await refused(patch([{ op: "replace", path: "/metadata/resourceVersion", value: "1" }]), "Conflict");
      await refused(withMetadata({ resourceVersion: "1" }), "Conflict");
      await refused(withMetadata({ uid: "other" }), "Conflict");
      await refused(withMetadata({ uid: object.metadata.uid }, "absent"), "Conflict", "uid mismatch");
      await refused(
        client.update(
          configMaps,
          target,
          JSON.stringify({ ...configMap("guarded"), metadata: { ...object.metadata, resourceVersion: "1" } }),
          options,
        ),
        "Conflict",
      );
    });

    it("takes a field of another manager for Conflict, with the manager in the cause, unless it forces", async () => {
      await apply(configMap("shared"));
      const configMaps = await resource("", "ConfigMap");
      const body = JSON.stringify(configMap("shared", { data: { a: "2" } }));
      const other = { fieldManager: "other", force: false };

      await expect(
        client.apply(configMaps, { namespace: "default", name: "shared" }, body, other),
      ).rejects.toMatchObject({
        code: "Conflict",
        causes: [{ reason: "FieldManagerConflict", field: ".data.a", message: expect.stringContaining("keelson") }],
      });
    });

    it("tells an object that exists from one that does not", async () => {
      await apply(configMap("there"));
      const configMaps = await resource("", "ConfigMap");
      const [there, absent] = [
        { namespace: "default", name: "there" },
        { namespace: "default", name: "absent" },
      ];

      await refused(client.create(configMaps, there, JSON.stringify(configMap("there")), options), "AlreadyExists");
      await refused(client.get(configMaps, absent), "NotFound");
      await refused(client.delete(configMaps, absent, { uid: "u" }), "NotFound");
      await refused(client.patch(configMaps, absent, { type: "merge", body: "{}" }, options), "NotFound");
      expect(await client.delete(configMaps, there)).toMatchObject({ kind: "deleted" });
    });

    it("tells an object that finalizers hold from one that is gone", async () => {
      const { object } = await apply({
        ...configMap("held"),
        metadata: { name: "held", namespace: "default", finalizers: ["test.dev/hold"] },
      });
      const configMaps = await resource("", "ConfigMap");

      const result = await client.delete(
        configMaps,
        { namespace: "default", name: "held" },
        { uid: object.metadata.uid ?? "" },
      );

      expect(result).toMatchObject({
        kind: "terminating",
        object: { metadata: { name: "held", finalizers: ["test.dev/hold"] } },
      });
      await refused(
        apply({
          ...configMap("held"),
          metadata: { name: "held", namespace: "default", finalizers: ["test.dev/hold", "test.dev/more"] },
        }),
        "Invalid",
        "no new finalizers",
      );
      await apply(configMap("held"));
      await eventually("it is gone", async () => {
        await refused(client.get(configMaps, { namespace: "default", name: "held" }), "NotFound");
        return true;
      });
    });

    it("tells a namespace that is missing, or going away, from a missing object", async () => {
      await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "going" } });
      const [configMaps, namespaces] = [await resource("", "ConfigMap"), await resource("", "Namespace")];
      const body = (namespace: string) => JSON.stringify({ ...configMap("x"), metadata: { name: "x", namespace } });

      expect(await client.delete(namespaces, { namespace: "", name: "going" })).toMatchObject({ kind: "terminating" });
      await refused(
        client.apply(configMaps, { namespace: "going", name: "x" }, body("going"), options),
        "NamespaceTerminating",
      );
      await refused(
        client.create(configMaps, { namespace: "going", name: "x" }, body("going"), options),
        "NamespaceTerminating",
      );
      await refused(
        client.apply(configMaps, { namespace: "nowhere", name: "x" }, body("nowhere"), options),
        "NamespaceNotFound",
      );
      await refused(
        client.apply(configMaps, { namespace: "nowhere", name: "x" }, body("nowhere"), { ...options, dryRun: true }),
        "NamespaceNotFound",
      );
      await refused(client.get(configMaps, { namespace: "nowhere", name: "x" }), "NotFound");
      await refused(client.get(namespaces, { namespace: "", name: "nowhere" }), "NotFound");
    });

    it("takes a kind that is not served for NoMatch, in a built-in group and in any other", async () => {
      const configMaps = await resource("", "ConfigMap");
      const target = { namespace: "default", name: "x" };
      const unknown: readonly ApiResource[] = [
        { ...configMaps, group: "none.example", version: "v1", kind: "Widget", resource: "widgets" },
        { ...configMaps, group: "apps", version: "v1beta1", kind: "Deployment", resource: "deployments" },
        { ...configMaps, resource: "widgets", kind: "Widget" },
      ];
      for (const kind of unknown) {
        await refused(client.get(kind, target), "NoMatch");
        await refused(client.apply(kind, target, "{}", options), "NoMatch");
      }
    });

    it("takes what the server cannot read for BadRequest", async () => {
      const configMaps = await resource("", "ConfigMap");
      const target = { namespace: "default", name: "x" };
      const send = (body: unknown) => client.apply(configMaps, target, JSON.stringify(body), options);

      await refused(
        send({ ...configMap("x"), metadata: { name: "x", managedFields: [] } }),
        "BadRequest",
        "managedFields must be nil",
      );
      await refused(send({ ...configMap("x"), kind: "Secret" }), "BadRequest");
      await refused(send(configMap("x", { data: { a: "x".repeat(3 << 20) } })), "BadRequest", "too large");
      await refused(client.raw("PATCH", "/api/v1/namespaces/default/configmaps", { body: "{}" }), "BadRequest");
      // An older API server looks first whether the object is there.
      await apply(configMap("x"));
      await refused(client.patch(configMaps, target, { type: "json", body: "no" }, options), "BadRequest");
    });

    it("takes an object that is too large, or lacks a field manager, for Invalid", async () => {
      const configMaps = await resource("", "ConfigMap");

      await refused(apply(configMap("big", { data: { a: "x".repeat((1 << 20) + 1) } })), "Invalid", "Too long");
      await refused(
        client.apply(configMaps, { namespace: "default", name: "x" }, "{}", { fieldManager: "" }),
        "Invalid",
      );
    });

    it("hands out the server's warnings", async () => {
      const endpoints = { apiVersion: "v1", kind: "Endpoints", metadata: { name: "old", namespace: "default" } };

      const { warnings, created } = await apply(endpoints);

      expect(warnings).toEqual([expect.stringContaining("v1 Endpoints is deprecated")]);
      expect(created).toBe(true);
    });

    const text = { type: "string" };

    async function applyWhenServed(object: Record<string, unknown>): Promise<WriteResult> {
      return eventually("the kind is served", () => {
        client.discovery.invalidate();
        return apply(object);
      });
    }

    it("takes managedFields of a version that is gone for TrackingUnreliable", async () => {
      const old = { name: "v1alpha1", storage: false, spec: { a: text } };
      const current = { name: "v1", storage: true, spec: { a: text } };
      const widget = (version: string, a: string) => ({
        apiVersion: `test.dev/${version}`,
        kind: "Widget",
        metadata: { name: "w" },
        spec: { a },
      });
      await apply(crd("widget", [old, current]));
      await applyWhenServed(widget("v1alpha1", "1"));
      await apply(crd("widget", [current]));

      await eventually("the old version is gone", async () => {
        client.discovery.invalidate();
        return (await client.discovery.versions({ group: "test.dev", kind: "Widget" })).length === 1;
      });
      await eventually("an apply meets the old entry", async () => {
        await refused(apply(widget("v1", "2")), "TrackingUnreliable", "invalid group/version");
        return true;
      });
    });

    it("takes managedFields that another version's new default makes unreadable for TrackingUnreliable", async () => {
      const old = { name: "v1alpha1", storage: true, spec: { a: text } };
      const current = { name: "v1", storage: false, spec: { a: text } };
      const gadget = (version: string, a: string) => ({
        apiVersion: `test.dev/${version}`,
        kind: "Gadget",
        metadata: { name: "g" },
        spec: { a },
      });
      await apply(crd("gadget", [old, current]));
      await applyWhenServed(gadget("v1alpha1", "1"));
      const gadgets = await resource("test.dev", "Gadget");
      await client.patch(
        { ...gadgets, version: "v1alpha1" },
        { namespace: "", name: "g" },
        { type: "merge", body: '{"metadata":{"labels":{"k":"v"}}}' },
        { fieldManager: "other" },
      );
      await apply(
        crd("gadget", [
          { ...old, storage: false },
          { ...current, storage: true, spec: { a: text, d: { type: "string", default: "x" } } },
        ]),
      );

      await eventually("an apply meets the old entry", async () => {
        await refused(apply(gadget("v1", String(Math.random()))), "TrackingUnreliable", "field not declared in schema");
        return true;
      });
    });
  },
  { controllerManager: false },
);
