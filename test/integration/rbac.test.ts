import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { loadSettings, type OperationIo, operations, type RbacReport, type Settings } from "../../src/daemon/index.ts";
import { createLogger } from "../../src/log/index.ts";
import { type ControlPlane, describeWithControlPlane, eventually } from "../control-plane/index.ts";
import {
  Admin,
  clusterObject,
  crd,
  deployment,
  ensured,
  file,
  namespace,
  object,
  reconciled,
} from "./addon-bed/index.ts";

const RBAC = "rbac.authorization.k8s.io";
const V1 = `${RBAC}/v1`;
type Rule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
};
type Files = Readonly<Record<string, string>>;

/** A directory of a namespace of its own, its rights and how the daemon is told to run on it. */
class World {
  readonly name: string;
  readonly path: string;
  readonly log: string[] = [];
  readonly #plane: ControlPlane;
  readonly #election: string;
  readonly #pruned: string;

  constructor(plane: ControlPlane, name: string, election = "true", pruned = PRUNED) {
    this.#plane = plane;
    this.name = name;
    this.#election = election;
    this.#pruned = pruned;
    this.path = mkdtempSync(join(tmpdir(), "keelson-rbac-"));
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
  }

  write(files: Files): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      writeFileSync(join(this.path, name), text);
    }
  }

  rights(flags: Readonly<Record<string, string>> = {}, hasNamespaces = false): Promise<RbacReport> {
    const options = { name: this.name, serviceAccount: undefined, namespace: "default", isOnline: false };
    return operations.rbac(this.#settings("rbac", flags), { ...options, hasNamespaces }, this.#io(neverStopped()));
  }

  /** Gives the rights to a new ServiceAccount; path of its kubeconfig. */
  async grant(admin: Admin, objects: RbacReport["objects"]): Promise<string> {
    for (const each of objects) {
      const { kind, apiVersion, metadata } = each;
      const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const place = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
      await admin.apply(`${root}${place}/${kind.toLowerCase()}s/${metadata.name}`, each, "test");
    }
    const { stdout } = await this.#plane.kubectl("-n", "default", "create", "token", this.name);
    return this.#plane.kubeconfigFor(stdout.trim());
  }

  /** The daemon, as it is wired, until the test ends or `stop` is called. */
  run(kubeconfig: string): () => Promise<void> {
    const stop = new AbortController();
    const running = operations.run(this.#settings("run", {}, kubeconfig), this.#io(stop.signal)).catch(() => 1);
    const end = async (): Promise<void> => {
      stop.abort();
      await running;
    };
    onTestFinished(end);
    return end;
  }

  /** One pass; what ends it is in the log, as it is on stderr. */
  async apply(kubeconfig: string): Promise<void> {
    const pass = operations.apply(this.#settings("apply", {}, kubeconfig), this.#io(neverStopped()));
    await pass.catch((error: unknown) => this.log.push(String(error)));
  }

  says(pattern: RegExp, timeoutMs = 30_000): Promise<string> {
    const look = (): string => {
      const line = this.log.find((each) => pattern.test(each));
      if (line === undefined) throw new TypeError(this.log.slice(-12).join("\n"));
      return line;
    };
    return eventually(`the log says ${pattern}`, look, { timeoutMs });
  }

  #settings(command: "run" | "rbac" | "apply", more: Readonly<Record<string, string>>, kubeconfig?: string): Settings {
    const flags = new Map(Object.entries({ "--addon-path": this.path, "--set": this.name, ...more }));
    flags.set("--leader-elect", this.#election).set("--admission-controls-path", join(this.path, "no-such"));
    flags.set("--http-address", "off").set("--prune-list", this.#pruned);
    if (command === "run") flags.set("--settle", "50ms").set("--prune-settle", "100ms");
    const kubectlFlags = kubeconfig === undefined ? [] : [{ name: "kubeconfig", value: kubeconfig }];
    const holder = this.#plane === undefined ? "" : leader;
    const facts = { hostname: holder, home: "/" };
    return loadSettings({ command, flags, kubectlFlags, environment: {}, facts });
  }

  #io(signal: AbortSignal): OperationIo {
    const write = (line: string): boolean => this.log.push(line.trimEnd()) > 0;
    const log = createLogger({ sink: { write, close: () => {} } });
    return { signal, log, environment: {}, progress: () => {}, onRescan: () => () => {}, version: "0.0.0-test" };
  }
}

/** Host name of the controller manager's Lease. */
let leader = "";
const PRUNED = "core/v1/ConfigMap core/v1/Service core/v1/Namespace apps/v1/Deployment";
const neverStopped = (): AbortSignal => new AbortController().signal;
const at = (ns: string): Readonly<Record<string, unknown>> => ({ metadata: { namespace: ns } });

/** A Reconcile ConfigMap, an EnsureExists Secret, a Role and its binding, all in namespace `ns`. */
function filesOf(ns: string): Readonly<Record<"config.yaml" | "secret.yaml" | "roles.yaml", string>> {
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const roleRef = { apiGroup: RBAC, kind: "Role", name: "reader" };
  const subjects = [{ kind: "ServiceAccount", name: "default", namespace: ns }];
  return {
    "config.yaml": file(reconciled(object("v1", "ConfigMap", "settings", { data: { a: "1" }, ...at(ns) }))),
    "secret.yaml": file(ensured(object("v1", "Secret", "token", { data: {}, ...at(ns) }))),
    "roles.yaml": file(
      reconciled(object(V1, "Role", "reader", { rules, ...at(ns) })),
      reconciled(object(V1, "RoleBinding", "reader", { roleRef, subjects, ...at(ns) })),
    ),
  };
}

/** What the daemon must say when it lacks a verb: the API server's own words, or ours where it does not name the verb. */
function saidOf({ verb, resource }: { readonly verb: string; readonly resource: string }): RegExp {
  if (verb === "escalate" || verb === "bind") return new RegExp(`takes the verb ${verb} on`);
  return new RegExp(`cannot ${verb} resource \\\\*"${resource}`);
}

/** Rights that nothing asks for within seconds on this API server, each with its reason. */
function reasonToSkip(right: RbacReport["rights"][number]): string | undefined {
  const { verb, resource, names, namespace: ns } = right;
  if (resource === "events" && verb === "patch") return "a count is written a minute later (event-recorder.test.ts)";
  if (resource === "leases" && verb === "get") return "asked a minute after the last event (lease-follower.test.ts)";
  const isRevision = resource === "secrets" && ns === "kube-system";
  if (isRevision && verb === "get") return "asked when a revision is read: rollback, history";
  if (isRevision && verb === "delete") return "asked when there are too many revisions, 20 by default";
  const isOwn = names.length > 0 || ["customresourcedefinitions", "apiservices"].includes(resource);
  if (verb === "list" && isOwn) return "asked of API servers without WatchList only (reflector.test.ts)";
  return ns === "kube-system" && resource === "leases" && verb === "list" ? "as above" : undefined;
}

/** The objects without one right. */
function without(report: RbacReport, right: RbacReport["rights"][number]): RbacReport["objects"] {
  const isMeant = (rule: Rule): boolean =>
    rule.apiGroups.includes(right.group) &&
    rule.resources.includes(right.resource) &&
    String(rule.resourceNames ?? []) === String(right.names);
  return report.objects.map((each) => {
    if (!("rules" in each) || (each.metadata.namespace ?? "") !== right.namespace) return each;
    const rules = (each.rules as unknown as readonly Rule[]).flatMap((rule) => {
      if (!isMeant(rule)) return [rule];
      const others = rule.resources.filter((resource) => resource !== right.resource);
      const verbs = rule.verbs.filter((verb) => verb !== right.verb);
      return [
        { ...rule, resources: others },
        { ...rule, resources: [right.resource], verbs },
      ].filter(({ resources, verbs }) => resources.length > 0 && verbs.length > 0);
    });
    return { ...each, rules } as unknown as typeof each;
  });
}

describeWithControlPlane(
  "keelson rbac",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
      const lease = await admin.find(
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
      );
      leader = lease.spec.holderIdentity.split("_")[0];
    });
    afterAll(() => admin.close());

    async function worldIn(name: string, election?: string): Promise<World> {
      await admin.apply(`/api/v1/namespaces/${name}`, namespace(name), "test");
      return new World(plane(), name, election);
    }

    it.for([
      ["with rights to the cluster for the namespace that the directory declares", false],
      ["with rights within the namespace that was made with them", true],
    ] as const)("prints rights with which the directory converges, %s", async ([, hasNamespaces]) => {
      const name = hasNamespaces ? "rbac-inside" : "rbac-across";
      const world = await worldIn(name);
      const own = `${name}-own`;
      const rules = [
        { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
        { nonResourceURLs: ["/healthz"], verbs: ["get"] },
      ];
      const kind = hasNamespaces ? "inside" : "across";
      world.write({
        ...filesOf(name),
        "own.yaml": file(
          reconciled(namespace(own)),
          reconciled({ ...deployment("app"), metadata: { name: "app", namespace: own } }),
          reconciled(clusterObject(V1, "ClusterRole", own, { rules })),
          reconciled(
            clusterObject(V1, "ClusterRoleBinding", own, {
              roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: own },
              subjects: [{ kind: "ServiceAccount", name: "default", namespace: own }],
            }),
          ),
          reconciled(crd(kind, { v1: { size: { type: "integer" } } })),
          reconciled(object("example.dev/v1", kind === "inside" ? "Inside" : "Across", "one", at(name))),
        ),
      });
      const report = await world.rights({}, hasNamespaces);
      expect(report.problems).toEqual([]);
      const kubeconfig = await world.grant(admin, report.objects);
      const end = world.run(kubeconfig);

      const status = `/api/v1/namespaces/kube-system/configmaps/keelson-status-${name}`;
      await eventually(
        "all is as declared",
        async () => {
          const { phase, summary } = JSON.parse((await admin.find(status)).data["status.json"]);
          if (phase === "converged" && summary.converged === 10) return true;
          throw new TypeError(`${phase} ${JSON.stringify(summary)}: ${world.log.slice(-5).join("\n")}`);
        },
        { timeoutMs: 30_000 },
      );
      const settings = `/api/v1/namespaces/${name}/configmaps/settings`;
      await admin.patch(settings, { data: { a: "2" } });
      await eventually("drift is repaired", async () => (await admin.find(settings)).data.a === "1");
      rmSync(join(world.path, "config.yaml"));
      await eventually("what left is pruned", async () => (await admin.get(settings)) === undefined);
      await end();

      const user = `system:serviceaccount:default:${name}`;
      const refused = (await plane().requests({ user })).filter(({ code }) => code === 403);
      expect(refused).toEqual([]);
      expect(world.log.filter((line) => /^(WRN|ERR)/.test(line))).toEqual([]);
      const clusterWide = report.rights.some(
        (right) => right.namespace === "" && right.verb === "patch" && right.resource === "deployments",
      );
      expect(clusterWide).toBe(!hasNamespaces);
    });

    it("names each right that is missing: each one is taken away once", { timeout: 240_000 }, async () => {
      const example = await worldIn("rbac-all");
      example.write(filesOf("rbac-all"));
      const { rights } = await example.rights();
      const skipped = rights.filter((right) => reasonToSkip(right) !== undefined);
      const tried = rights.filter((right) => reasonToSkip(right) === undefined);
      for (const right of skipped) {
        process.stderr.write(`not tried: ${right.verb} ${right.resource}: ${reasonToSkip(right)}\n`);
      }

      const silent: string[] = [];
      const queue = [...tried.entries()];
      const work = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const [index, right] = next;
          const why = await isNamed(`rbac-${index}`, right).then(
            () => undefined,
            (error: unknown) => `${right.namespace} ${right.verb} ${right.resource} ${right.names}: ${error}`,
          );
          if (why !== undefined) silent.push(why);
        }
      };
      await Promise.all([work(), work(), work(), work(), work(), work()]);

      expect(silent).toEqual([]);
      expect(tried.length).toBeGreaterThan(skipped.length * 2);
    });

    /** Starts a daemon that lacks this one right, in a state of things in which it is asked for, and waits for its word. */
    async function isNamed(name: string, asked: RbacReport["rights"][number]): Promise<void> {
      const world = await worldIn(name);
      const files: Record<string, string> = filesOf(name);
      world.write(files);
      const report = await world.rights();
      const renamed = (text: string): string => text.replace("rbac-all", name);
      const right = { ...asked, namespace: renamed(asked.namespace), names: asked.names.map(renamed) };
      const { verb, resource } = right;
      const isOwn = right.namespace === "kube-system";
      if (verb === "get" && !isOwn) await createBefore(name, resource);
      if (verb === "patch" && resource === "secrets") {
        world.write({ "secret.yaml": (files["secret.yaml"] ?? "").replace("EnsureExists", "Reconcile") });
        await world.apply(plane().kubeconfigFor("keelson"));
        world.write(files);
      }
      if (resource === "events") world.write(isOwn ? { "broken.yaml": "a: [" } : { "bad.yaml": invalid(name) });
      const kubeconfig = await world.grant(admin, without(report, right));
      const said = saidOf(right);
      const isOfPass = verb === "list" || right.names.includes(`keelson-control-${name}`);
      if (isOfPass) {
        await world.apply(kubeconfig);
        await world.says(said);
        return;
      }
      const end = world.run(kubeconfig);
      if (verb === "delete") {
        await world.says(/ConfigMap \S+\/settings created/);
        rmSync(join(world.path, "config.yaml"));
      }
      await world.says(said);
      await end();
    }

    /** Objects that are there already, so that they have to be read before they are written. */
    async function createBefore(ns: string, resource: string): Promise<void> {
      const manager = "kubectl-client-side-apply";
      const labels = { "addonmanager.kubernetes.io/mode": "Reconcile" };
      const create = (root: string, each: object): Promise<unknown> =>
        admin.create(`${root}/namespaces/${ns}/${resource}`, each, manager);
      const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}" };
      const metadata = { namespace: ns, labels, annotations };
      if (resource === "configmaps") await create("/api/v1", object("v1", "ConfigMap", "settings", { metadata }));
      if (resource === "secrets")
        await create("/api/v1", object("v1", "Secret", "token", { metadata: { namespace: ns } }));
      const roleRef = { apiGroup: RBAC, kind: "Role", name: "reader" };
      if (resource === "roles") await create(`/apis/${V1}`, object(V1, "Role", "reader", { rules: [], metadata }));
      if (resource === "rolebindings")
        await create(`/apis/${V1}`, object(V1, "RoleBinding", "reader", { roleRef, subjects: [], metadata }));
    }

    function invalid(ns: string): string {
      return file(reconciled(object("v1", "ConfigMap", "invalid", { data: { "a b": "no key" }, ...at(ns) })));
    }

    it.for([
      ["lease", "get", "leases", ""],
      ["lease", "create", "leases", ""],
      ["lease", "patch", "leases", ""],
      ["false", "watch", "configmaps", "status"],
      ["true", "watch", "configmaps", "control"],
    ] as const)("with --leader-elect=%s names a missing %s on %s %s", async ([election, verb, resource, own]) => {
      const name = `rbac-${election}-${verb}`;
      await admin.apply(`/api/v1/namespaces/${name}`, namespace(name), "test");
      const world = new World(plane(), name, election, "core/v1/Service");
      world.write({ "secret.yaml": filesOf(name)["secret.yaml"] });
      const report = await world.rights();
      const right = report.rights.find(
        (each) => each.namespace === "kube-system" && each.resource === resource && each.verb === verb,
      );
      if (right === undefined) throw new TypeError("no such right");
      const kubeconfig = await world.grant(admin, without(report, right));
      const end = world.run(kubeconfig);

      await world.says(saidOf(right));
      if (own !== "") await world.says(new RegExp(`keelson-${own}-${name} cannot be watched`));
      await end();
    });
  },
  { auditLog: true },
);
