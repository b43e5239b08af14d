import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, startApiServer } from "../../apiserver/index.ts";
import { systemClock } from "../../async/index.ts";
import { createPlainClient, type KubeClient } from "../../kube/index.ts";
import { PART_OF_LABEL } from "../../object/index.ts";
import { findForeignSet, listMembers } from "./adopt-source.ts";
import { APPLYSET_ID_LABEL, applySetId, TOOLING_ANNOTATION } from "./applyset.ts";

const GROUP_KINDS = "applyset.kubernetes.io/contains-group-kinds";
const { signal } = new AbortController();
const idOf = (name: string): string => applySetId({ group: "", kind: "Secret", namespace: "default", name });

let server: ApiServer;
let client: KubeClient;
beforeAll(async () => {
  server = await startApiServer();
  client = createPlainClient({ server: server.url, namespace: "default", origin: "test", clock: systemClock });
});
afterAll(async () => {
  client.close();
  await server.close();
});

interface Marks {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string | undefined>>;
}

/** A parent as kubectl makes it, but for `marks`. */
async function parent(name: string, marks: Marks = {}): Promise<void> {
  const labels = marks.labels ?? { [APPLYSET_ID_LABEL]: idOf(name) };
  const annotations = {
    [GROUP_KINDS]: "ConfigMap",
    ...(marks.annotations ?? { [TOOLING_ANNOTATION]: "kubectl/v1.37.0" }),
  };
  const body = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default", labels, annotations } };
  await client.raw("POST", "/api/v1/namespaces/default/secrets", { body: JSON.stringify(body) });
}

const find = (text: string) =>
  findForeignSet(client, { parent: text, namespace: undefined, tooling: "keelson/v1" }, signal);
const tooled = (tooling: string): Readonly<Record<string, string>> => ({ [TOOLING_ANNOTATION]: tooling });

describe("the parent of an ApplySet that is to be adopted", () => {
  it.each(["secret/good", "Secret/good", "secrets/good", "good"])("is found as %s", async (text) => {
    await parent("good").catch(() => {});

    expect(await find(text)).toMatchObject({ id: idOf("good"), tooling: "kubectl/v1.37.0" });
  });

  it.each<{ readonly why: string; readonly name: string; readonly marks: Marks; readonly message: string }>([
    { why: "has no id", name: "bare", marks: { labels: {} }, message: "it is no parent of an ApplySet" },
    {
      why: "has the id of another name",
      name: "copy",
      marks: { labels: { [APPLYSET_ID_LABEL]: idOf("good") } },
      message: "it may be a copy",
    },
    { why: "names no tooling", name: "toolless", marks: { annotations: {} }, message: "no annotation" },
    {
      why: "is kept by another tool",
      name: "helms",
      marks: { annotations: tooled("helm/v4.0.0") },
      message: "helm/v4.0.0 keeps it, not kubectl",
    },
    {
      why: "is a parent of Keelson's own",
      name: "own",
      marks: { labels: { [APPLYSET_ID_LABEL]: idOf("own"), [PART_OF_LABEL]: "keelson" } },
      message: "the parent of a set of Keelson's",
    },
  ])("is refused where it $why", async ({ name, marks, message }) => {
    await parent(name, marks);

    await expect(find(name)).rejects.toMatchObject({ code: "Refused", message: expect.stringContaining(message) });
  });

  it("is taken where an adoption has begun", async () => {
    await parent("begun", { annotations: tooled("keelson/v1") });

    expect(await find("begun")).toMatchObject({ tooling: "keelson/v1" });
  });

  it("must be there, and of a kind that is served", async () => {
    await expect(find("secret/none")).rejects.toMatchObject({ code: "NotFound" });
    await expect(find("widget/x")).rejects.toMatchObject({ code: "InvalidFlag" });
    await expect(find("a/b/c")).rejects.toMatchObject({ code: "InvalidFlag" });
  });
});

describe("the members of an ApplySet that is to be adopted", () => {
  it("are refused where the parent does not say of which kinds they are", async () => {
    await parent("kindless", { annotations: { ...tooled("kubectl/v1.37.0"), [GROUP_KINDS]: undefined } });
    const set = await find("kindless");

    await expect(listMembers(client, set, signal)).rejects.toMatchObject({
      code: "Refused",
      message: expect.stringContaining("of which kinds"),
    });
  });

  it("are those with its label, and a kind that nobody serves is told", async () => {
    const kinds = { [GROUP_KINDS]: "ConfigMap,Widget.example.dev" };
    await parent("mixed", { annotations: { ...tooled("kubectl/v1.37.0"), ...kinds } });
    const metadata = { name: "m", namespace: "default", labels: { "applyset.kubernetes.io/part-of": idOf("mixed") } };
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata });
    await client.raw("POST", "/api/v1/namespaces/default/configmaps", { body });

    const { members, unserved } = await listMembers(client, await find("mixed"), signal);

    expect(members.map(({ object }) => object.metadata.name)).toEqual(["m"]);
    expect(unserved).toMatchObject([{ message: expect.stringContaining("names Widget.example.dev") }]);
  });
});
