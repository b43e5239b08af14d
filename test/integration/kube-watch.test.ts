import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/async/index.ts";
import {
  type ApiResource,
  createClient,
  createEventRecorder,
  type KubeClient,
  loadKubeconfig,
  Reflector,
  type ReflectorEvent,
  type ReflectorOptions,
  type WatchEvent,
} from "../../src/kube/index.ts";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";
import { configMap, crd } from "./kube-objects.case.ts";

const options = { fieldManager: "keelson" };
const selector = "watched=yes";

function watched(name: string, value: string, labels: Record<string, string> = { watched: "yes" }): string {
  return JSON.stringify(configMap(name, { metadata: { name, namespace: "default", labels }, data: { value } }));
}

function recordOf(object: { readonly [field: string]: unknown }): unknown {
  return (object.data as Record<string, unknown> | undefined)?.value;
}

describeWithControlPlane(
  "the client's watches and discovery",
  (plane) => {
    const closers: (() => void)[] = [];
    let client: KubeClient;
    let configMaps: ApiResource;

    async function clientOf(kubeconfig: string): Promise<KubeClient> {
      const config = await loadKubeconfig({ flags: { kubeconfig }, env: {}, home: "/" });
      const made = createClient({ config, clock: systemClock });
      closers.push(() => made.close());
      return made;
    }

    const at = (name: string) => ({ namespace: "default", name });
    const put = (name: string, value: string, labels?: Record<string, string>) =>
      client.apply(configMaps, at(name), watched(name, value, labels), options);

    interface Running {
      readonly reflector: Reflector<unknown>;
      readonly events: ReflectorEvent<unknown>[];
      readonly story: () => readonly string[];
    }

    const stops: AbortController[] = [];

    function reflect(overrides: Partial<ReflectorOptions<unknown>> = {}): Running {
      const events: ReflectorEvent<unknown>[] = [];
      const stop = new AbortController();
      stops.push(stop);
      const reflector = new Reflector<unknown>({
        client,
        clock: systemClock,
        resource: configMaps,
        labelSelector: selector,
        project: recordOf,
        onEvent: (event) => events.push(event),
        ...overrides,
      });
      reflector.run(stop.signal).catch(() => {});
      const tell = (event: ReflectorEvent<unknown>): string => {
        if (event.kind === "upsert" || event.kind === "delete")
          return `${event.kind} ${event.target.name}=${event.record}`;
        return event.kind === "unavailable" ? `unavailable ${event.error.code}` : event.kind;
      };
      return { reflector, events, story: () => events.map(tell) };
    }

    beforeAll(async () => {
      client = await clientOf(plane().kubeconfigFor("keelson"));
      configMaps = (await client.discovery.preferred({ group: "", kind: "ConfigMap" })) as ApiResource;
    });

    afterEach(async () => {
      for (const stop of stops.splice(0)) stop.abort();
      for await (const { objects } of client.list(configMaps, { namespace: "default", labelSelector: selector })) {
        for (const { metadata } of objects) await client.delete(configMaps, at(metadata.name ?? ""));
      }
    });

    afterAll(() => {
      for (const close of closers) close();
    });

    describe("list and watch", () => {
      it("pages hold each object once, and name the version of the whole", async () => {
        for (const name of ["a", "b", "c"]) await put(name, "1");
        const names: (string | undefined)[] = [];
        const versions = new Set<string>();

        for await (const page of client.list(configMaps, { namespace: "default", labelSelector: selector, limit: 2 })) {
          names.push(...page.objects.map(({ metadata }) => metadata.name));
          versions.add(page.resourceVersion);
          expect(page.objects.every(({ kind, apiVersion }) => kind === "ConfigMap" && apiVersion === "v1")).toBe(true);
        }

        expect(names).toEqual(["a", "b", "c"]);
        expect(versions.size).toBe(1);
      });

      it("initial events end with a bookmark, and the stream in order at its time", async () => {
        await put("a", "1");
        const events: WatchEvent[] = [];

        await client.watch(configMaps, {
          labelSelector: selector,
          resourceVersion: "",
          sendInitialEvents: true,
          timeoutSeconds: 1,
          silenceMs: () => 10_000,
          onEvent: (event) => events.push(event),
        });

        expect(events.slice(0, 2)).toMatchObject([{ type: "ADDED" }, { type: "BOOKMARK", initialEventsEnd: true }]);
      });

      it("metadata alone comes where it is asked for, managedFields included", async () => {
        await put("a", "1");

        const got = await client.get(configMaps, at("a"), { metadataOnly: true });
        const { events } = reflect({
          metadataOnly: true,
          project: (object) => [object.kind, object.data, object.metadata.managedFields?.length],
        });
        await eventually("it is synced", () => events.some(({ kind }) => kind === "synced"));

        expect([got.kind, got.data]).toEqual(["ConfigMap", undefined]);
        expect(events[0]).toMatchObject({ record: ["ConfigMap", undefined, 1] });
      });
    });

    describe("a reflector", () => {
      it("follows what is created, changed, unlabelled, labelled again and deleted", async () => {
        await put("a", "1");
        const { story, reflector } = reflect();
        await eventually("it is synced", () => reflector.synced);

        await put("b", "1");
        await put("a", "2");
        await put("a", "3", { watched: "no" });
        await put("a", "3");
        await client.delete(configMaps, at("b"));
        await eventually("all events have come", () => story().length === 7);

        expect(story()).toEqual([
          "upsert a=1",
          "synced",
          "upsert b=1",
          "upsert a=2",
          "delete a=2",
          "upsert a=3",
          "delete b=1",
        ]);
        expect([...reflector.entries()]).toEqual([[at("a"), "3"]]);
      });

      it("hears of a change within milliseconds", async () => {
        const { story, reflector } = reflect();
        await eventually("it is synced", () => reflector.synced);
        const delays: number[] = [];
        for (let i = 0; i < 20; i += 1) {
          const before = story().length;
          await put("a", String(i));
          const start = performance.now();
          await eventually("the event has come", () => story().length > before, { intervalMs: 1 });
          delays.push(performance.now() - start);
        }

        delays.sort((a, b) => a - b);
        expect(delays[10]).toBeLessThan(100);
      });

      it("lists anew after a restart of the API server, and tells what happened meanwhile", async () => {
        await put("same", "1");
        await put("changed", "1");
        await put("gone", "1");
        const { story, reflector, events } = reflect();
        await eventually("it is synced", () => reflector.synced);
        const before = events.length;

        await plane().stopApiServer();
        await plane().startApiServer();
        const oldWatch = client.watch(configMaps, {
          resourceVersion: "1",
          timeoutSeconds: 10,
          silenceMs: () => 10_000,
          onEvent: () => {},
        });
        await expect(oldWatch).rejects.toMatchObject({ code: "Expired", httpStatus: 410 });
        await put("changed", "2");
        await client.delete(configMaps, at("gone"));
        await put("new", "1");
        await eventually(
          "it has caught up",
          () => story().includes("delete gone=1") && story().includes("upsert new=1"),
          { timeoutMs: 30_000 },
        );

        const after = story().slice(before);
        expect(after.filter((event) => event !== "synced").sort()).toEqual([
          "delete gone=1",
          "upsert changed=2",
          "upsert new=1",
        ]);
        expect(Object.fromEntries([...reflector.entries()].map(([{ name }, value]) => [name, value]))).toEqual({
          same: "1",
          changed: "2",
          new: "1",
        });
      });

      it("resumes a stream that is cut without a list, and misses nothing", async () => {
        const proxy = await plane().startFaultProxy();
        const through = await clientOf(plane().kubeconfigThrough(proxy, "keelson"));
        await put("a", "1");
        const { story, reflector } = reflect({ client: through });
        await eventually("it is synced", () => reflector.synced);
        await put("a", "2");
        await eventually("the event has come", () => story().includes("upsert a=2"));
        proxy.clearRequests();

        proxy.dropAll();
        await put("a", "3");
        await client.delete(configMaps, at("a"));
        proxy.restore();
        await eventually("it has caught up", () => story().includes("delete a=3"), { timeoutMs: 30_000 });

        expect(story()).toEqual(["upsert a=1", "synced", "upsert a=2", "upsert a=3", "delete a=3"]);
        expect(proxy.requests().every(({ query }) => !query.includes("sendInitialEvents"))).toBe(true);
      });

      it("tells a missing right once, and goes on by itself when it is granted", async () => {
        const someone = await clientOf(plane().kubeconfigFor("someone"));
        const { story, reflector } = reflect({ client: someone });
        await eventually("it is told", () => story().length === 1);

        await plane().kubectl("create", "clusterrole", "watcher", "--verb=list,watch", "--resource=configmaps");
        await plane().kubectl(
          "create",
          "clusterrolebinding",
          "someone-watches",
          "--clusterrole=watcher",
          "--user=someone",
        );
        await eventually("it is synced", () => reflector.synced, { timeoutMs: 30_000 });

        expect(story()).toEqual(["unavailable Forbidden", "synced"]);
      });

      it("falls back to lists where the server has no WatchList", async () => {
        const proxy = await plane().startFaultProxy();
        const refused = {
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          reason: "Invalid",
          code: 422,
          message: "sendInitialEvents: Forbidden",
        };
        proxy.addFault({ query: /sendInitialEvents/ }, { kind: "respond", status: 422, body: refused });
        const through = await clientOf(plane().kubeconfigThrough(proxy, "keelson"));
        for (const name of ["a", "b", "c"]) await put(name, "1");

        const { story, reflector } = reflect({ client: through, pageSize: 2 });
        await eventually("it is synced", () => reflector.synced);
        await put("a", "2");
        await eventually("the event has come", () => story().includes("upsert a=2"));

        expect(story()).toEqual(["upsert a=1", "upsert b=1", "upsert c=1", "synced", "upsert a=2"]);
      });
    });

    describe("discovery", () => {
      const text = { type: "string" };
      const kind = { group: "test.dev", kind: "Widget" };

      it("learns of a kind when its CRD comes, and of its end when that goes", async () => {
        const crds = (await client.discovery.preferred({
          group: "apiextensions.k8s.io",
          kind: "CustomResourceDefinition",
        })) as ApiResource;
        const target = { namespace: "", name: "widgets.test.dev" };
        const versions = [
          { name: "v1", storage: true, spec: { a: text } },
          { name: "v1beta1", storage: false, spec: { a: text } },
        ];
        expect(await client.discovery.preferred(kind)).toBeUndefined();

        await client.apply(crds, target, JSON.stringify(crd("widget", versions)), options);
        const widgets = await eventually("it is served", () => {
          client.discovery.invalidate();
          return client.discovery.preferred(kind);
        });
        const served = await client.discovery.versions(kind);
        const { story, reflector } = reflect({ resource: widgets, labelSelector: undefined });
        await eventually("its objects can be watched", () => reflector.synced);
        const widget = { apiVersion: "test.dev/v1", kind: "Widget", metadata: { name: "w" }, spec: { a: "1" } };
        await client.apply(widgets, { namespace: "", name: "w" }, JSON.stringify(widget), options);
        await client.delete(crds, target);
        await eventually("it is served no more", async () => {
          client.discovery.invalidate();
          return (await client.discovery.versions(kind)).length === 0;
        });
        await eventually("the reflector has noticed", () => story().some((event) => event.startsWith("unavailable")), {
          timeoutMs: 30_000,
        });

        expect(widgets).toMatchObject({ resource: "widgets", namespaced: false, version: "v1" });
        expect(served).toEqual(["v1", "v1beta1"]);
        expect(story().filter((event) => event !== "synced")).toEqual([
          "upsert w=undefined",
          "delete w=undefined",
          "unavailable NoMatch",
        ]);
      });

      it("names a group whose API server does not answer, and still knows all others", async () => {
        await plane().kubectl("apply", "-f", "-", {
          input: `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.dead.example}
spec: {group: dead.example, version: v1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {name: none, namespace: default}}
`,
        });

        await eventually("the group is named", async () => {
          client.discovery.invalidate();
          await client.discovery.all();
          return client.discovery.unavailableGroups().includes("dead.example");
        });

        expect(await client.discovery.preferred({ group: "apps", kind: "Deployment" })).toMatchObject({
          version: "v1",
        });
        await plane().kubectl("delete", "apiservice", "v1.dead.example");
      });

      it("agrees with kubectl on every resource", async () => {
        const { stdout } = await plane().kubectl("api-resources", "--no-headers", "--cached=false", "-o", "wide");
        const theirs = stdout
          .trim()
          .split("\n")
          .map((row) => /(\S+)\s+(true|false)\s+(\S+)\s+\S+/.exec(row)?.slice(1, 4).join(" "));
        client.discovery.invalidate();
        const all = await client.discovery.all();
        const ours = all.map(
          ({ group, version, namespaced, kind: name }) =>
            `${group === "" ? "" : `${group}/`}${version} ${namespaced} ${name}`,
        );

        // kubectl shows preferred versions only.
        expect(ours).toEqual(expect.arrayContaining(theirs));
        expect(theirs.length).toBeGreaterThan(50);
      });
    });

    it("Events that the recorder writes are what kubectl shows", async () => {
      const { object } = await put("a", "1");
      const recorder = createEventRecorder({ client, clock: systemClock, instance: "cp-1" });
      const regarding = { apiVersion: "v1", kind: "ConfigMap", ...at("a"), uid: object.metadata.uid };

      recorder.record({ regarding, type: "Normal", reason: "Repaired", note: "data.value was 2" });
      recorder.record({ regarding, type: "Normal", reason: "Repaired", note: "data.value was 2" });
      recorder.record({
        regarding: { apiVersion: "v1", kind: "Namespace", namespace: "", name: "default" },
        type: "Warning",
        reason: "Held",
        note: "n",
      });
      await recorder.flush();

      expect(recorder.dropped).toBe(0);
      const { stdout } = await plane().kubectl(
        "get",
        "events",
        "-n",
        "default",
        "--field-selector=reportingComponent=keelson",
        "--no-headers",
      );
      expect(stdout).toMatch(/Normal\s+Repaired\s+configmap\/a\s+data\.value was 2/);
      expect(stdout).toMatch(/Warning\s+Held\s+namespace\/default\s+n/);
      const { items } = await plane().kubectlJson<{ items: { series: { count: number } }[] }>(
        "get",
        "events",
        "--field-selector=reason=Repaired",
      );
      expect(items).toMatchObject([{ series: { count: 2 } }]);
      recorder.close();
    });
  },
  { controllerManager: false },
);
