import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import { describeWithControlPlane, eventually, repositoryRoot } from "../control-plane/index.ts";
import {
  type Admin,
  adminOf,
  configMap,
  configMapPath,
  crd,
  custom,
  file,
  fresh,
  type KeelsonProcess,
  PATIENT,
  type ProcessOptions,
  secret,
  startKeelson,
} from "../faults/bed/index.ts";

const corpus = process.env.KEELSON_CORPUS;
if (corpus === undefined)
  console.warn("skipped: the rollback of real add-ons reads them from KEELSON_CORPUS, which is not set");
const SECRETS = "/api/v1/namespaces/kube-system/secrets";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Summary {
  readonly revision: number;
  readonly cause: string;
  readonly objects: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly result: string;
  readonly digest: string;
  readonly rollbackTo?: number;
}

interface Line {
  readonly seq: number;
  readonly action: string;
  readonly result: string;
  readonly cause: string;
  readonly revision?: number;
  readonly object?: { readonly kind: string; readonly name: string };
  readonly fields?: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[];
  readonly lost?: number;
}

/*
 * Revisions, holds, pauses and the journal, by the built program on a real API server, with kubectl as everybody else.
 */
describeWithControlPlane(
  "history",
  (plane) => {
    let admin: Admin;
    /** Everything that any command has printed: no value of a Secret may be in it. */
    const printed: string[] = [];
    beforeAll(async () => {
      admin = await adminOf(plane());
    });
    afterAll(() => admin?.close());

    /** A daemon on a set, with its state directory, and the command line on the same set. */
    class Bed {
      readonly set: string;
      readonly stateDir: string;
      readonly daemon: KeelsonProcess;

      constructor(context: TestContext, name: string, options: Partial<ProcessOptions> = {}) {
        this.set = options.set ?? fresh(name);
        const root = mkdtempSync(join(tmpdir(), "keelson-history-"));
        context.onTestFinished(() => rmSync(root, { recursive: true, force: true }));
        this.stateDir = options.env?.KEELSON_STATE_DIR ?? join(root, "state");
        this.daemon = startKeelson(context, {
          kubeconfig: plane().kubeconfigFor("keelson"),
          ...options,
          set: this.set,
          env: { KEELSON_STATE_DIR: this.stateDir, ...options.env },
        });
      }

      run(...args: readonly string[]): Promise<Ran> {
        const env = {
          PATH: process.env.PATH,
          HOME: this.stateDir,
          USER: "alice",
          KUBECONFIG: plane().kubeconfigFor("admin"),
          KEELSON_SET: this.set,
          KEELSON_STATE_DIR: this.stateDir,
          ADDON_MANAGER_LEADER_ELECTION: "false",
          ADMISSION_CONTROLS_PATH: join(this.stateDir, "none"),
          KUBECTL_PRUNE_WHITELIST_OVERRIDE: "core/v1/ConfigMap core/v1/Secret",
          ADDON_PATH: this.daemon.directory,
          KEELSON_SETTLE: "50ms",
          KEELSON_PRUNE_SETTLE: "100ms",
        };
        return new Promise((resolve) => {
          execFile(join(repositoryRoot, "bin/keelson"), args, { env, maxBuffer: 64 << 20 }, (error, out, err) => {
            printed.push(out, err);
            resolve({ code: error === null ? 0 : Number(error.code), out, err });
          });
        });
      }

      /** The report of a command that must succeed. */
      async json<T>(...args: readonly string[]): Promise<T> {
        const ran = await this.run(...args, "-o", "json");
        expect(ran, args.join(" ")).toMatchObject({ code: 0 });
        return JSON.parse(ran.out) as T;
      }

      async history(): Promise<readonly Summary[]> {
        return (await this.json<{ revisions: readonly Summary[] }>("history")).revisions;
      }

      /** Waits until there are so many revisions. */
      async revisions(count: number): Promise<readonly Summary[]> {
        return eventually(
          `${count} revisions of ${this.set}`,
          async () => {
            const all = await this.history();
            if (all.length === count) return all;
            throw new TypeError(`${JSON.stringify(all)}\n${this.daemon.log().slice(-2_000)}`);
          },
          PATIENT,
        );
      }

      async lines(...args: readonly string[]): Promise<readonly Line[]> {
        return (await this.json<{ lines: readonly Line[] }>("audit", ...args)).lines;
      }
    }

    const contentOf = async (name: string): Promise<string | undefined> =>
      (await admin.get(configMapPath(name)))?.data?.a;
    const comesTo = (name: string, value: string | undefined): Promise<unknown> =>
      eventually(`${name} is ${value}`, async () => (await contentOf(name)) === value, PATIENT);

    it.concurrent("is one revision for each set that was applied, and none for a restart or an empty directory", async (context) => {
      const bed = new Bed(context, "made");
      const { daemon, set } = bed;
      await daemon.says(/Leading/);
      expect(await bed.history()).toEqual([]);

      daemon.write("a.yaml", file(configMap(`${set}-a`), configMap(`${set}-b`)));
      const [first] = await bed.revisions(1);
      expect(first).toMatchObject({ revision: 1, objects: 2, added: 2, cause: "first revision", result: "applied" });
      daemon.write("a.yaml", file(configMap(`${set}-a`, "2"), configMap(`${set}-b`)));
      daemon.write("c.yaml", file(configMap(`${set}-c`)));
      const [, second] = await bed.revisions(2);
      expect(second).toMatchObject({ revision: 2, objects: 3, added: 1, changed: 1, removed: 0 });
      expect(second?.cause).toBe("a.yaml, c.yaml changed");
      daemon.remove("c.yaml");
      const [, , third] = await bed.revisions(3);
      expect(third).toMatchObject({ removed: 1, cause: `ConfigMap/default/${set}-c left the directory` });

      await daemon.end("SIGKILL");
      const ownSecrets = async (): Promise<readonly string[]> => {
        const sent = await plane().requests({ user: "keelson" });
        const own = sent.filter(
          ({ resource, namespace, uri }) => resource === "secrets" && namespace === "kube-system" && uri.includes(set),
        );
        return own.map(({ verb, uri }) => `${verb} ${uri}`);
      };
      const before = (await ownSecrets()).length;
      daemon.start();
      await eventually("it has looked", async () => (await ownSecrets()).length > before, PATIENT);
      await daemon.statusWhere(admin, "it knows the revision", (now) => "revision" in now && now.revision === 3);
      expect((await ownSecrets()).slice(before)).toEqual([expect.stringMatching(/^list /)]);
      expect(await bed.history()).toHaveLength(3);
    });

    it.concurrent("stands in Secrets that kubectl finds by labels, one copy of what did not change", async (context) => {
      const bed = new Bed(context, "stored", { env: { KEELSON_REVISIONS: "2" } });
      const { daemon, set } = bed;
      for (const value of ["1", "2", "3"]) {
        daemon.write("a.yaml", file(configMap(`${set}-a`, value), configMap(`${set}-b`)));
        await eventually("its revision", async () => (await newest(bed))?.changed === (value === "1" ? 0 : 1), PATIENT);
        await comesTo(`${set}-a`, value);
        await eventually("stored", async () => (await newest(bed))?.revision === Number(value), PATIENT);
      }

      const selector = `app.kubernetes.io/part-of=keelson,keelson.dev/set=${set}`;
      const { stdout } = await plane().kubectl("-n", "kube-system", "get", "secrets", "-l", selector, "-o", "json");
      const items: readonly { type: string; metadata: { name: string } }[] = JSON.parse(stdout).items;
      const names = items.map(({ metadata }) => metadata.name);
      expect(new Set(items.map(({ type }) => type))).toEqual(new Set(["keelson.dev/revision"]));
      expect(names.filter((name) => name.startsWith("keelson-revision"))).toEqual([
        `keelson-revision-${set}.2`,
        `keelson-revision-${set}.3`,
      ]);
      // One pack of the first revision, for what never changed; one for each change that is still needed.
      expect(names.filter((name) => name.startsWith("keelson-objects"))).toHaveLength(3);
      expect((await bed.history()).map(({ revision }) => revision)).toEqual([2, 3]);
    });

    it.concurrent("shows revisions and what differs between them, without any value of a Secret", async (context) => {
      const [old, young] = ["old-secret-value", "young-secret-value"];
      const bed = new Bed(context, "shown");
      const { daemon, set } = bed;
      daemon.write("a.yaml", file(configMap(`${set}-a`), secret(`${set}-s`, old)));
      await bed.revisions(1);
      daemon.write("a.yaml", file(configMap(`${set}-a`, "2"), secret(`${set}-s`, young)));
      await bed.revisions(2);

      const shown = await bed.json<{ contents: readonly { manifest: unknown }[] }>("show", "1");
      expect(shown.contents).toMatchObject([
        { object: { kind: "ConfigMap", name: `${set}-a` }, file: "a.yaml", line: 1, manifest: { data: { a: "1" } } },
        { object: { kind: "Secret", name: `${set}-s` }, manifest: { data: { a: "***" } } },
      ]);
      const diff = await bed.json<{ changes: readonly unknown[] }>("diff", "1", "2");
      expect(diff.changes).toMatchObject([
        { action: "changed", object: { kind: "ConfigMap" }, diff: [{ path: "data.a", before: "1", after: "2" }] },
        {
          action: "changed",
          object: { kind: "Secret" },
          diff: [{ path: "data.a", before: "***", after: "*** (changed)" }],
        },
      ]);
      expect((await bed.run("show", "9")).err).toContain("revision 9 is not there: there are 1, 2");
      await bed.run("diff", "1", "2");
      await bed.run("show", "2", "-o", "yaml");
      await bed.run("audit");
      await admin.patch(`/api/v1/namespaces/default/secrets/${set}-s`, { stringData: { a: "tampered-secret-value" } });
      await eventually(
        "its drift is put down",
        async () => (await bed.lines("--object", `secret/${set}-s`)).at(-1)?.cause.startsWith("drift"),
        PATIENT,
      );

      const everything = [...printed, daemon.log(), ...textsBelow(bed.stateDir), await statusText(bed)];
      const values = [old, young, "tampered-secret-value"].flatMap((value) => [value, btoa(value)]);
      expect(values.filter((value) => everything.some((text) => text.includes(value)))).toEqual([]);
    });

    it.concurrent("goes back to a revision at once and holds it, over a SIGKILL, until somebody resumes", async (context) => {
      const bed = new Bed(context, "hold");
      const { daemon, set } = bed;
      daemon.write("a.yaml", file(configMap(`${set}-a`), configMap(`${set}-b`)));
      await bed.revisions(1);
      daemon.write("a.yaml", file(configMap(`${set}-a`, "2"), configMap(`${set}-c`)));
      await bed.revisions(2);
      await comesTo(`${set}-b`, undefined);

      expect(await bed.json("rollback", "1", "--reason", "2 is broken")).toMatchObject({ revision: 1 });
      await Promise.all([comesTo(`${set}-a`, "1"), comesTo(`${set}-b`, "1"), comesTo(`${set}-c`, undefined)]);
      const [, , third] = await bed.revisions(3);
      expect(third).toMatchObject({ rollbackTo: 1, objects: 2, added: 1, changed: 1, removed: 1 });
      expect(third?.cause).toMatch(/^rollback to 1 by \S+ \(alice@\S+\): 2 is broken$/);

      daemon.write("a.yaml", file(configMap(`${set}-a`, "3")));
      daemon.write("new.yaml", file(configMap(`${set}-new`)));
      const status = await daemon.statusWhere(admin, "changes wait", (now) => waitingOf(now)?.added === 1);
      expect(waitingOf(status)).toMatchObject({ added: 1, changed: 1, removed: 1 });
      await daemon.end("SIGKILL");
      daemon.start();
      await daemon.saysTimes(/Leading/, 2);
      await admin.patch(configMapPath(`${set}-a`), { data: { a: "drifted" } });
      await comesTo(`${set}-a`, "1");
      expect(await contentOf(`${set}-new`)).toBeUndefined();
      const planned = await bed.run("plan", "-o", "json");
      expect(JSON.parse(planned.out)).toMatchObject({ steps: [], hold: { revision: 1 } });
      expect(await bed.history()).toHaveLength(3);

      expect(await bed.json("resume")).toMatchObject({ was: { revision: 1, reason: "2 is broken" } });
      await Promise.all([comesTo(`${set}-a`, "3"), comesTo(`${set}-b`, undefined), comesTo(`${set}-new`, "1")]);
      const [, , , fourth] = await bed.revisions(4);
      expect(fourth?.cause).toMatch(/^resume by /);
      const causes = (await bed.lines()).map(({ action, cause }) => `${action}: ${cause}`);
      expect(causes.some((cause) => /^apply: rollback to 1 by .*alice@/.test(cause))).toBe(true);
      expect(causes.some((cause) => /^delete: rollback to 1 by /.test(cause))).toBe(true);
      expect(causes.some((cause) => /^resume: resume by .*, from revision 1$/.test(cause))).toBe(true);
    });

    it.concurrent("refuses to go back where a kind of the old set is served no more, and says which", async (context) => {
      const bed = new Bed(context, "refused");
      const { daemon, set } = bed;
      const singular = `gadget${set.replaceAll(/[^a-z]/g, "")}`;
      await admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd(singular));
      daemon.write("a.yaml", file(configMap(`${set}-a`), custom(singular, `${set}-g`)));
      await bed.revisions(1);
      await daemon.converged(admin, 2);
      daemon.write("a.yaml", file(configMap(`${set}-a`)));
      await bed.revisions(2);
      await admin.delete(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${singular}s.faults.dev`);
      await eventually(
        "it is gone",
        async () => (await admin.get(`/apis/faults.dev/v1/${singular}s`)) === undefined,
        PATIENT,
      );

      const ran = await bed.run("rollback", "1");

      expect(ran.code).toBe(3);
      expect(ran.err).toContain(
        `the API server no longer serves faults.dev/v1 ${singular[0]?.toUpperCase()}${singular.slice(1)}`,
      );
      expect((await bed.json<{ hold?: unknown }>("history")).hold).toBeUndefined();
      expect((await bed.run("rollback", "7")).err).toContain("there are 1, 2");
    });

    it.concurrent("leaves what is paused alone and tells of its drift, until the time is over or somebody ends it", async (context) => {
      const bed = new Bed(context, "pause");
      const { daemon, set } = bed;
      daemon.write("a.yaml", file(configMap(`${set}-a`)));
      daemon.write("f.yaml", file(configMap(`${set}-f`)));
      await bed.revisions(1);

      await bed.json("pause", `configmap/${set}-a`, "--for", "2h", "--reason", "a test");
      await bed.json("pause", "f.yaml", "--for", "3s");
      await daemon.says(/f\.yaml is paused/);
      await plane().kubectl("patch", "configmap", `${set}-a`, "--type=merge", "-p", '{"data":{"a":"by hand"}}');
      await admin.delete(configMapPath(`${set}-f`));
      const told = await daemon.statusWhere(admin, "both are paused", ({ summary }) => summary.paused === 2);
      expect(told.objects.map(({ object, state, message }) => `${object.name} ${state} ${message}`).sort()).toEqual([
        expect.stringMatching(
          /-a paused paused until .*, not done: apply: drift: data\.a 1→by hand by kubectl-patch at /,
        ),
        expect.stringMatching(/-f paused paused until .*, not done: create: was deleted/),
      ]);
      await comesTo(`${set}-f`, "1");
      expect(await contentOf(`${set}-a`)).toBe("by hand");
      expect(JSON.parse((await bed.run("plan", "-o", "json")).out).steps).toEqual([]);
      const applied = await bed.run("apply");
      expect(applied.err + applied.out).not.toContain("configured");
      expect(await contentOf(`${set}-a`)).toBe("by hand");

      expect((await bed.run("unpause", "configmap/other")).code).toBe(3);
      await bed.json("unpause", `configmap/default/${set}-a`);
      await comesTo(`${set}-a`, "1");
      expect(daemon.said(/is no longer paused/)).toBe(2);
    });

    it.concurrent("puts each write down with its cause and what it changed, and finds a changed or missing line", async (context) => {
      const bed = new Bed(context, "audit");
      const { daemon, set } = bed;
      await admin.create("/api/v1/namespaces/default/configmaps", {
        ...configMap(`${set}-old`, "0"),
        metadata: { name: `${set}-old` },
      });
      daemon.write("a.yaml", file(configMap(`${set}-a`), configMap(`${set}-old`)));
      await bed.revisions(1);
      daemon.write("a.yaml", file(configMap(`${set}-a`, "2"), configMap(`${set}-old`)));
      await comesTo(`${set}-a`, "2");
      await plane().kubectl("patch", "configmap", `${set}-a`, "--type=merge", "-p", '{"data":{"a":"9"}}');
      await comesTo(`${set}-a`, "2");
      await admin.delete(configMapPath(`${set}-a`));
      await comesTo(`${set}-a`, "2");
      daemon.write("a.yaml", file(configMap(`${set}-old`)));
      await comesTo(`${set}-a`, undefined);
      daemon.write("bad.yaml", file({ ...configMap(`${set}-bad`), data: { "not a key!": "1" } }));
      const about = (name: string): Promise<readonly Line[]> => bed.lines("--object", `configmap/${set}-${name}`);
      await eventually("the refusal is put down", async () => (await about("bad")).length > 0, PATIENT);

      expect((await about("a")).map(({ action, result, cause }) => `${action} ${result}: ${cause}`)).toEqual([
        "create created: not in the cluster",
        "apply configured: file a.yaml:1 changed",
        expect.stringMatching(/^apply configured: drift: data\.a 2→9 by kubectl-patch at \d{4}-.*Z$/),
        "create created: deleted",
        "delete deleted: left the directory",
      ]);
      expect((await about("a")).slice(1, 3).map(({ fields }) => fields)).toMatchObject([
        [{ path: "data.a", before: "1", after: "2" }],
        [{ path: "data.a", before: "9", after: "2", by: { manager: "kubectl-patch", operation: "Update" } }],
      ]);
      expect((await about("old"))[0]?.cause).toMatch(/^takeover: /);
      expect((await about("bad"))[0]).toMatchObject({ action: "create", result: "failed", error: { code: "Invalid" } });
      expect(await bed.lines("--since", "1h", "--limit", "2")).toHaveLength(2);

      expect(await bed.run("audit", "verify")).toMatchObject({ code: 0, out: expect.stringContaining("Whole") });
      await daemon.end();
      const path = join(bed.stateDir, `audit-${set}.jsonl`);
      const whole = readFileSync(path, "utf8");
      writeFileSync(path, whole.replace('"before":"9"', '"before":"8"'));
      expect(await bed.run("audit", "verify")).toMatchObject({ code: 1, out: expect.stringContaining("was changed") });
      writeFileSync(path, whole.split("\n").toSpliced(2, 1).join("\n"));
      expect(await bed.run("audit", "verify")).toMatchObject({ code: 1, out: expect.stringContaining("missing") });
    });

    it.concurrent("goes on where its journal cannot be written, says so, and writes it down later", async (context) => {
      const root = mkdtempSync(join(tmpdir(), "keelson-history-"));
      context.onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      const blocked = join(root, "state");
      // As a directory on a disk that is full or read-only: nothing can be made in it.
      writeFileSync(blocked, "");
      const bed = new Bed(context, "blocked", { env: { KEELSON_STATE_DIR: blocked } });
      const { daemon, set } = bed;
      daemon.write("a.yaml", file(configMap(`${set}-a`), configMap(`${set}-b`)));
      await daemon.converged(admin, 2);
      await daemon.says(/^WRN: == the audit journal cannot be written: .*; its lines are kept in memory/);
      await bed.revisions(1);

      rmSync(blocked);
      mkdirSync(blocked);
      await daemon.says(/The audit journal can be written again/);

      const lines = await bed.lines();
      expect(lines.map(({ action, object }) => `${action} ${object?.name}`).sort()).toEqual([
        `create ${set}-a`,
        `create ${set}-b`,
      ]);
      expect((await bed.run("audit", "verify")).code).toBe(0);
    });

    it.concurrent("is one unbroken line of revisions where two leaders take turns", async (context) => {
      const set = fresh("turns");
      const env = { ADDON_MANAGER_LEADER_ELECTION: "lease" };
      const one = new Bed(context, "turns", { set, env });
      const { directory } = one.daemon;
      await one.daemon.says(/Leading/);
      const other = new Bed(context, "turns", { set, env: { ...env, HOSTNAME: "cp-2" }, directory });
      one.daemon.write("a.yaml", file(configMap(`${set}-a`)));
      await one.revisions(1);
      let leader = one.daemon;
      let follower = other.daemon;
      for (const turn of [2, 3, 4]) {
        await leader.end("SIGTERM");
        await follower.saysTimes(/Leading/, Math.floor(turn / 2) === 0 ? 1 : Math.ceil((turn - 1) / 2));
        one.daemon.write("a.yaml", file(configMap(`${set}-a`, String(turn))));
        await one.revisions(turn);
        leader.start();
        [leader, follower] = [follower, leader];
      }

      const all = await one.history();
      expect(all.map(({ revision, changed }) => [revision, changed])).toEqual([
        [1, 0],
        [2, 1],
        [3, 1],
        [4, 1],
      ]);
      expect((await one.json<{ changes: readonly unknown[] }>("diff", "1", "4")).changes).toMatchObject([
        { diff: [{ path: "data.a", before: "1", after: "4" }] },
      ]);
    });

    it.runIf(corpus !== undefined)(
      "goes back to an earlier set of real add-ons, and forward again, without a trace",
      async (context) => {
        const bed = new Bed(context, "corpus");
        await bed.daemon.end();
        const { directory } = bed.daemon;
        cpSync(join(corpus ?? "", "gce-addons"), directory, { recursive: true });
        const apply = async (): Promise<void> => {
          const { code, err } = await bed.run("apply", "--prune-all-kinds");
          expect([0, 1], err).toContain(code);
        };
        await apply();
        const manifests = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
          name.endsWith(".yaml"),
        );
        const [gone = "", ...rest] = manifests.filter((name) => /metrics-server|fluentd|dashboard/.test(name));
        rmSync(join(directory, gone));
        for (const name of rest.slice(0, 3)) {
          const text = readFileSync(join(directory, name), "utf8");
          writeFileSync(
            join(directory, name),
            text.replaceAll(
              "addonmanager.kubernetes.io/mode: Reconcile",
              "addonmanager.kubernetes.io/mode: Reconcile\n    changed: once",
            ),
          );
        }
        await apply();
        const before = await stateOf(bed, 2);

        await bed.json("rollback", "1");
        await apply();
        const back = await stateOf(bed, 3);
        await bed.json("resume");
        await apply();

        const [first, second, third, fourth] = await bed.history();
        expect(second?.digest).not.toBe(first?.digest);
        expect([third?.digest, fourth?.digest]).toEqual([first?.digest, second?.digest]);
        expect(Object.keys(back).filter((key) => !Object.hasOwn(before, key))).not.toEqual([]);
        expect(await stateOf(bed, 4)).toEqual(before);
      },
      240_000,
    );

    /** The objects of a revision as they are in the cluster, by key, without what every write moves. */
    async function stateOf(bed: Bed, revision: number): Promise<Readonly<Record<string, unknown>>> {
      const shown = await bed.json<{ contents: readonly { object: Ref }[]; unserved?: readonly string[] }>(
        "show",
        String(revision),
      );
      const { unserved = [] } = shown;
      const contents = shown.contents.filter(
        ({ object }) => !unserved.some((kind) => kind.endsWith(` ${object.kind}`)),
      );
      const kinds = new Set(
        contents.map(({ object }) => (object.group === "" ? object.kind : `${object.kind}.${object.group}`)),
      );
      const keys = new Set(contents.map(({ object }) => keyOf(object)));
      const { stdout } = await plane().kubectl(
        "get",
        [...kinds].join(","),
        "-A",
        "-o",
        "json",
        "--show-managed-fields",
      );
      const items: readonly Item[] = JSON.parse(stdout).items;
      const ours = items.map((item) => [keyOf(refOfItem(item)), bare(item)] as const).filter(([key]) => keys.has(key));
      return Object.fromEntries(ours.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    }

    async function newest(bed: Bed): Promise<Summary | undefined> {
      return (await bed.history()).at(-1);
    }

    async function statusText({ set }: Bed): Promise<string> {
      return JSON.stringify(await admin.find(`/api/v1/namespaces/kube-system/configmaps/keelson-status-${set}`));
    }

    it("keeps no more than what it is told to", async () => {
      const stored = await admin.list(`${SECRETS}?labelSelector=app.kubernetes.io/part-of=keelson`);

      expect(stored.every(({ immutable }) => immutable === true)).toBe(true);
    });
  },
  { auditLog: true, controllerManager: false },
);

interface Ref {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

interface Item {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string; readonly namespace?: string };
}

const keyOf = ({ group, kind, namespace, name }: Ref): string => `${kind}.${group}/${namespace}/${name}`;

function refOfItem({ apiVersion, kind, metadata: { namespace = "", name } }: Item): Ref {
  return { group: apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "", kind, namespace, name };
}

function bare(item: Item): unknown {
  const { resourceVersion: _, generation: __, managedFields, ...metadata } = item.metadata;
  const managers = ((managedFields ?? []) as readonly object[]).map((entry) => ({ ...entry, time: "" }));
  return { ...item, metadata: { ...metadata, managers }, status: "" };
}

function waitingOf(status: object): { readonly added: number } | undefined {
  return (status as { readonly hold?: { readonly waiting?: { readonly added: number } } }).hold?.waiting;
}

function textsBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"));
}
