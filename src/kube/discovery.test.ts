import { describe, expect, test } from "vitest";
import { clientFor, type Received, respond, startServer, status, type TestServer } from "./test-server.case.ts";

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const deployment = { group: "apps", kind: "Deployment" };

function resource(plural: string, kind: string, extra: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    resource: plural,
    responseKind: { group: "", version: "", kind },
    scope: "Namespaced",
    verbs: ["get", "list"],
    ...extra,
  };
}

const core = {
  items: [
    {
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            resource("configmaps", "ConfigMap"),
            resource("namespaces", "Namespace", { scope: "Cluster" }),
            resource("pods", "Pod", { subresources: [{ subresource: "log" }, { subresource: "status" }] }),
          ],
        },
      ],
    },
  ],
};

function groups(...items: readonly unknown[]): unknown {
  return { kind: "APIGroupDiscoveryList", items };
}

function group(name: string, ...versions: readonly unknown[]): unknown {
  return { metadata: { name }, versions };
}

const apps = group(
  "apps",
  { version: "v1", freshness: "Current", resources: [resource("deployments", "Deployment")] },
  {
    version: "v1beta1",
    freshness: "Current",
    resources: [resource("deployments", "Deployment"), resource("old", "Old")],
  },
);

/** A server with aggregated discovery, whose `/apis` answers what `apis()` gives. */
function startAggregated(apis: (request: Received) => unknown): Promise<TestServer> {
  return startServer((request, response) => {
    const headers = { "content-type": aggregatedType };
    if (request.path === "/api") respond(response, 200, core, headers);
    else respond(response, 200, apis(request), headers);
  });
}

describe("aggregated discovery", () => {
  test("finds a kind in exactly the version, in the preferred one, and in all", async () => {
    const server = await startAggregated(() => groups(apps));
    const { discovery } = clientFor(server.url);

    expect(await discovery.find({ ...deployment, version: "v1beta1" })).toMatchObject({
      version: "v1beta1",
      resource: "deployments",
    });
    expect(await discovery.find({ ...deployment, version: "v2" })).toBeUndefined();
    expect(await discovery.preferred(deployment)).toMatchObject({ version: "v1" });
    expect(await discovery.preferred({ group: "", kind: "Namespace" })).toMatchObject({ namespaced: false });
    expect(await discovery.preferred({ group: "", kind: "Pod" })).toMatchObject({
      namespaced: true,
      subresources: ["log", "status"],
    });
    expect(await discovery.preferred({ group: "", kind: "Deployment" })).toBeUndefined();
    expect(await discovery.versions(deployment)).toEqual(["v1", "v1beta1"]);
    expect(await discovery.versions({ group: "apps", kind: "Old" })).toEqual(["v1beta1"]);
    expect((await discovery.all()).map(({ kind, version }) => `${kind}.${version}`)).toEqual([
      "ConfigMap.v1",
      "Namespace.v1",
      "Pod.v1",
      "Deployment.v1",
      "Deployment.v1beta1",
      "Old.v1beta1",
    ]);
    expect(server.requests.length).toBe(2);
  });

  test("asks once for many questions at a time, and anew after invalidation", async () => {
    let isServed = false;
    const server = await startAggregated(() => (isServed ? groups(apps) : groups()));
    const { discovery } = clientFor(server.url);

    const before = await Promise.all([
      discovery.preferred(deployment),
      discovery.preferred(deployment),
      discovery.all(),
    ]);
    isServed = true;
    const cached = await discovery.preferred(deployment);
    discovery.invalidate();
    const after = await Promise.all([discovery.preferred(deployment), discovery.versions(deployment)]);

    expect([before[0], cached]).toEqual([undefined, undefined]);
    expect(after).toMatchObject([{ kind: "Deployment" }, ["v1", "v1beta1"]]);
    expect(server.requests.length).toBe(4);
  });

  test("an answer that was under way when it was invalidated is not kept", async () => {
    let release = (): void => {};
    let isServed = false;
    const server = await startServer(({ path }, response) => {
      const body = path === "/api" ? core : isServed ? groups(apps) : groups();
      const send = (): void => respond(response, 200, body, { "content-type": aggregatedType });
      if (isServed || path === "/api") send();
      else release = send;
    });
    const { discovery } = clientFor(server.url);
    const old = discovery.preferred(deployment);
    while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));

    isServed = true;
    discovery.invalidate();
    const fresh = await discovery.preferred(deployment);
    release();

    expect(await old).toBeUndefined();
    expect(fresh).toMatchObject({ kind: "Deployment" });
    expect(await discovery.preferred(deployment)).toMatchObject({ kind: "Deployment" });
  });

  test("an unchanged answer is not sent again", async () => {
    const server = await startServer((request, response) => {
      if (request.headers["if-none-match"] === '"e"') response.writeHead(304).end();
      else
        respond(response, 200, request.path === "/api" ? core : groups(apps), {
          "content-type": aggregatedType,
          etag: '"e"',
        });
    });
    const { discovery } = clientFor(server.url);
    await discovery.all();

    discovery.invalidate();

    expect(await discovery.preferred(deployment)).toMatchObject({ kind: "Deployment" });
    expect(server.requests.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      undefined,
      '"e"',
      '"e"',
    ]);
  });

  test("a stale group is named, and keeps the kinds that it had", async () => {
    let isUp = true;
    const server = await startAggregated(() =>
      groups(
        group("metrics.k8s.io", {
          version: "v1",
          freshness: isUp ? "Current" : "Stale",
          resources: isUp ? [resource("nodes", "NodeMetrics")] : [],
        }),
      ),
    );
    const { discovery } = clientFor(server.url);
    const metrics = { group: "metrics.k8s.io", kind: "NodeMetrics" };
    await discovery.all();
    const before = discovery.unavailableGroups();

    isUp = false;
    discovery.invalidate();

    expect(await discovery.preferred(metrics)).toMatchObject({ resource: "nodes" });
    expect([before, discovery.unavailableGroups()]).toEqual([[], ["metrics.k8s.io"]]);
  });

  test("a failed look is not remembered", async () => {
    let code = 403;
    const server = await startServer(({ path }, response) =>
      respond(response, code, code === 200 ? (path === "/api" ? core : groups(apps)) : status(code), {
        "content-type": aggregatedType,
      }),
    );
    const { discovery } = clientFor(server.url);
    await expect(discovery.all()).rejects.toMatchObject({ code: "Forbidden" });

    code = 200;

    expect(await discovery.preferred(deployment)).toMatchObject({ kind: "Deployment" });
  });

  test("a caller that is stopped does not stop the others", async () => {
    let release = (): void => {};
    const server = await startServer(({ path }, response) => {
      const send = (): void =>
        respond(response, 200, path === "/api" ? core : groups(apps), { "content-type": aggregatedType });
      if (path === "/api") send();
      else release = send;
    });
    const { discovery } = clientFor(server.url);
    const stop = new AbortController();
    const stopped = expect(discovery.all(stop.signal)).rejects.toMatchObject({ code: "Aborted" });
    const other = discovery.preferred(deployment);
    while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));

    stop.abort();
    await stopped;
    release();

    expect(await other).toMatchObject({ kind: "Deployment" });
  });
});

