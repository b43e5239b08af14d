import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiObject, type ControlPlane, startControlPlane } from "../control-plane/index.ts";

/*
 * Real add-on directories, read in place where KEELSON_CORPUS names them: everything that kubectl can apply from them must
 * come out the same. The oracle is `kubectl apply`, document by document, on a control plane of its own.
 */
const corpus = process.env.KEELSON_CORPUS;
const directory = corpus === undefined ? undefined : join(corpus, "gce-addons");
const isThere = directory !== undefined && existsSync(directory);
if (!isThere)
  console.warn("skipped: the corpus test reads real add-on directories from KEELSON_CORPUS, which is not set");

const program = fileURLToPath(new URL("../../bin/keelson", import.meta.url));
const PARALLEL = 4;
const LABELLED =
  /addonmanager\.kubernetes\.io\/mode: *"?(?:Reconcile|EnsureExists)|kubernetes\.io\/cluster-service: *"true"/;

interface Ref {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

interface Linted {
  readonly file: string;
  readonly line: number;
  readonly mode: string;
  readonly object: Ref;
}

interface Report {
  readonly objects: readonly { readonly outcome: string; readonly object: Ref; readonly message?: string }[];
  readonly steps: readonly { readonly action: string; readonly object: Ref; readonly reason: string }[];
  readonly problems: readonly { readonly file: string; readonly line: number; readonly message: string }[];
}

describe.runIf(isThere)("a directory of real add-ons", () => {
  let work: string;
  let ours: ControlPlane;
  let theirs: ControlPlane;
  let linted: readonly Linted[];
  let first: Report;
  const byKubectl = new Map<string, ApiObject>();

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "keelson-corpus-"));
    cpSync(directory ?? "", join(work, "addons"), { recursive: true });
    [ours, theirs] = await Promise.all([
      startControlPlane({ auditLog: true, suite: "corpus-ours" }),
      startControlPlane({ suite: "corpus-theirs" }),
    ]);
    linted = ((await keelson("lint", [])) as { objects: readonly Linted[] }).objects;
    await applyByKubectl();
    first = (await keelson("apply", [])) as Report;
  }, 300_000);

  afterAll(async () => {
    await Promise.all([ours?.stop(), theirs?.stop()]);
    rmSync(work, { recursive: true, force: true });
  });

  function keelson(command: string, args: readonly string[]): Promise<unknown> {
    const env = {
      ...process.env,
      ADDON_MANAGER_LEADER_ELECTION: "false",
      HOME: work,
      ADMISSION_CONTROLS_PATH: join(work, "none"),
    };
    const flags = command === "lint" ? [] : ["--kubeconfig", ours.kubeconfigFor("keelson")];
    const child = spawn(program, [command, join(work, "addons"), "-o", "json", ...flags, ...args], { env });
    let output = "";
    child.stdout.on("data", (part: Buffer) => (output += part.toString()));
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", () => {
        try {
          resolve(JSON.parse(output));
        } catch (cause) {
          reject(new TypeError(`keelson ${command} printed no JSON: ${output.slice(0, 400)}`, { cause }));
        }
      });
    });
  }

  /** Every labelled document of every file by itself, as a broken one must not hide its neighbours. */
  async function applyByKubectl(): Promise<void> {
    const seen = new Set<string>();
    const queue = files()
      .flatMap((file) => readFileSync(join(work, "addons", file), "utf8").split(/^---.*$/m))
      .filter((text) => LABELLED.test(text) && isFirst(text, seen));
    const applyNext = async (): Promise<void> => {
      for (let text = queue.shift(); text !== undefined; text = queue.shift()) {
        const applied = await theirs.kubectl("apply", "-o", "json", "-f", "-", { input: text, check: false });
        if (applied.exitCode !== 0) continue;
        const object = JSON.parse(applied.stdout) as ApiObject;
        byKubectl.set(`${object.kind}/${object.metadata.namespace ?? ""}/${object.metadata.name}`, object);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, applyNext));
  }

  /** The directory declares some objects twice: the first by path counts. */
  function isFirst(text: string, seen: Set<string>): boolean {
    const kind = /^kind: (.+)$/m.exec(text)?.[1];
    const name = /^metadata:\n(?: {2}.*\n)*? {2}name: (.+)$/m.exec(text)?.[1];
    const key = `${kind}/${name}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  }

  function files(): readonly string[] {
    const all = readdirSync(join(work, "addons"), { recursive: true, encoding: "utf8" });
    return all.filter((file) => /\.(ya?ml|json)$/.test(file)).sort();
  }

  async function live(plane: ControlPlane): Promise<Map<string, ApiObject>> {
    const kinds = new Set(
      linted.map(({ object }) => (object.group === "" ? object.kind : `${object.kind}.${object.group}`)),
    );
    const found = new Map<string, ApiObject>();
    for (const kind of kinds) {
      const listed = await plane.kubectl("get", kind, "-A", "-o", "json", "--show-managed-fields", { check: false });
      if (listed.exitCode !== 0) continue;
      for (const item of (JSON.parse(listed.stdout) as { items: ApiObject[] }).items) {
        found.set(`${item.kind}/${item.metadata.namespace ?? ""}/${item.metadata.name}`, item);
      }
    }
    return found;
  }

  it("comes out as kubectl apply leaves it, server defaults included", async () => {
    expect(byKubectl.size).toBeGreaterThan(100);
    const [mine, other] = await Promise.all([live(ours), live(theirs)]);

    const different = [];
    for (const key of byKubectl.keys()) {
      const [a, b] = [mine.get(key), other.get(key)];
      if (JSON.stringify(content(a)) !== JSON.stringify(content(b)))
        different.push({ key, ours: content(a), theirs: content(b) });
    }

    expect(different).toEqual([]);
  });

  it("lists what cannot be applied with file and line, and stops nothing else", () => {
    const failed = first.objects.filter(({ outcome }) => outcome === "failed" || outcome === "skipped");

    expect(first.problems.filter(({ message }) => message.includes("unrendered template")).length).toBeGreaterThan(3);
    expect(first.problems.every(({ file, line }) => file !== "" && line > 0)).toBe(true);
    expect(first.problems.filter(({ message }) => message.includes("PodSecurityPolicy"))).toHaveLength(3);
    expect(new Set(failed.map(({ object }) => object.kind))).toEqual(
      new Set(["PodSecurityPolicy", "MutatingWebhookConfiguration"]),
    );
  });

  it("moves no resourceVersion in a second pass, and applies only what the server stores with other text", async () => {
    const before = await live(ours);
    const from = (await ours.requests({ user: "keelson" })).length;

    const second = (await keelson("apply", [])) as Report;

    const after = await live(ours);
    // An apply that only checks whether other text means the same is no step of the plan: it changes nothing.
    expect(second.steps.filter(({ action }) => action === "apply")).toEqual([]);
    expect(moved(before, after)).toEqual([]);
    const made = (await ours.requests({ user: "keelson" })).slice(from);
    const patches = made
      .filter(({ verb, name }) => verb === "patch" && name !== "keelson-status")
      .map(({ name }) => name);
    // The refused webhook configuration is tried once more.
    expect(patches.sort()).toEqual([
      "calico-node",
      "cloud-pvl-admission.k8s.io",
      "gcp-critical-pods",
      "node-local-dns",
    ]);
  });

  it("plans exactly the steps that an apply then executes, and as problems those that the API server refuses", async () => {
    const plan = (await keelson("plan", [])) as Report;
    const apply = (await keelson("apply", [])) as Report;

    const keyOf = ({ kind, namespace, name }: Ref): string => `${kind}/${namespace}/${name}`;
    const refused = apply.objects.filter(({ outcome }) => outcome === "failed").map(({ object }) => keyOf(object));
    const lines = (report: Report): readonly string[] =>
      report.steps
        .filter(({ action, object }) => !["keep", "hold", "wait"].includes(action) && !refused.includes(keyOf(object)))
        .map(({ action, object, reason }) => JSON.stringify([action, object, reason]));
    expect(lines(plan)).toEqual(lines(apply));
    const told = plan.problems.filter(({ message }) => message.includes("the API server refuses it"));
    expect(refused).toHaveLength(told.length);
    for (const name of refused) expect(told.map(({ message }) => message).join("\n")).toContain(name.split("/").at(-1));
  });

  it("deletes exactly the objects of a removed sub-directory that the prune list names", async () => {
    const sub = join("addons", "fluentd-gcp");
    const gone = linted.filter(
      ({ file, mode }) => file.startsWith(`${sub.split(sep).join("/")}/`) && mode === "Reconcile",
    );
    const pruned = new Set(["ConfigMap", "Deployment", "Service", "DaemonSet", "Secret"]);
    const before = await live(ours);
    rmSync(join(work, "addons", sub), { recursive: true });

    await keelson("apply", ["--prune-settle", "100ms", "--settle", "10ms"]);

    const after = await live(ours);
    const missing = [...before.keys()]
      .filter((key) => !after.has(key))
      .filter((key) => !key.startsWith("ControllerRevision"));
    const expected = gone
      .filter(({ object }) => pruned.has(object.kind))
      .map(({ object }) => `${object.kind}/${object.namespace}/${object.name}`);
    expect(expected.length).toBeGreaterThan(1);
    expect(missing.sort()).toEqual([...new Set(expected)].filter((key) => before.has(key)).sort());
  });

  it("deletes all of them with --prune-all-kinds", async () => {
    const sub = join("addons", "metrics-server");
    const gone = linted.filter(({ file }) => file.startsWith(`${sub.split(sep).join("/")}/`));
    const before = await live(ours);
    rmSync(join(work, "addons", sub), { recursive: true });

    await keelson("apply", ["--prune-settle", "100ms", "--settle", "10ms", "--prune-all-kinds"]);

    const after = await live(ours);
    const left = gone.filter(
      ({ mode, object }) =>
        mode === "Reconcile" &&
        [...after.keys()].some((key) => key.startsWith(`${object.kind}/`) && key.endsWith(`/${object.name}`)),
    );
    expect(gone.length).toBeGreaterThan(4);
    expect(left).toEqual([]);
    expect(before.size).toBeGreaterThan(after.size);
  });
});

/** What must be equal: everything but what differs between any two clusters, and the marks of the two tools. */
function content(object: ApiObject | undefined): unknown {
  if (object === undefined) return undefined;
  const copy = structuredClone(object) as Record<string, unknown> & {
    metadata: Record<string, unknown>;
    spec?: Record<string, unknown>;
  };
  const annotations = { ...((copy.metadata.annotations ?? {}) as Record<string, string>) };
  for (const name of Object.keys(annotations)) {
    if (
      name === "keelson.dev/applied" ||
      name.startsWith("kubectl.kubernetes.io/") ||
      name.startsWith("deployment.kubernetes.io/") ||
      name.startsWith("deprecated.daemonset")
    )
      delete annotations[name];
  }
  copy.metadata = { labels: copy.metadata.labels, annotations: sorted(annotations), name: copy.metadata.name };
  delete copy.status;
  if (copy.kind === "Service" && copy.spec !== undefined) {
    for (const field of ["clusterIP", "clusterIPs", "healthCheckNodePort"]) delete copy.spec[field];
    for (const port of (copy.spec.ports ?? []) as Record<string, unknown>[]) delete port.nodePort;
  }
  // The API server fills in its own CA.
  return sorted(copy);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** Objects of ours whose resourceVersion moved without a controller having written status. */
function moved(before: ReadonlyMap<string, ApiObject>, after: ReadonlyMap<string, ApiObject>): readonly string[] {
  const keys = [];
  for (const [key, was] of before) {
    const is = after.get(key);
    const mine = (object: ApiObject | undefined): unknown =>
      ((object?.metadata.managedFields ?? []) as unknown as Record<string, unknown>[]).find(
        ({ manager, operation }) => manager === "keelson" && operation === "Apply",
      );
    if (mine(was) === undefined) continue;
    if (
      JSON.stringify(content(was)) !== JSON.stringify(content(is)) ||
      JSON.stringify(mine(was)) !== JSON.stringify(mine(is))
    )
      keys.push(key);
    else if (was.metadata.resourceVersion !== is?.metadata.resourceVersion && !isBusy(was)) keys.push(key);
  }
  return keys;
}

/** Kinds whose controllers write their status at any time. */
function isBusy({ kind }: ApiObject): boolean {
  return ["Deployment", "DaemonSet", "StatefulSet", "ResourceQuota", "CustomResourceDefinition", "APIService"].includes(
    kind,
  );
}
