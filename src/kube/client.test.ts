import { describe, expect, test } from "vitest";
import { systemClock } from "../async/index.ts";
import type { ClientObserver, ListPage } from "./kube-client.ts";
import { clientFor, configMap, configMaps, deployments, respond, startServer, status } from "./test-server.case.ts";

const x = { namespace: "default", name: "x" };
const writeOptions = { fieldManager: "keelson" };

describe("verbs", () => {
  test("apply sends a forced, strict server-side apply and tells creation and warnings", async () => {
    const server = await startServer((_, response) =>
      respond(response, 201, configMap("x"), { warning: ['299 - "first"', '299 - "second"'] }),
    );
    const warned: string[] = [];
    const client = clientFor(server.url, { observer: { onWarning: (text) => warned.push(text) } });

    const result = await client.apply(configMaps, x, '{"a":1}', writeOptions);

    expect(result).toMatchObject({ created: true, warnings: ["first", "second"], object: { metadata: { name: "x" } } });
    expect(warned).toEqual(["first", "second"]);
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: "PATCH",
      path: "/api/v1/namespaces/default/configmaps/x",
      body: '{"a":1}',
    });
    expect(request?.headers["content-type"]).toBe("application/apply-patch+yaml");
    expect(Object.fromEntries(request?.query ?? [])).toEqual({
      fieldManager: "keelson",
      fieldValidation: "Strict",
      force: "true",
    });
  });

  test("create, update and patch say what they are", async () => {
    const server = await startServer((_, response) => respond(response, 200, configMap("x")));
    const client = clientFor(server.url);

    await client.create(configMaps, x, "{}", { ...writeOptions, dryRun: true, fieldValidation: "Warn" });
    await client.update(deployments, x, "{}", { ...writeOptions, subresource: "status" });
    for (const type of ["json", "merge", "strategic"] as const)
      await client.patch(configMaps, x, { type, body: "{}" }, writeOptions);

    expect(server.requests.map(({ method, url, headers }) => [method, url, headers["content-type"]])).toEqual([
      [
        "POST",
        "/api/v1/namespaces/default/configmaps?fieldManager=keelson&fieldValidation=Warn&dryRun=All",
        "application/json",
      ],
      [
        "PUT",
        "/apis/apps/v1/namespaces/default/deployments/x/status?fieldManager=keelson&fieldValidation=Strict",
        "application/json",
      ],
      [
        "PATCH",
        "/api/v1/namespaces/default/configmaps/x?fieldManager=keelson&fieldValidation=Strict",
        "application/json-patch+json",
      ],
      [
        "PATCH",
        "/api/v1/namespaces/default/configmaps/x?fieldManager=keelson&fieldValidation=Strict",
        "application/merge-patch+json",
      ],
      [
        "PATCH",
        "/api/v1/namespaces/default/configmaps/x?fieldManager=keelson&fieldValidation=Strict",
        "application/strategic-merge-patch+json",
      ],
    ]);
  });

  test("delete sends its preconditions and tells a held object from a gone one", async () => {
    const held = configMap("x");
    Object.assign(held.metadata as object, { deletionTimestamp: "2030-01-01T00:00:00Z" });
    const server = await startServer(({ number }, response) =>
      respond(response, 200, number === 1 ? { ...status(200), status: "Success" } : held),
    );
    const client = clientFor(server.url);

    const gone = await client.delete(configMaps, x, { uid: "u", resourceVersion: "5" });
    const terminating = await client.delete(configMaps, x, { propagationPolicy: "Foreground", dryRun: true });

    expect(gone).toEqual({ kind: "deleted", warnings: [] });
    expect(terminating).toMatchObject({ kind: "terminating", object: { metadata: { name: "x" } } });
    expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([
      {
        kind: "DeleteOptions",
        apiVersion: "v1",
        propagationPolicy: "Background",
        preconditions: { uid: "u", resourceVersion: "5" },
      },
      { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Foreground", dryRun: ["All"] },
    ]);
  });

  test("an empty name never reaches the server, where it would delete the whole collection", async () => {
    const server = await startServer((_, response) => respond(response, 200, {}));
    const client = clientFor(server.url);

    await expect(client.delete(configMaps, { namespace: "default", name: "" })).rejects.toMatchObject({
      code: "BadRequest",
    });

    expect(server.requests).toEqual([]);
  });

  test("list follows the pages and gives its objects the kind that the server leaves out", async () => {
    const server = await startServer(({ query }, response) => {
      const isFirst = query.get("continue") === null;
      const { apiVersion: _a, kind: _k, ...item } = configMap(isFirst ? "a" : "b");
      respond(response, 200, {
        metadata: { resourceVersion: "7", ...(isFirst && { continue: "next" }) },
        items: [item],
      });
    });
    const pages: ListPage[] = [];

    for await (const page of clientFor(server.url).list(configMaps, { labelSelector: "k=v", limit: 1 }))
      pages.push(page);

    expect(pages.map(({ objects }) => objects.map(({ kind, metadata }) => [kind, metadata.name]))).toEqual([
      [["ConfigMap", "a"]],
      [["ConfigMap", "b"]],
    ]);
    expect(pages.map(({ resourceVersion }) => resourceVersion)).toEqual(["7", "7"]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/api/v1/configmaps?labelSelector=k%3Dv&limit=1",
      "/api/v1/configmaps?labelSelector=k%3Dv&limit=1&continue=next",
    ]);
  });

  test("metadataOnly asks for PartialObjectMetadata and still names the kind", async () => {
    const server = await startServer((_, response) =>
      respond(response, 200, { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: { name: "x" } }),
    );

    const object = await clientFor(server.url).get(deployments, x, { metadataOnly: true });

    expect(object).toMatchObject({ apiVersion: "apps/v1", kind: "Deployment" });
    expect(server.requests[0]?.headers.accept).toBe("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  });

  test("keeps integers that a double cannot hold", async () => {
    const server = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"n":9007199254740993}');
    });

    const object = await clientFor(server.url).get(configMaps, x);

    expect(object.n).toBe(9007199254740993n);
  });

  test("raw passes path and body on below the server's own path", async () => {
    const server = await startServer((_, response) => respond(response, 200, { ok: true }));

    const answer = await clientFor(`${server.url}/k8s/clusters/c-1`).raw("POST", "/version", { body: "{}" });

    expect(answer).toEqual({ status: 200, contentType: "application/json", body: '{"ok":true}' });
    expect(server.requests[0]).toMatchObject({ method: "POST", url: "/k8s/clusters/c-1/version", body: "{}" });
  });

  test("an answer that is no JSON is the server's fault", async () => {
    const server = await startServer((_, response) => response.end("<html>"));

    await expect(clientFor(server.url).get(configMaps, x)).rejects.toMatchObject({ code: "ServerError" });
  });
});

