import { expect } from "vitest";
import { type Bench, type Case, configMap } from "./case.ts";
import type { Json } from "./target.ts";

const SELECTOR = { labelSelector: "mode=on" };
const typesOf = (events: readonly Json[]): string[] => events.map((event) => event.type);

async function post(bench: Bench, name: string, data: Json, labels: Json): Promise<Json> {
  return (await bench.call({ method: "POST", path: bench.core("configmaps"), body: configMap(name, data, { labels }) }))
    .body;
}

function patch(bench: Bench, name: string, body: Json): Promise<Json> {
  return bench.call({
    method: "PATCH",
    path: bench.core("configmaps", name),
    body,
    contentType: "application/merge-patch+json",
  });
}

/** Watches: what arrives, what departs, where a watch may start, how it ends. */
export const WATCH_CASES: readonly Case[] = [
  {
    claim:
      "shows an object that leaves the selector as DELETED with its last matching content and the new resourceVersion",
    async run(bench) {
      const created = await post(bench, "a", { k: "1" }, { mode: "on" });
      const changed = await patch(bench, "a", { data: { k: "NEW" }, metadata: { labels: { mode: null } } });
      await patch(bench, "a", { metadata: { labels: { mode: "on" } } });

      const events = await bench.target.watch(
        bench.core("configmaps"),
        { ...SELECTOR, resourceVersion: created.metadata.resourceVersion },
        (all) => all.length >= 2,
      );

      expect(typesOf(events)).toEqual(["DELETED", "ADDED"]);
      expect(events[0].object.data).toEqual({ k: "1" });
      expect(events[0].object.metadata.labels).toEqual({ mode: "on" });
      expect(events[0].object.metadata.resourceVersion).toBe(changed.body.metadata.resourceVersion);
      expect(events[1].object.data).toEqual({ k: "NEW" });
    },
  },
  {
    claim: "streams the state and then a bookmark where initial events are asked for",
    async run(bench) {
      await post(bench, "a", {}, { mode: "on" });
      const query = {
        ...SELECTOR,
        sendInitialEvents: "true",
        resourceVersionMatch: "NotOlderThan",
        allowWatchBookmarks: "true",
      };

      const events = await bench.target.watch(bench.core("configmaps"), query, (all) =>
        all.some((event) => event.type === "BOOKMARK"),
      );

      expect(typesOf(events)).toEqual(["ADDED", "BOOKMARK"]);
      expect(events[1].object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
    },
  },
  {
    claim: "refuses initial events without resourceVersionMatch",
    async run(bench) {
      const reply = await bench.call({
        method: "GET",
        path: bench.core("configmaps"),
        query: { watch: "true", sendInitialEvents: "true" },
      });

      expect([reply.status, reply.body.reason]).toEqual([422, "Invalid"]);
    },
  },
  {
    claim: "starts with the state where no resourceVersion is given, and goes on with changes",
    async run(bench) {
      await post(bench, "a", {}, { mode: "on" });
      let changes: Promise<unknown> | undefined;
      const change = async (): Promise<void> => {
        await post(bench, "b", {}, { mode: "on" });
        await bench.call({ method: "DELETE", path: bench.core("configmaps", "a") });
      };

      const events = await bench.target.watch(bench.core("configmaps"), SELECTOR, (all) => {
        changes ??= change();
        return all.length >= 3;
      });
      await changes;

      expect(typesOf(events)).toEqual(["ADDED", "ADDED", "DELETED"]);
    },
  },
  {
    claim: "ends at timeoutSeconds with a bookmark",
    skip: { real: "the real server sends bookmarks at moments of its own, and none in a watch of seconds" },
    async run(bench) {
      const { metadata } = await post(bench, "a", {}, { mode: "on" });

      const events = await bench.target.watch(
        bench.core("configmaps"),
        { ...SELECTOR, resourceVersion: metadata.resourceVersion, timeoutSeconds: "1", allowWatchBookmarks: "true" },
        () => false,
        12_000,
      );

      expect(new Set(typesOf(events))).toEqual(new Set(["BOOKMARK"]));
    },
  },
  {
    claim: "refuses a resourceVersion that is no number",
    async run(bench) {
      const reply = await bench.call({
        method: "GET",
        path: bench.core("configmaps"),
        query: { watch: "true", resourceVersion: "abc" },
      });

      expect(reply.status).toBe(500);
    },
  },
  {
    claim: "answers a list from the future with 504 and a cause",
    async run(bench) {
      const reply = await bench.call({
        method: "GET",
        path: bench.core("configmaps"),
        query: { resourceVersion: "999999999" },
      });

      expect([reply.status, reply.body.details.causes[0].reason]).toEqual([504, "ResourceVersionTooLarge"]);
    },
  },
  {
    claim: "watches one Lease by its name",
    async run(bench) {
      const path = `/apis/coordination.k8s.io/v1/namespaces/${bench.namespace}/leases`;
      for (const name of ["a", "b"])
        await bench.call({
          method: "POST",
          path,
          body: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } },
        });

      const events = await bench.target.watch(
        path,
        { fieldSelector: "metadata.name=b", timeoutSeconds: "1" },
        (all) => all.length >= 1,
      );

      expect(events.map((event) => event.object.metadata.name)).toEqual(["b"]);
    },
  },
];
