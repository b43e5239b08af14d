import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiServer, startApiServer } from "../apiserver/index.ts";
import { systemClock } from "../async/index.ts";
import { createPlainClient, type KubeClient } from "../kube/index.ts";
import { digestOf, type KubeObject, refKey, refOf } from "../object/index.ts";
import { manifestOfBody, type RevisionObject, setDigest } from "./revision.ts";
import { diffRevisions } from "./revision-diff.ts";
import { SECRETS } from "./revision-secrets.ts";
import { type RevisionDraft, RevisionStore } from "./revision-store.ts";
import { unservedKinds } from "./served.ts";

const NAMESPACE = "kube-system";
const { signal } = new AbortController();

let server: ApiServer;
let client: KubeClient;
beforeEach(async () => {
  server = await startApiServer();
  client = createPlainClient({ server: server.url, namespace: "default", origin: "test", clock: systemClock });
});
afterEach(async () => {
  client.close();
  await server.close();
});

const storeOf = (set = ""): RevisionStore => new RevisionStore({ client, set, namespace: NAMESPACE });

function configMap(name: string, data: Readonly<Record<string, string>> = {}): RevisionObject {
  return objectOf({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data });
}

function objectOf(object: KubeObject): RevisionObject {
  const origin = { file: "a.yaml", line: 3 };
  const manifest = manifestOfBody(JSON.stringify(object), { digest: digestOf(object), origin });
  const ref = refOf(object);
  return { key: refKey(ref), ref, mode: "Reconcile", manifest };
}

const draft = (objects: readonly RevisionObject[], parts: Partial<RevisionDraft> = {}): RevisionDraft => ({
  objects,
  digest: setDigest(objects),
  cause: ({ changed }) => `${changed.length} changed`,
  now: Date.UTC(2030, 0, 1),
  instance: "cp-1",
  failed: 0,
  ...parts,
});

async function secretNames(): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { objects } of client.list(SECRETS, { namespace: NAMESPACE, signal }))
    names.push(...objects.map(({ metadata }) => metadata.name ?? ""));
  return names.sort();
}

