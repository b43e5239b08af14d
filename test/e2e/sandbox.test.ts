import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually, findBinaries, repositoryRoot } from "../control-plane/index.ts";

const program = join(repositoryRoot, "bin/keelson");
const examples = join(repositoryRoot, "examples/addons");
/** The limit of the sandbox with that many objects. */
const MANY = 10_000;
const MAX_RESIDENT_KIB = 150 * 1000;

let directory: string;
let environment: Readonly<Record<string, string>>;
const children: ChildProcess[] = [];

beforeAll(() => {
  if (!existsSync(join(repositoryRoot, "dist/apiserver.cjs"))) throw new TypeError("not built: npm run build");
  directory = mkdtempSync(join(tmpdir(), "keelson-sandbox-e2e-"));
  mkdirSync(join(directory, "tmp"));
  environment = { PATH: process.env.PATH ?? "", HOME: directory, TMPDIR: join(directory, "tmp") };
});

afterAll(() => rmSync(directory, { recursive: true }));

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

const keelson = (...args: readonly string[]) => spawnSync(program, args, { encoding: "utf8", env: environment });

interface Sandbox {
  readonly child: ChildProcess;
  readonly kubeconfig: string;
  readonly output: () => string;
  stop(): Promise<number | null>;
}

async function startSandbox(name: string, ...args: readonly string[]): Promise<Sandbox> {
  const kubeconfig = join(directory, `${name}.kubeconfig`);
  const child = spawn(program, ["sandbox", "--kubeconfig-out", kubeconfig, ...args], { env: environment });
  children.push(child);
  let output = "";
  child.stdout.on("data", (part: Buffer) => (output += part.toString()));
  child.stderr.on("data", (part: Buffer) => (output += part.toString()));
  const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  await eventually("the kubeconfig appears", () => {
    if (child.exitCode !== null) throw new TypeError(`keelson sandbox ended: ${output}`);
    return existsSync(kubeconfig);
  });
  return {
    child,
    kubeconfig,
    output: () => output,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

const server = ({ kubeconfig }: Sandbox): string =>
  /server: (http:\S+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "none";

async function names(sandbox: Sandbox, path: string): Promise<readonly string[]> {
  const list = (await (await fetch(server(sandbox) + path)).json()) as {
    items: readonly { metadata: { name: string } }[];
  };
  return list.items.map(({ metadata }) => metadata.name);
}

function findKubectl(): string | undefined {
  const found = findBinaries();
  const kubectl = found.kind === "ready" ? found.binaries.kubectl : "kubectl";
  return spawnSync(kubectl, ["version", "--client"]).status === 0 ? kubectl : undefined;
}

describe("keelson sandbox", () => {
  it("serves kubectl", async (context) => {
    const path = findKubectl();
    if (path === undefined) return context.skip("there is no kubectl");
    const sandbox = await startSandbox("kubectl", "--load", examples, "--simulate-workloads", "--lease-host", "cp-1");
    const kubectl = (...args: readonly string[]) =>
      spawnSync(path, [`--kubeconfig=${sandbox.kubeconfig}`, ...args], { encoding: "utf8", env: environment });

    expect(
      kubectl("-n", "intranet", "wait", "--for=condition=Available", "deployment/web", "--timeout=20s").stdout,
    ).toBe("deployment.apps/web condition met\n");
    expect(kubectl("-n", "intranet", "get", "maintenancewindows", "-o", "name").stdout).toBe(
      "maintenancewindow.examples.keelson.dev/weekly\n",
    );
    expect(kubectl("-n", "kube-system", "get", "lease", "kube-controller-manager").stdout).toContain("cp-1_");
    expect(kubectl("apply", "--server-side", "-f", join(examples, "banner.yaml")).stderr).toBe("");
    expect(await sandbox.stop()).toBe(0);
    expect(existsSync(sandbox.kubeconfig)).toBe(false);
  });

  it("prints where its kubeconfig is, and cleans up a temporary one", async () => {
    const child = spawn(program, ["sandbox"], { env: environment });
    children.push(child);
    let output = "";
    child.stdout.on("data", (part: Buffer) => (output += part.toString()));
    const path = await eventually("the path is printed", () => /^KUBECONFIG=(.+)$/m.exec(output)?.[1]);
    const text = readFileSync(path, "utf8");
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGINT");

    expect(text).toContain("server: http://127.0.0.1:");
    expect(await ended).toBe(0);
    expect(readdirSync(join(directory, "tmp")).filter((name) => name.startsWith("keelson-sandbox"))).toEqual([]);
  });

  it("goes on from what another one saved", async () => {
    const state = join(directory, "state.json");
    const first = await startSandbox("first", "--load", examples, "--save", state);
    first.child.kill("SIGHUP");
    await eventually("it saves on SIGHUP", () => first.output().includes("is saved to"));
    await fetch(`${server(first)}/api/v1/namespaces/intranet/configmaps/banner`, { method: "DELETE" });
    expect(await first.stop()).toBe(0);

    const second = await startSandbox("second", "--load", state);

    expect(await names(second, "/api/v1/namespaces/intranet/configmaps")).toEqual(["preferences"]);
    expect(await names(second, "/apis/examples.keelson.dev/v1/maintenancewindows")).toEqual(["weekly"]);
    expect(await second.stop()).toBe(0);
  });

  it("refuses manifests that cannot be applied, a snapshot that is none, and a foreign kubeconfig", () => {
    const bad = join(directory, "bad");
    mkdirSync(bad);
    writeFileSync(join(bad, "a.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: nowhere}\n");
    writeFileSync(join(directory, "no-snapshot.json"), "[]");
    writeFileSync(join(directory, "foreign"), "apiVersion: v1\nkind: Config\n");

    const manifests = keelson("sandbox", "--load", bad);
    const snapshot = keelson("sandbox", "--load", join(directory, "no-snapshot.json"));
    const kubeconfig = keelson("sandbox", "--kubeconfig-out", join(directory, "foreign"));

    expect([manifests.status, snapshot.status, kubeconfig.status]).toEqual([3, 3, 3]);
    expect(manifests.stderr).toContain("a.yaml:1: ");
    expect(snapshot.stderr).toContain("is no snapshot of a cluster");
    expect(readFileSync(join(directory, "foreign"), "utf8")).toBe("apiVersion: v1\nkind: Config\n");
  });

  it("says that its port is taken", async () => {
    const first = await startSandbox("port");
    const { port } = new URL(server(first));

    const { status, stderr } = keelson("sandbox", "--port", port);

    expect({ status, stderr }).toEqual({ status: 4, stderr: expect.stringContaining(`127.0.0.1:${port}`) });
  });

  it(`holds ${MANY} objects within 150 MB (needs /proc)`, async (context) => {
    if (!existsSync("/proc/self/status")) return context.skip("there is no /proc");
    const path = join(directory, "many.json");
    writeFileSync(path, JSON.stringify(manyObjects()));
    const sandbox = await startSandbox("many", "--load", path);

    expect(await names(sandbox, "/apis/apps/v1/deployments?labelSelector=app%3Dnone")).toEqual([]);

    const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${sandbox.child.pid}/status`, "utf8")) ?? [];
    expect(Number(kib)).toBeLessThan(MAX_RESIDENT_KIB);
  });
});

/** A cluster of Deployments, each with managedFields as an apply leaves them. */
function manyObjects(): object {
  const container = { name: "main", image: "registry.test/app:1", ports: [{ containerPort: 80, protocol: "TCP" }] };
  const fieldsV1 = {
    "f:metadata": { "f:labels": { "f:app": {} } },
    "f:spec": {
      "f:replicas": {},
      "f:selector": {},
      "f:template": {
        "f:spec": { "f:containers": { 'k:{"name":"main"}': { ".": {}, "f:image": {}, "f:name": {}, "f:ports": {} } } },
      },
    },
  };
  const deployments = Array.from({ length: MANY }, (_, index) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: `app-${index}`,
      namespace: "default",
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      resourceVersion: String(index + 2),
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { app: `app-${index}` },
      managedFields: [
        { manager: "keelson", operation: "Apply", apiVersion: "apps/v1", fieldsType: "FieldsV1", fieldsV1 },
      ],
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: `app-${index}` } },
      template: { metadata: { labels: { app: `app-${index}` } }, spec: { containers: [container] } },
    },
  }));
  return { format: "keelson.dev/cluster-snapshot-1", revision: MANY + 2, tables: { "deployments.apps": deployments } };
}

describe("keelson plan --offline", () => {
  it("plans against an empty cluster, and against a saved state", async () => {
    const state = join(directory, "offline.json");
    const sandbox = await startSandbox("offline", "--save", state);
    const applied = keelson("apply", examples, "--kubeconfig", sandbox.kubeconfig, "--leader-elect", "false");
    expect(await sandbox.stop()).toBe(0);
    const changed = join(directory, "changed");
    cpSync(examples, changed, { recursive: true });
    const banner = readFileSync(join(changed, "banner.yaml"), "utf8");
    writeFileSync(join(changed, "banner.yaml"), banner.replace("navy", "teal"));

    const empty = keelson("plan", examples, "--offline", "-o", "json");
    const same = keelson("plan", examples, "--offline", "--snapshot", state);
    const other = keelson("plan", changed, "--offline", "--snapshot", state);

    expect(applied.status).toBe(0);
    // The kind of the MaintenanceWindow comes from a CRD of the same directory: it waits, and nothing is wrong.
    expect([empty.status, same.status, other.status]).toEqual([1, 0, 1]);
    expect(JSON.parse(empty.stdout).summary).toMatchObject({ create: 8, ensure: 1, wait: 1 });
    expect(other.stdout).toContain("ConfigMap intranet/banner (banner.yaml:2)");
    expect(other.stdout).toContain("teal");
  });
});

describe("keelson demo", () => {
  it("shows drift repaired, a broken file held, a removed one pruned, the way back, and leaves nothing behind", () => {
    const { status, stdout, stderr } = keelson("demo");

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/data\.text Welcome aboard→Out of order by somebody at \S+ file=banner\.yaml/);
    expect(stdout).toMatch(/Deployment intranet\/web created: was deleted/);
    expect(stdout).toMatch(/"language":"de"/);
    expect(stdout).toMatch(/Held, not deleted:\n.*\n +ConfigMap intranet\/banner/);
    expect(stdout).toMatch(/ConfigMap intranet\/banner deleted: left the directory/);
    expect(stdout).toMatch(
      /1: 10 objects: first revision\n +2: 9 objects: ConfigMap\/intranet\/banner left the directory/,
    );
    expect(stdout).toMatch(/The banner is back after \d+ ms/);
    expect(stdout).toMatch(/create created: rollback to 1 by .*: the banner is missed/);
    expect(stdout).toMatch(/exit code 0/);
    expect(readdirSync(join(directory, "tmp")).filter((name) => name.startsWith("keelson-demo"))).toEqual([]);
  });

  it("stays with --keep until it is stopped", async () => {
    const child = spawn(program, ["demo", "--keep"], { env: environment });
    children.push(child);
    let output = "";
    child.stdout.on("data", (part: Buffer) => (output += part.toString()));
    const ended = new Promise((resolve) => child.on("exit", resolve));
    const path = await eventually("it stays", () => /^export KUBECONFIG=(.+)$/m.exec(output)?.[1], {
      timeoutMs: 60_000,
    });

    expect(keelson("status", "--kubeconfig", path).stdout).toContain("converged");
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(existsSync(path)).toBe(false);
  });
});

describe("the bundle", () => {
  it("answers its version without anything beside it, and has the API server apart", () => {
    const alone = join(directory, "alone");
    mkdirSync(join(alone, "dist"), { recursive: true });
    for (const file of ["bin", "dist/keelson.js", "package.json"]) {
      cpSync(join(repositoryRoot, file), join(alone, file), { recursive: true });
    }

    const version = spawnSync(join(alone, "bin/keelson"), ["version"], { encoding: "utf8", env: environment });

    expect(version.status).toBe(0);
    // A name that only the API server knows.
    expect(readFileSync(join(repositoryRoot, "dist/apiserver.cjs"), "utf8")).toContain("builtin.json");
    expect(readFileSync(join(repositoryRoot, "dist/program.cjs"), "utf8")).not.toContain("builtin.json");
  });
});