describe("discovery group by group", () => {
  const documents: Record<string, unknown> = {
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/apis": {
      kind: "APIGroupList",
      groups: [
        {
          name: "apps",
          versions: [
            { groupVersion: "apps/v1beta1", version: "v1beta1" },
            { groupVersion: "apps/v1", version: "v1" },
          ],
          preferredVersion: { groupVersion: "apps/v1", version: "v1" },
        },
        { name: "metrics.k8s.io", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } },
        { name: "gone.io", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } },
      ],
    },
    "/api/v1": {
      resources: [
        { name: "pods", kind: "Pod", namespaced: true, verbs: ["get"] },
        { name: "pods/log", kind: "Pod", namespaced: true, verbs: ["get"] },
      ],
    },
    "/apis/apps/v1": { resources: [{ name: "deployments", kind: "Deployment", namespaced: true, verbs: ["get"] }] },
    "/apis/apps/v1beta1": {
      resources: [{ name: "deployments", kind: "Deployment", namespaced: true, verbs: ["get"] }],
    },
  };

  test("is used where the server answers with the plain lists", async () => {
    const server = await startServer(({ path }, response) => {
      if (path === "/apis/metrics.k8s.io/v1") respond(response, 503, status(503, { reason: "ServiceUnavailable" }));
      else if (documents[path] === undefined) response.writeHead(404).end("404 page not found");
      else respond(response, 200, documents[path]);
    });
    const { discovery } = clientFor(server.url);

    expect(await discovery.versions(deployment)).toEqual(["v1", "v1beta1"]);
    expect(await discovery.preferred({ group: "", kind: "Pod" })).toEqual({
      group: "",
      version: "v1",
      kind: "Pod",
      resource: "pods",
      namespaced: true,
      verbs: ["get"],
      subresources: ["log"],
    });
    expect(discovery.unavailableGroups()).toEqual(["metrics.k8s.io"]);
    expect(server.requests.filter(({ path }) => path.includes("metrics")).length).toBe(1);
  });

  test("a server that takes the question for v2beta1 is understood as well", async () => {
    const type = aggregatedType.replace("v=v2;", "v=v2beta1;");
    const server = await startServer(({ path }, response) =>
      respond(response, 200, path === "/api" ? core : groups(apps), { "content-type": type }),
    );

    expect(await clientFor(server.url).discovery.versions(deployment)).toEqual(["v1", "v1beta1"]);
  });
});