describe("a store of revisions", () => {
  it("gives back what was stored, with its place and mode", async () => {
    const ensured = { ...configMap("b"), mode: "EnsureExists" as const };
    const { summary, isNew } = await storeOf().record(
      draft([configMap("a", { x: "1" }), ensured], { failed: 1 }),
      signal,
    );

    expect(isNew).toBe(true);
    expect(summary).toMatchObject({ revision: 1, objects: 2, added: 2, result: "failed", failed: 1, set: "" });
    const loaded = await storeOf().load(1, signal);
    expect(loaded).toEqual({ ...summary, contents: [configMap("a", { x: "1" }), ensured] });
    expect(await storeOf().list(signal)).toEqual([summary]);
  });

  it("makes none where the newest has the same content, from wherever it came", async () => {
    await storeOf().record(draft([configMap("a"), configMap("b")]), signal);

    const again = await storeOf().record(draft([configMap("b"), configMap("a")]), signal);

    expect(again).toMatchObject({ isNew: false, summary: { revision: 1 } });
  });

  it("stores no body twice, also when a set of former times comes back", async () => {
    const store = storeOf();
    await store.record(draft([configMap("a", { x: "1" }), configMap("b")]), signal);
    await store.record(draft([configMap("a", { x: "2" }), configMap("b")]), signal);
    const before = await secretNames();

    const { summary } = await store.record(draft([configMap("a", { x: "1" }), configMap("b")]), signal);

    expect(summary).toMatchObject({ revision: 3, changed: 1, cause: "1 changed" });
    expect((await secretNames()).filter((name) => !before.includes(name))).toEqual(["keelson-revision.3"]);
    expect((await store.load(3, signal)).contents).toEqual([configMap("a", { x: "1" }), configMap("b")]);
  });

  it("keeps the newest, those that are wanted, and the packs that they need", async () => {
    const store = storeOf("edge");
    for (const x of ["1", "2", "3", "4"]) await store.record(draft([configMap("a", { x }), configMap("b")]), signal);

    await store.prune(1, new Set([2]), signal);

    expect((await store.list(signal)).map(({ revision }) => revision)).toEqual([2, 4]);
    expect((await store.load(2, signal)).contents[0]).toEqual(configMap("a", { x: "2" }));
    // `b` of the first revision is in its pack still.
    expect((await store.load(4, signal)).contents[1]).toEqual(configMap("b"));
    expect((await secretNames()).filter((name) => name.startsWith("keelson-objects-edge"))).toHaveLength(3);
  });

  it("keeps sets apart, also those whose names begin alike", async () => {
    await storeOf("a").record(draft([configMap("a")]), signal);
    await storeOf("a-b").record(draft([configMap("a", { x: "other" })]), signal);

    expect((await storeOf("a").list(signal)).map(({ set }) => set)).toEqual(["a"]);
    expect(await storeOf().list(signal)).toEqual([]);
    expect((await storeOf("a-b").load(1, signal)).contents).toEqual([configMap("a", { x: "other" })]);
  });

  it("numbers without a hole or a double where two write at once", async () => {
    await Promise.all(["1", "2", "3"].map((x) => storeOf().record(draft([configMap("a", { x })]), signal)));

    expect((await storeOf().list(signal)).map(({ revision }) => revision)).toEqual([1, 2, 3]);
  });

  it("splits what is larger than a Secret, and reads it back", async () => {
    const noise = randomBytes(900_000).toString("base64");

    const large = configMap("large", { noise });
    await storeOf().record(draft([large]), signal);

    expect(await secretNames()).toHaveLength(3);
    expect((await storeOf().load(1, signal)).contents).toEqual([large]);
  });

  it("holds 5,000 objects, and a change of one costs little", async () => {
    const objects = Array.from({ length: 5_000 }, (_, n) =>
      configMap(`object-${n}`, { n: String(n), text: "x".repeat(500) }),
    );
    const store = storeOf();
    await store.record(draft(objects), signal);
    const before = await secretNames();

    const changed = objects.with(77, configMap("object-77", { n: "other" }));
    await store.record(draft(changed), signal);

    expect((await secretNames()).filter((name) => !before.includes(name))).toHaveLength(2);
    const [one, two] = [await store.load(1, signal), await store.load(2, signal)];
    expect(one.contents).toHaveLength(5_000);
    expect(diffRevisions(one, two).map(({ ref, fields }) => [ref.name, fields.length])).toEqual([["object-77", 2]]);
  }, 60_000);

  it("says which revisions there are where one is not, and that one was damaged", async () => {
    await storeOf().record(draft([configMap("a")]), signal);
    const pack = (await secretNames()).find((name) => name.startsWith("keelson-objects")) ?? "";
    await client.delete(SECRETS, { namespace: NAMESPACE, name: pack }, { signal });

    await expect(storeOf().load(7, signal)).rejects.toMatchObject({
      code: "NotFound",
      message: "revision 7 is not there: there are 1",
    });
    await expect(storeOf().load(1, signal)).rejects.toMatchObject({ code: "Unreadable" });
  });
});

describe("unservedKinds", () => {
  it("names what the API server does not serve, but for what the set defines itself", async () => {
    const widget = (group: string) =>
      objectOf({ apiVersion: `${group}/v1`, kind: "Widget", metadata: { name: "w", namespace: "default" } });
    const crd = objectOf({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.own.dev" },
      spec: { group: "own.dev", names: { kind: "Widget" }, versions: [{ name: "v1", served: true }] },
    });

    const unserved = await unservedKinds(
      [configMap("a"), crd, widget("own.dev"), widget("gone.dev")],
      client.discovery,
      signal,
    );

    expect(unserved).toEqual(["gone.dev/v1 Widget"]);
  });
});