describe("requests", () => {
  test("carry the user agent and the impersonation", async () => {
    const server = await startServer((_, response) => respond(response, 200, configMap("x")));
    const impersonation = { user: "jane", uid: "u", groups: ["a", "b"], extra: { k: ["v"] } };

    await clientFor(server.url, { config: { impersonation } }).get(configMaps, x);

    const { headers, raw } = server.requests[0]!;
    expect(headers).toMatchObject({
      "user-agent": "keelson",
      "impersonate-user": "jane",
      "impersonate-uid": "u",
      "impersonate-extra-k": "v",
    });
    expect(raw.headersDistinct["impersonate-group"]).toEqual(["a", "b"]);
  });

  test("are reported with verb, kind, code and duration; warnings of lists are not", async () => {
    const server = await startServer(({ path }, response) =>
      respond(response, 200, path.endsWith("/x") ? configMap("x") : { metadata: {}, items: [] }, {
        warning: '299 - "old"',
      }),
    );
    const seen: unknown[] = [];
    const observer: ClientObserver = {
      onRequest: ({ verb, resource, code, ms }) => seen.push([verb, resource?.kind, code, ms >= 0]),
      onWarning: (text, resource) => seen.push([text, resource?.kind]),
    };
    const client = clientFor(server.url, { observer, clock: systemClock });

    await client.get(configMaps, x);
    for await (const _ of client.list(configMaps)) {
      // Only the requests matter.
    }
    await client.raw("GET", "/version");

    expect(seen).toEqual([
      ["get", "ConfigMap", 200, true],
      ["old", "ConfigMap"],
      ["list", "ConfigMap", 200, true],
      ["raw", undefined, 200, true],
      ["old", undefined],
    ]);
  });
});
