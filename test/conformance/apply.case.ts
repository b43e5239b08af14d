import { expect } from "vitest";
import { type Case, configMap } from "./case.ts";

const managersOf = (object: { metadata: { managedFields?: { manager: string; operation: string }[] } }): string[] =>
  (object.metadata.managedFields ?? []).map(({ manager, operation }) => `${manager}/${operation}`).sort();

/** Server-side apply, beyond what the differential test generates: refusals and their words. */
export const APPLY_CASES: readonly Case[] = [
  {
    claim: "creates with 201 and answers a second, equal apply with the same resourceVersion",
    async run({ apply, core }) {
      const first = await apply(core("configmaps", "a"), configMap("a", { k: "1" }));
      const second = await apply(core("configmaps", "a"), configMap("a", { k: "1" }));

      expect([first.status, second.status]).toEqual([201, 200]);
      expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    },
  },
  {
    claim: "refuses to take a field from another manager, names it, and takes it by force",
    async run({ apply, core }) {
      await apply(core("configmaps", "a"), configMap("a", { k: "1" }));

      const refused = await apply(core("configmaps", "a"), configMap("a", { k: "2" }), { manager: "beta" });
      const forced = await apply(core("configmaps", "a"), configMap("a", { k: "2" }), { manager: "beta", force: true });

      expect(refused.status).toBe(409);
      expect(refused.body.reason).toBe("Conflict");
      expect(refused.body.message).toBe('Apply failed with 1 conflict: conflict with "alpha": .data.k');
      expect(refused.body.details.causes).toEqual([
        { reason: "FieldManagerConflict", message: 'conflict with "alpha"', field: ".data.k" },
      ]);
      expect(forced.body.data).toEqual({ k: "2" });
      expect(managersOf(forced.body)).toEqual(["beta/Apply"]);
    },
  },
  {
    claim: "names every conflict of several managers",
    async run({ apply, core, call }) {
      await apply(core("configmaps", "a"), configMap("a", { x: "1" }));
      await call({
        method: "PATCH",
        path: core("configmaps", "a"),
        query: { fieldManager: "editor" },
        body: { data: { y: "1", z: "1" } },
        contentType: "application/merge-patch+json",
      });

      const refused = await apply(core("configmaps", "a"), configMap("a", { x: "2", y: "2", z: "2" }), {
        manager: "beta",
      });

      expect(refused.body.message).toBe(
        'Apply failed with 3 conflicts: conflicts with "alpha":\n- .data.x\nconflicts with "editor" using v1:\n- .data.y\n- .data.z',
      );
    },
  },
  {
    claim: "removes what the manager applied before and applies no longer",
    async run({ apply, core }) {
      await apply(core("configmaps", "a"), configMap("a", { x: "1", y: "1" }));

      const second = await apply(core("configmaps", "a"), configMap("a", { x: "1" }));

      expect(second.body.data).toEqual({ x: "1" });
    },
  },
  {
    claim: "keeps a dropped field that another manager owns",
    async run({ apply, core }) {
      await apply(core("configmaps", "a"), configMap("a", { x: "1", y: "1" }));
      await apply(core("configmaps", "a"), configMap("a", { y: "1" }), { manager: "beta" });

      const dropped = await apply(core("configmaps", "a"), configMap("a", { x: "1" }));

      expect(dropped.body.data).toEqual({ x: "1", y: "1" });
    },
  },
  {
    claim: "attributes what was there before anybody applied to before-first-apply",
    async run({ apply, core, call }) {
      await call({ method: "POST", path: core("configmaps"), body: configMap("a", { x: "1" }) });
      await call({
        method: "PUT",
        path: core("configmaps", "a"),
        body: configMap("a", { x: "1" }, { managedFields: [] }),
      });

      const applied = await apply(core("configmaps", "a"), configMap("a", { y: "1" }));

      expect(managersOf(applied.body)).toEqual(["alpha/Apply", "before-first-apply/Update"]);
    },
  },
  {
    claim: "answers an undeclared field with 500 and no reason",
    async run({ apply, core, namespace }) {
      const reply = await apply(core("services", "s"), {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "s", namespace },
        spec: { prots: [] },
      });

      expect(reply.status).toBe(500);
      expect(reply.body.reason).toBeUndefined();
      expect(reply.body.message).toBe(
        `failed to create typed patch object (${namespace}/s; /v1, Kind=Service): .spec.prots: field not declared in schema`,
      );
    },
  },
  {
    claim: "answers a list key given twice with 500 and names the key, defaults filled in",
    async run({ apply, core, namespace }) {
      const ports = [
        { port: 53, name: "a" },
        { port: 53, name: "b" },
      ];

      const reply = await apply(core("services", "s"), {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "s", namespace },
        spec: { ports },
      });

      expect(reply.status).toBe(500);
      expect(reply.body.message).toContain('.spec.ports: duplicate entries for key [port=53,protocol="TCP"]');
    },
  },
  {
    claim: "answers an unusable quantity or base64 text with 500",
    async run({ apply, core }) {
      const reply = await apply(core("secrets", "s"), {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "s" },
        data: { a: "%%%" },
      });

      expect(reply.status).toBe(500);
      expect(reply.body.message).toContain("failed to convert new object");
    },
  },
  {
    claim: "refuses managedFields, another kind, and a missing manager",
    async run({ apply, core, call }) {
      const path = core("configmaps", "a");

      const withFields = await apply(path, configMap("a", {}, { managedFields: [] }));
      const otherKind = await apply(path, { ...configMap("a", {}), kind: "Secret" });
      const noManager = await call({
        method: "PATCH",
        path,
        body: configMap("a", {}),
        contentType: "application/apply-patch+yaml",
      });

      expect([withFields.status, withFields.body.reason, withFields.body.message]).toEqual([
        400,
        "BadRequest",
        "metadata.managedFields must be nil",
      ]);
      expect([otherKind.status, otherKind.body.reason]).toEqual([400, "BadRequest"]);
      expect([noManager.status, noManager.body.details.causes[0].reason]).toEqual([422, "FieldValueRequired"]);
    },
  },
  {
    claim: "never re-creates by an apply that carries a uid",
    async run({ apply, core }) {
      const reply = await apply(
        core("configmaps", "gone"),
        configMap("gone", {}, { uid: "11111111-2222-3333-4444-555555555555" }),
      );

      expect([reply.status, reply.body.reason]).toEqual([409, "Conflict"]);
      expect(reply.body.message).toContain("uid mismatch: the provided object specified uid");
    },
  },
  {
    claim: "refuses another uid and a stale resourceVersion in the body",
    async run({ apply, core }) {
      const first = await apply(core("configmaps", "a"), configMap("a", { k: "1" }));
      await apply(core("configmaps", "a"), configMap("a", { k: "2" }));

      const uid = await apply(
        core("configmaps", "a"),
        configMap("a", {}, { uid: "11111111-2222-3333-4444-555555555555" }),
      );
      const version = await apply(
        core("configmaps", "a"),
        configMap("a", { k: "3" }, { resourceVersion: first.body.metadata.resourceVersion }),
      );

      expect([uid.status, uid.body.reason, uid.body.details.causes[0].field]).toEqual([422, "Invalid", "metadata.uid"]);
      expect([version.status, version.body.reason]).toEqual([409, "Conflict"]);
    },
  },
  {
    claim: "stores nothing in a dry run",
    async run({ apply, core, get }) {
      const dry = await apply(core("configmaps", "a"), configMap("a", {}), { dryRun: true });

      expect(dry.status).toBe(201);
      expect((await get(core("configmaps", "a"))).status).toBe(404);
    },
  },
  {
    claim: "folds update entries beyond ten into one",
    async run({ core, call, get }) {
      await call({
        method: "POST",
        path: core("configmaps"),
        query: { fieldManager: "m00" },
        body: configMap("a", { m00: "1" }),
      });
      for (let i = 1; i < 13; i++) {
        const name = `m${String(i).padStart(2, "0")}`;
        await call({
          method: "PATCH",
          path: core("configmaps", "a"),
          query: { fieldManager: name },
          body: { data: { [name]: "1" } },
          contentType: "application/merge-patch+json",
        });
      }

      const managers = managersOf((await get(core("configmaps", "a"))).body);

      expect(managers).toHaveLength(10);
      expect(managers).toContain("ancient-changes/Update");
    },
  },
  {
    claim: "takes over from client-side apply without a conflict where the manager is kubectl",
    async run({ apply, core, call }) {
      const last = JSON.stringify(configMap("a", { k: "1" }));
      const annotations = { "kubectl.kubernetes.io/last-applied-configuration": last };
      await call({
        method: "POST",
        path: core("configmaps"),
        query: { fieldManager: "kubectl-client-side-apply" },
        body: configMap("a", { k: "1" }, { annotations }),
      });

      const other = await apply(core("configmaps", "a"), configMap("a", { k: "2" }), { manager: "other" });
      const kubectl = await apply(core("configmaps", "a"), configMap("a", { k: "2" }), { manager: "kubectl" });

      expect(other.status).toBe(409);
      expect(kubectl.status).toBe(200);
      expect(
        JSON.parse(kubectl.body.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]).data,
      ).toEqual({ k: "2" });
    },
  },
  {
    claim: "completes a deletion by an apply that drops the last finalizer",
    async run({ apply, core, call, get }) {
      await apply(core("configmaps", "a"), configMap("a", {}, { finalizers: ["example.com/x"] }));
      await call({ method: "DELETE", path: core("configmaps", "a") });

      const last = await apply(core("configmaps", "a"), configMap("a", {}));

      expect(last.status).toBe(200);
      expect((await get(core("configmaps", "a"))).status).toBe(404);
    },
  },
];
