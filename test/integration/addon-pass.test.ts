import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/async/index.ts";
import {
  type ApplyReport,
  applyPass,
  applyPlannedPass,
  namesOf,
  type PassOptions,
  type PassPorts,
  type PlanReport,
  parseBoundPlan,
  planPass,
} from "../../src/controllers/addon/index.ts";
import type { KubeClient } from "../../src/kube/index.ts";
import { alwaysLeader, type LeaderElector } from "../../src/leader-election/index.ts";
import { silentLogger } from "../../src/log/index.ts";
import { DirectorySource } from "../../src/manifest/index.ts";
import type { KubeObject } from "../../src/object/index.ts";
import { eventually } from "../control-plane/index.ts";
import {
  Admin,
  clientOf,
  configMap,
  crd,
  deployment,
  describeWithApiServer,
  ensured,
  file,
  namespace,
  object,
  PRUNE,
  pathOf,
  reconciled,
  service,
  startDaemon,
} from "./addon-bed/index.ts";

const WRITES = ["create", "update", "patch", "delete"];
/** Older than every settle time: stable at once. */
const LONG_AGO = new Date(Date.now() - 3_600_000);

// `keelson plan` and `keelson apply`, without the command line.

describeWithApiServer(
  "a single pass",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
    });
    afterAll(() => admin.close());

    interface Directory {
      readonly set: string;
      readonly path: string;
      replace(...objects: readonly KubeObject[]): void;
      plan(options?: Partial<PassOptions>): Promise<PlanReport>;
      apply(options?: Partial<PassOptions>, elector?: LeaderElector): Promise<ApplyReport>;
      /** The steps of a plan, through a client that lets somebody else go first. */
      applyPlan(plan: PlanReport, through: (client: KubeClient) => KubeClient): Promise<ApplyReport>;
    }

    function directoryOf(set: string, ...objects: readonly KubeObject[]): Directory {
      const path = mkdtempSync(join(tmpdir(), "keelson-pass-"));
      onTestFinished(() => rmSync(path, { recursive: true, force: true }));
      const replace = (...of: readonly KubeObject[]): void => {
        writeFileSync(join(path, "all.yaml"), file(...of));
        utimesSync(join(path, "all.yaml"), LONG_AGO, LONG_AGO);
        utimesSync(path, LONG_AGO, LONG_AGO);
      };
      replace(...objects);
      const defaults: PassOptions = {
        path,
        set,
        instance: "pass",
        prune: PRUNE,
        settleMs: 50,
        isForced: false,
        isUnelected: false,
        admissionWait: false,
      };
      const run = async <T>(
        pass: (ports: PassPorts, options: PassOptions, signal: AbortSignal) => Promise<T>,
        options: Partial<PassOptions> = {},
        elector: LeaderElector = alwaysLeader("test"),
        through: (client: KubeClient) => KubeClient = (client) => client,
      ): Promise<T> => {
        const client = await clientOf(plane());
        const source = new DirectorySource({ root: path, settleMs: 50 });
        const admission = new DirectorySource({ root: join(path, "none"), settleMs: 50 });
        const ports = { client: through(client), clock: systemClock, log: silentLogger, source, admission, elector };
        const end = new AbortController();
        try {
          return await pass(ports, { ...defaults, ...options }, end.signal);
        } finally {
          end.abort();
          client.close();
        }
      };
      return {
        set,
        path,
        replace,
        plan: (options) => run(planPass, options),
        apply: (options, elector) => run(applyPass, options, elector),
        applyPlan: (report, through) => {
          const plan = parseBoundPlan(JSON.stringify(report), "plan.json");
          const bound = { plan, planFrom: "plan.json" };
          return run(
            (ports, options, signal) => applyPlannedPass(ports, { ...options, ...bound }, signal),
            {},
            alwaysLeader("test"),
            through,
          );
        },
      };
    }

    const requests = async () => plane().requests({ user: "keelson" });

    async function writesSince(count: number) {
      return (await requests())
        .slice(count)
        .filter(({ verb, uri, resource }) => WRITES.includes(verb) && !uri.includes("dryRun") && resource !== "events");
    }

    it("applies everything at once: a CRD with its resource, a namespace with what is in it", async () => {
      const directory = directoryOf(
        "once",
        reconciled(object("example.dev/v1", "Lever", "once", { spec: { size: 1 } })),
        reconciled(object("v1", "ConfigMap", "once", { metadata: { namespace: "once" }, data: {} })),
        reconciled(crd("lever", { v1: { size: { type: "integer" } } })),
        reconciled(namespace("once")),
        ensured(configMap("once")),
      );

      const report = await directory.apply();

      expect(report.summary).toEqual({ unchanged: 0, created: 5 });
      expect((await admin.find("/apis/example.dev/v1/namespaces/default/levers/once")).spec).toEqual({ size: 1 });
      const again = await directory.apply();
      expect(again.summary).toEqual({ unchanged: 5 });
      expect(again.objects).toEqual([]);
    });

    it("finds nothing to change where the server merely writes the file's values otherwise", async () => {
      const resources = { requests: { cpu: "1000m", memory: "1024Mi" } };
      const directory = directoryOf(
        "text",
        reconciled(deployment("text", { resources })),
        reconciled(configMap("text", {})),
      );
      await directory.apply();

      const planned = await directory.plan();
      const applied = await directory.apply();

      expect(planned.steps).toEqual([]);
      expect(planned.summary).toEqual({ unchanged: 2 });
      expect(applied).toMatchObject({ steps: [], objects: [], summary: { unchanged: 2 } });
    });

    it("plans what it then does: the same steps, reasons and order", async () => {
      const directory = directoryOf(
        "same",
        reconciled(configMap("same-a", { a: "1" })),
        reconciled(configMap("same-b")),
        reconciled(service("same")),
      );
      await directory.apply();
      await admin.patch(pathOf(configMap("same-a")), { data: { a: "9" } });
      directory.replace(
        reconciled(configMap("same-a", { a: "1" })),
        reconciled(deployment("same")),
        ensured(configMap("same-c")),
      );

      const before = (await requests()).length;
      const planned = await directory.plan();
      expect(await writesSince(before)).toEqual([]);
      const applied = await directory.apply();

      const bare = ({ action, object: of, reason }: PlanReport["steps"][number]) =>
        `${action} ${of.kind}/${of.name}: ${reason.replace(/ at \d{4}-[^,]*Z/, "")}`;
      expect(planned.steps.map(bare)).toEqual([
        "ensure ConfigMap/same-c: not in the cluster",
        "apply ConfigMap/same-a: drift: data.a 1→9 by kubectl-edit",
        "create Deployment/same: not in the cluster",
        "delete ConfigMap/same-b: left the directory",
        "delete Service/same: left the directory",
      ]);
      expect(applied.steps.map(bare)).toEqual(planned.steps.map(bare));
      expect(applied.summary).toEqual({ unchanged: 0, configured: 1, created: 2, deleted: 2 });
      expect(applied.objects.map(({ object: { kind, name }, outcome }) => `${kind}/${name} ${outcome}`)).toEqual([
        "ConfigMap/same-a configured",
        "ConfigMap/same-b deleted",
        "ConfigMap/same-c created",
        "Service/same deleted",
        "Deployment/same created",
      ]);
    });

    it("refuses a planned step whose object moves right before its write, and takes the others", async () => {
      const [a, b] = [configMap("race-a", { a: "1" }), configMap("race-b", { a: "1" })].map(reconciled);
      if (a === undefined || b === undefined) throw new TypeError("two objects");
      const directory = directoryOf("race", a, b);
      await directory.apply();
      const [a2, b2] = [configMap("race-a", { a: "2" }), configMap("race-b", { a: "2" })].map(reconciled);
      directory.replace(...[a2, b2].filter((each) => each !== undefined));
      const plan = await directory.plan();

      const report = await directory.applyPlan(plan, (client) =>
        beforeApply(client, async (name) => {
          if (name === "race-a") await admin.patch(pathOf(a), { metadata: { labels: { theirs: "1" } } });
        }),
      );

      expect((await admin.find(pathOf(a))).data.a).toBe("1");
      expect((await admin.find(pathOf(b))).data.a).toBe("2");
      const failed = report.objects.filter(({ outcome }) => outcome === "failed");
      expect(failed).toMatchObject([
        { object: { name: "race-a" }, message: expect.stringMatching(/moved since the plan was made.*plan again/) },
      ]);
    });

    it("deletes each pruned object with one request", async () => {
      const directory = directoryOf("del", reconciled(configMap("del-a")), reconciled(configMap("del-b")));
      await directory.apply();
      directory.replace(reconciled(configMap("del-b")));
      const before = (await requests()).length;

      await directory.apply();

      expect((await writesSince(before)).filter(({ verb }) => verb === "delete").map(({ name }) => name)).toEqual([
        "del-a",
      ]);
    });

    it("shows the fields that change, with the server's defaults, and masks a Secret's", async () => {
      const secret = (value: string) => reconciled(object("v1", "Secret", "diff", { stringData: { password: value } }));
      const directory = directoryOf("diff", reconciled(service("diff")), secret("one"));
      await directory.apply();
      directory.replace(reconciled(service("diff", { sessionAffinity: "ClientIP" })), secret("two"));

      const { steps } = await directory.plan();

      const diffOf = (kind: string) => steps.find(({ object: of }) => of.kind === kind)?.diff ?? [];
      expect(diffOf("Service")).toContainEqual({ path: "spec.sessionAffinity", before: "None", after: "ClientIP" });
      expect(diffOf("Service").map(({ path }) => path)).toContain("spec.sessionAffinityConfig");
      expect(JSON.stringify(diffOf("Secret"))).toContain("***");
      expect(JSON.stringify(steps)).not.toContain(Buffer.from("two").toString("base64"));
    });

    it("says in the plan what the API server refuses, and goes on", async () => {
      const directory = directoryOf(
        "bad",
        reconciled(service("bad", { ports: [{ port: 0 }] })),
        reconciled(configMap("bad-ok")),
      );

      const { steps, summary, problems } = await directory.plan();
      const applied = await directory.apply();

      expect(steps.map(({ action, object: of }) => `${action} ${of.name}`)).toEqual(["create bad-ok"]);
      expect(summary).toEqual({ unchanged: 0, create: 1, refused: 1 });
      expect(problems).toEqual([
        { file: "all.yaml", line: expect.any(Number), message: expect.stringMatching(/port/) },
      ]);
      expect(applied.summary).toMatchObject({ created: 1, failed: 1 });
      expect(applied.objects.find(({ outcome }) => outcome === "failed")?.message).toMatch(/ports/);
    });

    it("counts what goes with a namespace and with a CRD", async () => {
      const inside = (name: string) => object("v1", "ConfigMap", name, { metadata: { namespace: "takes" } });
      const directory = directoryOf(
        "takes",
        reconciled(namespace("takes")),
        reconciled(crd("pedal", { v1: {} })),
        reconciled(configMap("takes-b")),
      );
      await directory.apply();
      for (const name of ["one", "two"]) await admin.create("/api/v1/namespaces/takes/configmaps", inside(name));
      await admin.create("/apis/example.dev/v1/namespaces/default/pedals", object("example.dev/v1", "Pedal", "p"));
      directory.replace(reconciled(configMap("takes-b")));
      const definition = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" };

      const { steps } = await directory.plan({ prune: { ...PRUNE, kinds: [...PRUNE.kinds, definition] } });

      const takesOf = (kind: string) => steps.find(({ object: of }) => of.kind === kind)?.takes;
      expect(takesOf("Namespace")).toContainEqual({ kind: "ConfigMap", count: expect.any(Number) });
      // Two of the test, and the one that every namespace has.
      expect(takesOf("Namespace")?.find(({ kind }) => kind === "ConfigMap")?.count).toBeGreaterThanOrEqual(2);
      expect(takesOf("CustomResourceDefinition")).toEqual([{ kind: "Pedal", count: 1 }]);
      expect(await admin.get("/api/v1/namespaces/takes")).toMatchObject({ status: { phase: "Active" } });
    });

    it("holds for an empty directory, and deletes nothing with --no-prune", async () => {
      const directory = directoryOf("hold", reconciled(configMap("hold-a")), reconciled(configMap("hold-b")));
      await directory.apply();
      directory.replace(reconciled(configMap("hold-b")));
      const off = await directory.apply({ prune: { ...PRUNE, isOff: true } });
      expect(off.summary).toEqual({ unchanged: 1 });
      expect(off.held.objects.map(({ object: of, confirmable }) => [of.name, confirmable])).toEqual([
        ["hold-a", false],
      ]);

      directory.replace();
      const { held, summary } = await directory.apply();

      expect(summary).toEqual({ unchanged: 0 });
      expect(held.digest).toMatch(/^v1:/);
      expect(held.objects.map(({ object: of }) => of.name)).toEqual(["hold-a", "hold-b"]);
      expect(await admin.get(pathOf(configMap("hold-a")))).toBeDefined();
    });

    it("keeps a hold from one pass to the next", async () => {
      const directory = directoryOf("keep", reconciled(configMap("keep-a")), reconciled(configMap("keep-b")));
      await directory.apply();
      directory.replace();
      await directory.apply();

      directory.replace(reconciled(configMap("keep-b")));
      const { held } = await directory.apply();

      expect(held.objects.map(({ object: of }) => of.name)).toEqual(["keep-a"]);
      expect(await admin.get(pathOf(configMap("keep-a")))).toBeDefined();
    });

    it("converges a Service and its successor with the same address", async () => {
      const { spec } = await admin.find("/api/v1/namespaces/default/services/kubernetes");
      const clusterIP = `${spec.clusterIP.split(".").slice(0, 3).join(".")}.88`;
      const directory = directoryOf("succ", reconciled(service("succ-old", { clusterIP })));
      await directory.apply();
      directory.replace(reconciled(service("succ-new", { clusterIP })));

      const { summary } = await directory.apply();

      expect(summary).toEqual({ unchanged: 0, created: 1, deleted: 1 });
    });

    describe("beside others", () => {
      const follower: LeaderElector = {
        state: { kind: "following", holder: "cp-1_abc", reason: "cp-1 holds the Lease" },
        onChange: () => () => {},
        run: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
      };

      it("writes nothing where another host leads, and names it", async () => {
        const directory = directoryOf("follow", reconciled(configMap("follow-a")));
        const before = (await requests()).length;

        await expect(directory.apply({}, follower)).rejects.toMatchObject({
          code: "NotLeader",
          message: expect.stringMatching(/cp-1_abc.*--force-leader/),
        });

        expect(await writesSince(before)).toEqual([]);
        expect((await directory.apply({ isForced: true }, follower)).summary).toEqual({ unchanged: 0, created: 1 });
      });

      it("challenges a daemon that it finds, claims nothing, and goes on where nobody answers", async () => {
        const directory = directoryOf("chal", reconciled(configMap("chal-a")));
        const path = "/api/v1/namespaces/kube-system/configmaps/keelson-status-chal";
        await admin.create("/api/v1/namespaces/kube-system/configmaps", {
          ...object("v1", "ConfigMap", namesOf("chal").statusConfigMap, {
            metadata: { namespace: "kube-system", annotations: { "keelson.dev/instance": "daemon" } },
          }),
        });
        const answering = eventually("a challenge comes", async () => {
          const challenge = (await admin.find(path)).metadata.annotations["keelson.dev/challenge"];
          if (challenge !== undefined)
            await admin.patch(path, { metadata: { annotations: { "keelson.dev/answer": challenge } } });
          return challenge !== undefined;
        });

        await expect(directory.apply({ isUnelected: true })).rejects.toMatchObject({
          code: "AnotherInstance",
        });
        await answering;
        expect(await admin.get(pathOf(configMap("chal-a")))).toBeUndefined();

        expect((await directory.apply({ isUnelected: true })).summary).toEqual({
          unchanged: 0,
          created: 1,
        });
        expect((await admin.find(path)).metadata.annotations["keelson.dev/instance"]).toBe("daemon");
      });

      it("refuses beside a daemon that was elected: on the host of the leader, a pass leads too", async () => {
        const kept = reconciled(configMap("bes-a"));
        const daemon = await startDaemon(plane(), { set: "bes", files: { "a.yaml": file(kept) } });
        await daemon.converged();
        const directory = directoryOf("bes", reconciled(configMap("bes-a", { by: "the pass" })));

        await expect(directory.apply()).rejects.toMatchObject({ code: "AnotherInstance" });
        expect((await admin.find(pathOf(kept))).data).toEqual({ a: "1" });

        await daemon.stop();
        expect((await directory.apply()).summary).toMatchObject({ configured: 1 });
      });
    });
  },
  { auditLog: true },
);

/** A client whose applies let somebody else act first. */
function beforeApply(client: KubeClient, act: (name: string) => Promise<void>): KubeClient {
  const apply: KubeClient["apply"] = async (resource, target, ...rest) => {
    await act(target.name);
    return client.apply(resource, target, ...rest);
  };
  return new Proxy(client, {
    get(target, name) {
      if (name === "apply") return apply;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
