import { expect } from "vitest";
import { type Bench, type Case, eventually } from "./case.ts";
import type { Json } from "./target.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function definition(bench: Bench, versions: readonly Json[]): Json {
  const group = `${bench.namespace}.test`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: { group, scope: "Namespaced", names: { plural: "things", kind: "Thing" }, versions },
  };
}

function version(name: string, properties: Json, more: Json = {}): Json {
  const spec = { type: "object", properties };
  return {
    name,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
    ...more,
  };
}

async function define(bench: Bench, versions: readonly Json[]): Promise<void> {
  const created = await bench.call({ method: "POST", path: DEFINITIONS, body: definition(bench, versions) });
  expect(created.status).toBe(201);
  for (const { name } of versions) {
    await eventually("the kind is served", async () => (await bench.get(things(bench, name))).status === 200);
  }
}

function things(bench: Bench, version: string, name?: string): string {
  return `/apis/${bench.namespace}.test/${version}/namespaces/${bench.namespace}/things${name === undefined ? "" : `/${name}`}`;
}

function thing(bench: Bench, version: string, spec: Json): Json {
  return { apiVersion: `${bench.namespace}.test/${version}`, kind: "Thing", metadata: { name: "x" }, spec };
}

/** Custom resources: definitions, pruning, defaults, validation, versions that come and go. */
export const CUSTOM_CASES: readonly Case[] = [
  {
    claim: "serves a kind soon after its definition, and stops when that is deleted",
    async run(bench) {
      await define(bench, [version("v1", { a: { type: "string" } })]);
      const { body } = await bench.get(`${DEFINITIONS}/things.${bench.namespace}.test`);

      await bench.call({ method: "DELETE", path: `${DEFINITIONS}/things.${bench.namespace}.test` });

      expect(body.status.conditions.map((one: Json) => `${one.type}=${one.status}`)).toEqual([
        "NamesAccepted=True",
        "Established=True",
      ]);
      expect(body.status.storedVersions).toEqual(["v1"]);
      await eventually("the kind is gone", async () => (await bench.get(things(bench, "v1"))).status === 404);
    },
  },
  {
    claim: "prunes unknown fields, fills in defaults and validates",
    async run(bench) {
      await define(bench, [
        version("v1", {
          a: { type: "string", default: "d" },
          n: { type: "integer", maximum: 3 },
          e: { type: "string", enum: ["x"] },
        }),
      ]);
      const post = (spec: Json): Promise<Json> =>
        bench.call({ method: "POST", path: things(bench, "v1"), body: thing(bench, "v1", spec) });

      const wrongType = await post({ n: "1" });
      const tooLarge = await post({ n: 4 });
      const notListed = await post({ e: "y" });
      const pruned = await post({ oops: 1 });

      expect([wrongType.status, tooLarge.status, notListed.status]).toEqual([422, 422, 422]);
      expect(wrongType.body.details.causes[0].reason).toBe("FieldValueTypeInvalid");
      expect(notListed.body.details.causes[0].reason).toBe("FieldValueNotSupported");
      expect(pruned.body.spec).toEqual({ a: "d" });
    },
  },
  {
    claim: "answers an apply with 422 where it empties a map that is an object by schema",
    async run(bench) {
      await define(bench, [version("v1", { sub: { type: "object", additionalProperties: { type: "string" } } })]);
      await bench.apply(things(bench, "v1", "x"), thing(bench, "v1", { sub: { a: "1" } }));

      const reply = await bench.apply(things(bench, "v1", "x"), thing(bench, "v1", { sub: {} }));

      expect([reply.status, reply.body.reason]).toEqual([422, "Invalid"]);
    },
  },
  {
    claim: "drops a field given up at another version, and moves the entry to the new one",
    async run(bench) {
      const fields = { a: { type: "string" }, b: { type: "string" } };
      await define(bench, [version("v1", fields), version("v2", fields, { storage: false })]);
      await bench.apply(things(bench, "v1", "x"), thing(bench, "v1", { a: "1", b: "1" }));

      const reply = await bench.apply(things(bench, "v2", "x"), thing(bench, "v2", { a: "1" }));

      expect(reply.body.spec).toEqual({ a: "1" });
      expect(reply.body.metadata.managedFields.map((entry: Json) => entry.apiVersion)).toEqual([
        `${bench.namespace}.test/v2`,
      ]);
    },
  },
  {
    claim:
      "refuses every apply while an entry is of a version that the definition lost, but lets others write untracked",
    async run(bench) {
      const fields = { a: { type: "string" } };
      await define(bench, [version("v1", fields), version("v1alpha1", fields, { storage: false })]);
      await bench.apply(things(bench, "v1", "x"), thing(bench, "v1", { a: "1" }));
      await bench.call({
        method: "PATCH",
        path: things(bench, "v1alpha1", "x"),
        body: { metadata: { labels: { l: "1" } } },
        contentType: "application/merge-patch+json",
      });
      const path = `${DEFINITIONS}/things.${bench.namespace}.test`;
      await bench.call({
        method: "PATCH",
        path,
        body: { spec: { versions: [version("v1", fields)] } },
        contentType: "application/merge-patch+json",
      });
      await eventually("the version is gone", async () => (await bench.get(things(bench, "v1alpha1"))).status === 404);

      const applied = await eventually("the apply is refused", async () => {
        const reply = await bench.apply(things(bench, "v1", "x"), thing(bench, "v1", { a: "1" }));
        return reply.status === 500 ? reply : undefined;
      });
      const patched = await bench.call({
        method: "PATCH",
        path: things(bench, "v1", "x"),
        query: { fieldManager: "foreign" },
        body: { spec: { a: "FOREIGN" } },
        contentType: "application/merge-patch+json",
      });

      expect(applied.body.reason).toBeUndefined();
      expect(applied.body.message).toContain(
        `request to convert CR to an invalid group/version: ${bench.namespace}.test/v1alpha1`,
      );
      expect(patched.status).toBe(200);
      expect(patched.body.spec.a).toBe("FOREIGN");
      expect(patched.body.metadata.managedFields.map((entry: Json) => entry.manager)).not.toContain("foreign");
    },
  },
];
