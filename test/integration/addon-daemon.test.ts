import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/async/index.ts";
import { writeConfirmation } from "../../src/controllers/addon/index.ts";
import type { Source } from "../../src/manifest/index.ts";
import type { KubeObject } from "../../src/object/index.ts";
import { eventually } from "../control-plane/index.ts";
import {
  Admin,
  CLUSTER_SERVICE,
  clientOf,
  configMap,
  crd,
  describeWithApiServer,
  ensured,
  file,
  HandElector,
  labelled,
  MODE,
  namespace,
  object,
  pathOf,
  reconciled,
  service,
  startDaemon,
} from "./addon-bed/index.ts";

const WRITES = ["create", "update", "patch", "delete"];

describeWithApiServer(
  "the addon controller",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
      await eventually("kube-system has its account", () =>
        admin.get("/api/v1/namespaces/kube-system/serviceaccounts/default"),
      );
    });
    afterAll(() => admin.close());

    const requests = async () => plane().requests({ user: "keelson" });
    const eventsAbout = async (name: string, ns = "default") =>
      admin.list(`/api/v1/namespaces/${ns}/events?fieldSelector=involvedObject.name%3D${name}`);

    // What the original's own tests on a real cluster do, with its values.
    describe("with a LimitRange", () => {
      const range = (cpu: string): KubeObject =>
        object("v1", "LimitRange", "limits", {
          metadata: { namespace: "kube-system" },
          spec: { limits: [{ type: "Container", defaultRequest: { cpu } }] },
        });
      const path = "/api/v1/namespaces/kube-system/limitranges";
      const cpuOf = async (name: string): Promise<string | undefined> =>
        (await admin.get(`${path}/${name}`))?.spec.limits[0].defaultRequest.cpu;
      const setCpu = (name: string, cpu: string) =>
        admin.patch(`${path}/${name}`, [{ op: "replace", path: "/spec/limits/0/defaultRequest/cpu", value: cpu }], {
          type: "json",
        });
      const named = (of: KubeObject, name: string): KubeObject => ({ ...of, metadata: { ...of.metadata, name } });

      it("reconciles: an edit is undone, a changed file comes through, a deleted object comes back", async () => {
        const daemon = await startDaemon(plane(), {
          set: "lr",
          files: { "limits.yaml": file(reconciled(named(range("100m"), "lr"))) },
        });
        await eventually("it is created", async () => (await cpuOf("lr")) === "100m");

        await setCpu("lr", "50m");
        await eventually("the edit is undone", async () => (await cpuOf("lr")) === "100m");
        daemon.write("limits.yaml", file(reconciled(named(range("600m"), "lr"))));
        await eventually("the file comes through", async () => (await cpuOf("lr")) === "600m");
        await admin.delete(`${path}/lr`);
        await eventually("it is created again", async () => (await cpuOf("lr")) === "600m");
      });

      it("ensures: an edit stays, a changed file changes nothing, a deleted object comes back", async () => {
        const other = file(reconciled(configMap("le-other")));
        const daemon = await startDaemon(plane(), {
          set: "le",
          files: { "limits.yaml": file(ensured(named(range("100m"), "le"))), "other.yaml": other },
        });
        await eventually("it is created", async () => (await cpuOf("le")) === "100m");

        await setCpu("le", "50m");
        daemon.write("limits.yaml", file(ensured(named(range("600m"), "le"))));
        daemon.write("other.yaml", file(reconciled(configMap("le-other", { a: "2" }))));
        await eventually("the neighbour is changed", async () => {
          return (await admin.get(pathOf(configMap("le-other"))))?.data.a === "2";
        });
        expect(await cpuOf("le")).toBe("50m");
        await admin.delete(`${path}/le`);
        await eventually("it is created again, as the file says now", async () => (await cpuOf("le")) === "600m");
      });

      it("does both for the objects of one file", async () => {
        const both = (cpu: string) => file(reconciled(named(range(cpu), "lm-r")), ensured(named(range(cpu), "lm-e")));
        const daemon = await startDaemon(plane(), { set: "lm", files: { "limits.yaml": both("100m") } });
        await eventually("both are created", async () => {
          return (await cpuOf("lm-r")) === "100m" && (await cpuOf("lm-e")) === "100m";
        });

        await setCpu("lm-e", "50m");
        await setCpu("lm-r", "50m");
        await eventually("one is put back", async () => (await cpuOf("lm-r")) === "100m");
        daemon.write("limits.yaml", both("600m"));
        await eventually("one follows the file", async () => (await cpuOf("lm-r")) === "600m");

        expect(await cpuOf("lm-e")).toBe("50m");
      });
    });

    it("treats every combination of the two labels as the label table says", async () => {
      const rows: readonly { service?: string; mode?: string; treated: "Reconcile" | "EnsureExists" | "omitted" }[] = [
        { service: "true", treated: "Reconcile" },
        { service: "true", mode: "Reconcile", treated: "Reconcile" },
        { service: "true", mode: "Typo", treated: "Reconcile" },
        { service: "true", mode: "EnsureExists", treated: "EnsureExists" },
        { mode: "Reconcile", treated: "Reconcile" },
        { service: "false", mode: "Reconcile", treated: "Reconcile" },
        { mode: "EnsureExists", treated: "EnsureExists" },
        { service: "other", mode: "EnsureExists", treated: "EnsureExists" },
        { treated: "omitted" },
        { mode: "Reconcil", treated: "omitted" },
        { service: "false", treated: "omitted" },
        { service: "True", mode: "reconcile", treated: "omitted" },
      ];
      const objects = rows.map(({ service: value, mode }, at) =>
        labelled(configMap(`lt-${at}`), {
          ...(value !== undefined && { [CLUSTER_SERVICE]: value }),
          ...(mode !== undefined && { [MODE]: mode }),
        }),
      );
      const daemon = await startDaemon(plane(), { set: "lt", files: { "all.yaml": file(...objects) } });
      const declared = rows.filter(({ treated }) => treated !== "omitted").length;
      const status = await daemon.statusWhere(
        "all that is declared is there",
        ({ summary }) => summary.converged === declared,
      );

      for (const [at, { treated }] of rows.entries()) {
        const live = await admin.get(pathOf(configMap(`lt-${at}`)));
        expect([at, live !== undefined]).toEqual([at, treated !== "omitted"]);
        if (live !== undefined) await admin.patch(pathOf(configMap(`lt-${at}`)), { data: { a: "9" } });
      }
      await eventually("all Reconcile objects are put back", async () => {
        for (const [at, { treated }] of rows.entries()) {
          if (treated === "Reconcile") expect((await admin.find(pathOf(configMap(`lt-${at}`)))).data.a).toBe("1");
        }
        return true;
      });
      for (const [at, { treated }] of rows.entries()) {
        if (treated === "EnsureExists") expect((await admin.find(pathOf(configMap(`lt-${at}`)))).data.a).toBe("9");
      }
      const omitted = status.objects.filter(({ state }) => state === "omitted");
      expect(omitted.map(({ object: { name } }) => name)).toEqual(["lt-8", "lt-9", "lt-10", "lt-11"]);
      expect(omitted[1]?.message).toMatch(/did you mean Reconcile/);
      const deprecated = daemon.log.filter((line) => line.includes("deprecated"));
      expect(deprecated.map((line) => /lt-\d+/.exec(line)?.[0])).toEqual(["lt-0", "lt-1", "lt-2"]);
      expect(deprecated[0]).toMatch(/^WRN: /);
    });

    it("converges a directory in one pass whatever its order: CRD and resource, namespace and Pod", async () => {
      const pod = object("v1", "Pod", "one-pod", {
        metadata: { namespace: "one" },
        spec: { containers: [{ name: "c", image: "registry.example/app:1" }], automountServiceAccountToken: false },
      });
      const daemon = await startDaemon(plane(), {
        set: "one",
        files: {
          "a.yaml": file(reconciled(object("example.dev/v1", "Wheel", "one-wheel", { spec: { size: 1 } }))),
          "b.yaml": file(reconciled(object("v1", "ConfigMap", "one-map", { metadata: { namespace: "one" } }))),
          "c.yaml": file(reconciled(pod)),
          "d.yaml": file(reconciled(crd("wheel", { v1: { size: { type: "integer" } } })), reconciled(namespace("one"))),
        },
      });

      await daemon.converged();

      expect((await admin.find("/apis/example.dev/v1/namespaces/default/wheels/one-wheel")).spec).toEqual({ size: 1 });
      // A Pod may have to wait for the account that its namespace gets; nothing else fails.
      const failed = daemon.log.filter((line) => line.includes("failed") && !line.includes("serviceaccount"));
      expect(failed).toEqual([]);
    });

    it("logs each change once, in the original's shape, and says nothing while nothing changes", async () => {
      const daemon = await startDaemon(plane(), {
        set: "log",
        files: { "a.yaml": file(reconciled(configMap("log-a"))), "b.yaml": file(reconciled(configMap("log-b"))) },
        intervalMs: 100,
      });
      await daemon.converged();
      const quiet = daemon.log.length;
      await eventually("several intervals have passed", async () => (await daemon.status()) !== undefined, {
        intervalMs: 500,
      });
      expect(daemon.log.slice(quiet)).toEqual([]);

      await admin.patch(pathOf(configMap("log-a")), { data: { a: "9" } });
      await eventually("the repair is told", () => daemon.log.length > quiet);
      daemon.remove("b.yaml");
      await eventually("the prune is told", () => daemon.log.some((line) => line.includes("deleted")));

      expect(daemon.log.slice(quiet)).toEqual([
        expect.stringMatching(/^INFO: == ConfigMap default\/log-a configured: drift: data\.a 1→9 by kubectl-edit/),
        expect.stringMatching(/^INFO: == ConfigMap default\/log-b deleted: left the directory/),
      ]);
    });

    it("stores its status once, and writes nothing while all is as it was; a restart only changes who acts", async () => {
      const files = { "a.yaml": file(reconciled(configMap("st-a")), ensured(configMap("st-b"))) };
      const first = await startDaemon(plane(), { set: "st", files, intervalMs: 100 });
      const status = await first.converged();
      expect(status).toMatchObject({
        version: 1,
        set: "st",
        instance: "test-st",
        path: first.path,
        phase: "converged",
        summary: { desired: 2, converged: 2, failed: 0, held: 0 },
        objects: [],
        held: { objects: [] },
        problems: [],
      });
      expect((await first.statusConfigMap())?.metadata.labels).toEqual({ "app.kubernetes.io/part-of": "keelson" });
      const stored = await first.statusConfigMap();
      const before = (await requests()).length;
      const writes = async () =>
        (await requests())
          .slice(before)
          .filter(({ verb, uri }) => WRITES.includes(verb) && !uri.includes("dryRun"))
          .map(({ verb, name }) => `${verb} ${name}`);
      await eventually("intervals pass", () => systemClock.now() > Date.parse(status.updated) + 1_500);
      expect(await writes()).toEqual([]);
      await first.stop();

      const second = await startDaemon(plane(), { set: "st", directory: first.path, instance: "test-st_2" });
      await eventually("it has looked at all", () => second.controller.components().every(({ ok }) => ok));
      await eventually("its first second is over", () => systemClock.now() > Date.parse(status.updated) + 4_000);

      expect(await writes()).toEqual(["patch keelson-status-st", "patch keelson-status-st"]);
      const found = await second.statusConfigMap();
      expect(found?.data).toEqual(stored?.data);
      expect(found?.metadata.annotations).toMatchObject({ "keelson.dev/instance": "test-st_2" });
    });

    it("writes one Event for a distinct error, one for the next, and one for a repair", async () => {
      const bad = (port: number) => file(reconciled(service("ev-a", { ports: [{ name: "http", port }] })));
      const daemon = await startDaemon(plane(), {
        set: "ev",
        files: { "bad.yaml": bad(0), "ok.yaml": file(reconciled(configMap("ev-ok"))) },
      });
      await eventually("it has failed more than once", () => {
        const failure = daemon.log.filter((line) => line.includes("ev-a"));
        return failure.length > 0;
      });
      await daemon.statusWhere("it has failed", ({ summary }) => summary.failed === 1);
      await daemon.recorder.flush();
      const first = await eventually("an Event tells", async () => {
        const events = await eventsAbout("ev-a");
        return events.length > 0 && events;
      });
      expect(first).toHaveLength(1);
      expect(first[0]).toMatchObject({ type: "Warning", reason: "Failed", involvedObject: { kind: "Service" } });

      daemon.write("bad.yaml", bad(70_000));
      await eventually("another one tells of the other error", async () => (await eventsAbout("ev-a")).length === 2);
      await admin.patch(pathOf(configMap("ev-ok")), { data: { a: "9" } });
      await eventually("one tells of the repair", async () => {
        const event = (await eventsAbout("ev-ok")).find(({ reason }) => reason === "DriftReverted");
        expect(event).toMatchObject({ type: "Normal" });
        expect(event?.message).toMatch(/data\.a 1→9 by kubectl-edit/);
        return true;
      });
      expect(daemon.log.filter((line) => line.startsWith("ERR:"))).toHaveLength(2);
    });

    it("writes an Event about itself for a file that cannot be read, once", async () => {
      const daemon = await startDaemon(plane(), {
        set: "ef",
        files: { "bad.yaml": "a: [", "ok.yaml": "" },
        intervalMs: 100,
      });

      const { problems } = await daemon.statusWhere("it names the file", (status) => status.problems.length > 0);
      expect(problems[0]).toMatchObject({ file: "bad.yaml", line: expect.any(Number) });
      await eventually("an Event tells", async () => {
        const [event] = await eventsAbout("keelson-status-ef", "kube-system");
        return event?.message.includes("bad.yaml") && event.type === "Warning";
      });
      daemon.write("other.yaml", file(configMap("ef-unlabelled")));
      await daemon.statusWhere("the other is omitted", ({ summary }) => summary.omitted === 1);

      expect(daemon.log.filter((line) => line.includes("bad.yaml"))).toHaveLength(1);
      expect(await eventsAbout("keelson-status-ef", "kube-system")).toHaveLength(1);
    });

    it("tells no value of a Secret: not in log, Events or status", async () => {
      const values = ["hunter2-declared", "hunter3-foreign", "hunter4-numeric"];
      const coded = values.map((value) => Buffer.from(value).toString("base64"));
      const secret = (name: string, parts: Readonly<Record<string, unknown>>) =>
        reconciled(object("v1", "Secret", name, parts));
      const daemon = await startDaemon(plane(), {
        set: "sec",
        files: {
          "a.yaml": file(secret("sec-a", { stringData: { password: values[0] } })),
          "b.yaml": file(secret("sec-b", { data: { password: "hunter2-declared is no base64!" } })),
          "c.yaml": file(secret("sec-c", { stringData: { password: "ok" }, immutable: true })),
          "d.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: sec-d}\ndata: {password: [hunter2-declared]}\n",
        },
      });
      await eventually("the first is there", () => admin.get("/api/v1/namespaces/default/secrets/sec-a"));
      await admin.patch("/api/v1/namespaces/default/secrets/sec-a", { data: { password: coded[1] } });
      await eventually("the repair is told", () => daemon.log.some((line) => line.includes("drift: data.password")));
      daemon.write("c.yaml", file(secret("sec-c", { stringData: { password: values[0] }, immutable: true })));
      await daemon.statusWhere("both bad ones have failed", ({ summary }) => (summary.failed ?? 0) >= 1);
      await eventually("the refusals are told", () => daemon.log.some((line) => line.includes("sec-c")));
      await daemon.recorder.flush();

      const events = JSON.stringify(await admin.list("/api/v1/namespaces/default/events"));
      const status = JSON.stringify(await daemon.statusConfigMap());
      const text = [daemon.log.join("\n"), events, status].join("\n");
      expect(text).toContain("sec-a");
      for (const hidden of [...values, ...coded]) expect(text).not.toContain(hidden);
    });

    describe("a confirmation in the control ConfigMap", () => {
      it("releases exactly the list that it names, and survives a restart of the daemon", async () => {
        const daemon = await startDaemon(plane(), {
          set: "cf",
          files: { "a.yaml": file(reconciled(configMap("cf-a"))), "b.yaml": file(reconciled(configMap("cf-b"))) },
        });
        await daemon.converged();
        daemon.remove("a.yaml");
        daemon.remove("b.yaml");
        const held = await daemon.statusWhere("both are held", (status) => status.summary.held === 2);
        expect(held.phase).toBe("degraded");
        expect(held.held.objects.map(({ object: { name }, confirmable }) => [name, confirmable])).toEqual([
          ["cf-a", true],
          ["cf-b", true],
        ]);
        const confirm = async (digest: string): Promise<void> => {
          const client = await clientOf(plane(), "admin");
          const { signal } = new AbortController();
          await writeConfirmation(client, daemon.names, { by: "alice", digest, at: new Date().toISOString(), signal });
          client.close();
        };

        await confirm("v1:00000000000000000000000000000000");
        daemon.write("c.yaml", file(reconciled(configMap("cf-c"))));
        await eventually("it goes on", () => admin.get(pathOf(configMap("cf-c"))));
        expect(await admin.get(pathOf(configMap("cf-a")))).toBeDefined();
        await daemon.stop();
        await confirm(held.held.digest ?? "");

        const again = await startDaemon(plane(), { set: "cf", directory: daemon.path });
        await eventually("both are pruned", async () => {
          const left = [await admin.get(pathOf(configMap("cf-a"))), await admin.get(pathOf(configMap("cf-b")))];
          return left.every((each) => each === undefined);
        });
        expect(await admin.get(pathOf(configMap("cf-c")))).toBeDefined();
        expect(again.log.filter((line) => line.includes("confirmed"))).toHaveLength(1);
      });

      it("counts once: objects that came back and are held again have to be confirmed again", async () => {
        const files = { "a.yaml": file(reconciled(configMap("co-a"))), "b.yaml": file(reconciled(configMap("co-b"))) };
        const daemon = await startDaemon(plane(), { set: "co", files, prune: { settleMs: 60_000 } });
        await daemon.converged();
        for (const name of Object.keys(files)) daemon.remove(name);
        const { held } = await daemon.statusWhere("both are held", ({ summary }) => summary.held === 2);
        const client = await clientOf(plane(), "admin");
        const at = new Date().toISOString();
        const { signal } = new AbortController();
        await writeConfirmation(client, daemon.names, { by: "alice", digest: held.digest ?? "", at, signal });
        client.close();
        await eventually("it is accepted", () => daemon.log.some((line) => line.includes("confirmed")));

        // Back before the prune settle time is over, and gone again.
        for (const [name, text] of Object.entries(files)) daemon.write(name, text);
        await daemon.converged();
        for (const name of Object.keys(files)) daemon.remove(name);

        const again = await daemon.statusWhere("both are held again", ({ summary }) => summary.held === 2);
        expect(again.held.digest).toBe(held.digest);
        expect(daemon.log.filter((line) => line.includes("confirmed"))).toHaveLength(1);
      });

      it("that cannot be read is told, and confirms nothing", async () => {
        const daemon = await startDaemon(plane(), {
          set: "cb",
          files: { "a.yaml": file(reconciled(configMap("cb-a"))) },
        });
        await daemon.converged();
        daemon.remove("a.yaml");
        await daemon.statusWhere("it is held", (status) => status.summary.held === 1);

        const data = { "prune-confirm.json": "{" };
        await admin.create("/api/v1/namespaces/kube-system/configmaps", {
          ...object("v1", "ConfigMap", "keelson-control-cb", { metadata: { namespace: "kube-system" } }),
          data,
        });

        await eventually("it is told", () => daemon.log.some((line) => line.includes("prune-confirm.json")));
        expect(await admin.get(pathOf(configMap("cb-a")))).toBeDefined();
      });
    });

    describe("two instances without an election", () => {
      it("do not both act: the newcomer refuses and writes nothing, and may start once the first has stopped", async () => {
        const first = await startDaemon(plane(), {
          set: "two",
          isUnelected: true,
          instance: "first",
          files: { "a.yaml": file(reconciled(configMap("two-a", { by: "first" }))) },
        });
        await first.converged();
        const files = { "a.yaml": file(reconciled(configMap("two-a", { by: "second" }))) };

        const second = await startDaemon(plane(), { set: "two", isUnelected: true, instance: "second", files });
        await expect(second.ended).rejects.toMatchObject({ code: "AnotherInstance" });
        expect((await admin.find(pathOf(configMap("two-a")))).data).toEqual({ by: "first" });
        await first.stop();

        const third = await startDaemon(plane(), { set: "two", isUnelected: true, instance: "third", files });
        await eventually(
          "it acts at once",
          async () => {
            return (await admin.find(pathOf(configMap("two-a")))).data.by === "second";
          },
          { timeoutMs: 4_000 },
        );
        await third.stop();
      });

      it("one that died without a word is followed after five seconds", async () => {
        await admin.create("/api/v1/namespaces/kube-system/configmaps", {
          ...object("v1", "ConfigMap", "keelson-status-dead", {
            metadata: { namespace: "kube-system", annotations: { "keelson.dev/instance": "dead" } },
          }),
        });
        const started = performance.now();
        await startDaemon(plane(), {
          set: "dead",
          isUnelected: true,
          files: { "a.yaml": file(reconciled(configMap("dead-a"))) },
        });

        await eventually("it acts", () => admin.get(pathOf(configMap("dead-a"))), { timeoutMs: 15_000 });

        expect(performance.now() - started).toBeGreaterThan(5_000);
      });

      it("one that finds itself replaced stops", async () => {
        const daemon = await startDaemon(plane(), {
          set: "repl",
          isUnelected: true,
          instance: "first",
          files: { "a.yaml": file(reconciled(configMap("repl-a"))) },
        });
        await daemon.converged();

        await admin.patch("/api/v1/namespaces/kube-system/configmaps/keelson-status-repl", {
          metadata: { annotations: { "keelson.dev/instance": "second" } },
        });

        await expect(daemon.ended).rejects.toMatchObject({ code: "AnotherInstance" });
      });
    });

    it("follows the lead: keeps watching without it, acts at once with it, stops at its loss", async () => {
      const elector = new HandElector();
      const daemon = await startDaemon(plane(), {
        set: "lead",
        elector,
        files: { "a.yaml": file(reconciled(configMap("lead-a"))) },
      });
      await eventually(
        "its caches are warm",
        () => daemon.controller.components().find(({ name }) => name === "caches")?.ok,
      );
      expect(await admin.get(pathOf(configMap("lead-a")))).toBeUndefined();
      const before = (await requests()).length;

      elector.set({ kind: "leading", holder: "us", term: "1" });
      await eventually("it acts", () => admin.get(pathOf(configMap("lead-a"))));
      // The status ConfigMap is watched during a term, for challenges.
      const lists = (await requests())
        .slice(before)
        .filter(({ verb, uri }) => (verb === "list" || verb === "watch") && !uri.includes("keelson-status"));
      expect(lists.map(({ verb, uri }) => `${verb} ${uri}`)).toEqual([]);

      elector.set({ kind: "following", holder: "them", reason: "they lead" });
      const writes = async () => (await requests()).filter(({ verb }) => WRITES.includes(verb)).length;
      const count = await writes();
      await admin.patch(pathOf(configMap("lead-a")), { data: { a: "9" } });
      daemon.write("b.yaml", file(reconciled(configMap("lead-b"))));
      await eventually(
        "the file has been read",
        () => daemon.controller.components().find(({ name }) => name === "source")?.ok,
      );
      await eventually("a while has passed", async () => (await daemon.statusConfigMap()) !== null, {
        intervalMs: 400,
      });
      expect(await writes()).toBe(count);

      elector.set({ kind: "leading", holder: "us", term: "2" });
      await eventually("it goes on where it was", async () => {
        return (await admin.find(pathOf(configMap("lead-a")))).data.a === "1" && admin.get(pathOf(configMap("lead-b")));
      });
    });

    it("applies admission controls first, file by file, in namespace default, and prunes none of them", async () => {
      const control = (name: string, parts: object = {}) =>
        object("v1", "ConfigMap", name, { data: { a: "1" }, ...parts });
      const daemon = await startDaemon(plane(), {
        set: "adm",
        admission: {
          "a.yaml": file(reconciled(control("adm-r")), ensured(control("adm-e")), control("adm-bare")),
          "b.yaml": file(reconciled(control("adm-elsewhere", { metadata: { namespace: "kube-system" } }))),
        },
        files: { "x.yaml": file(reconciled(configMap("adm-x"))) },
      });
      await daemon.converged();

      for (const name of ["adm-r", "adm-e", "adm-bare"]) expect(await admin.get(pathOf(configMap(name)))).toBeDefined();
      expect(await admin.get("/api/v1/namespaces/kube-system/configmaps/adm-elsewhere")).toBeUndefined();
      expect(daemon.log.find((line) => line.includes("b.yaml"))).toMatch(/^WRN: .*namespace default.*99 tries left/);
      const created = daemon.log.findIndex((line) => line.includes("adm-r created"));
      expect(created).toBeGreaterThanOrEqual(0);
      expect(created).toBeLessThan(daemon.log.findIndex((line) => line.includes("adm-x created")));
      const live = await admin.find(pathOf(configMap("adm-r")));
      expect(live.metadata.managedFields[0].manager).toBe("keelson-admission");
      const lines = daemon.journal.filter(({ cause }) => cause.startsWith("admission control"));
      expect(lines.map(({ action, object: ref, cause, result }) => [action, ref?.name, cause, result])).toEqual([
        ["create", "adm-r", "admission control a.yaml:1", "created"],
        ["ensure", "adm-e", expect.stringMatching(/^admission control a\.yaml:\d+$/), "created"],
        ["ensure", "adm-bare", expect.stringMatching(/^admission control a\.yaml:\d+$/), "created"],
      ]);
      expect(lines[0]?.uid).toBe(live.metadata.uid);
    });

    it("puts down an admission control that the API server refuses", async () => {
      const daemon = await startDaemon(plane(), {
        set: "admbad",
        admission: { "a.yaml": file(reconciled(object("v1", "ConfigMap", "admbad", { data: { "no key!": "x" } }))) },
      });

      await eventually("the refusal is put down", () => daemon.journal.length > 0);

      expect(daemon.journal[0]).toMatchObject({
        action: "create",
        object: { kind: "ConfigMap", name: "admbad" },
        cause: "admission control a.yaml:1",
        result: "failed",
        error: { code: "Invalid" },
      });
    });

    it("ends where its source fails: a daemon that sees no directory must not look alive", async () => {
      const source: Source = {
        load: () => Promise.reject(new TypeError("a fault of ours")),
        watch: () => Promise.reject(new TypeError("a fault of ours")),
        rescan: () => {},
      };

      const daemon = await startDaemon(plane(), { set: "src", source });

      await expect(daemon.ended).rejects.toThrow("a fault of ours");
    });

    it("says in health what it waits for", async () => {
      const daemon = await startDaemon(plane(), { set: "hl", directory: "/nowhere/keelson-test" });

      await eventually("only the directory is missing", () => {
        const parts = daemon.controller.components().filter(({ ok }) => !ok);
        expect(parts.map(({ name }) => name)).toEqual(["source"]);
        return !parts[0]?.message.includes("not read yet");
      });

      expect(daemon.log.find((line) => line.startsWith("ERR:"))).toMatch(/nothing is pruned/);
    });
  },
  { auditLog: true },
);
