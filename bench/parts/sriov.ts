// "sriov": what one SriovOperatorConfig costs, from its creation to a restart. Times are those at which the API server
// received the requests, by its audit log; nothing is asked of the program but its memory.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { render } from "../../src/controllers/sriov-operator-config/samples.case.ts";
import { TemplateFolder } from "../../src/manifest/index.ts";
import type { AuditedRequest } from "../../test/control-plane/audit-log.ts";
import { repositoryRoot } from "../../test/control-plane/binaries.ts";
import { type ControlPlane, startControlPlane } from "../../test/control-plane/control-plane.ts";
import { eventually, pause } from "../../test/control-plane/eventually.ts";
import { Admin, type Live } from "../../test/integration/addon-bed/admin.ts";
import { collection, DEFAULT_OPERANDS, pathTo } from "../../test/integration/sriov-bed/paths.ts";
import { keelsonProgram } from "../keelson.ts";
import type { Settings } from "../options.ts";
import { residentMegabytesOf } from "../process-tree.ts";
import type { Section } from "../results.ts";
import { quantile } from "../statistics.ts";

const NAMESPACE = "sriov-network-operator";
const CONFIG = pathTo("Config", "default", NAMESPACE);
const WRITES = ["create", "update", "patch", "delete"];
const ROUNDS = 5;
const RENDERS = 50;

interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: "ms" | "MB" | "requests" | "writes";
  readonly atMost: number;
  /** The same of the original operator, as observed on 2 cores and the same API server. */
  readonly operator: string;
}

export async function measureSriov({ progress, steadySeconds }: Settings): Promise<readonly Section[]> {
  progress("the SR-IOV controller");
  const plane = await startControlPlane({
    auditLog: true,
    suite: "bench-sriov",
    apiServerFlags: ["--disable-admission-plugins=MutatingAdmissionWebhook,ValidatingAdmissionWebhook"],
  });
  const admin = await Admin.of(plane);
  const bench = new SriovBench(plane, admin);
  try {
    return [sectionOf(await bench.measure(steadySeconds), steadySeconds)];
  } finally {
    bench.killAll();
    admin.close();
    await plane.stop();
  }
}

function sectionOf(rows: readonly Row[], steadySeconds: number): Section {
  const text = ({ value, unit }: Row): string =>
    unit === "ms" || unit === "MB" ? `${value.toFixed(0)} ${unit}` : String(value);
  return {
    part: "sriov",
    title: "The SR-IOV controller",
    method: `One SriovOperatorConfig with injector and operator webhook, on the templates that come with Keelson; ${steadySeconds} s of quiet. The operator's own figures were seen on 2 cores with the same API server.`,
    figures: rows.map((row) => ({
      name: `SR-IOV: ${row.what}`,
      bar: `≤ ${row.atMost}${row.unit === "ms" || row.unit === "MB" ? ` ${row.unit}` : ""}`,
      measured: text(row),
      isMet: row.value <= row.atMost,
    })),
    tables: [
      {
        title: "Beside the operator",
        columns: ["figure", "keelson", "the operator"],
        rows: rows.map((row) => [row.what, text(row), row.operator]),
      },
    ],
    notes: [],
  };
}

class SriovBench {
  readonly #plane: ControlPlane;
  readonly #admin: Admin;
  readonly #rows: Row[] = [];
  readonly #running: Set<ChildProcess> = new Set();

  constructor(plane: ControlPlane, admin: Admin) {
    this.#plane = plane;
    this.#admin = admin;
  }

  async measure(steadySeconds: number): Promise<readonly Row[]> {
    await this.#prepare();
    let keelson = await this.#start(["sriov-operator-config"]);
    await this.#measureCreation();
    await this.#measureChange();
    await this.#measureBurst();
    await this.#measureDrift();
    await this.#measureQuiet(steadySeconds);
    this.#addMemory("RSS", keelson, { atMost: 75, operator: "74–76 MiB" });
    await this.#stop(keelson);
    keelson = await this.#measureRestart();
    await this.#stop(keelson);
    keelson = await this.#start(["addon", "sriov-operator-config"]);
    await this.#ready();
    this.#addMemory("RSS, both controllers", keelson, { atMost: 90, operator: "–" });
    await this.#stop(keelson);
    this.#measureRender();
    return this.#rows;
  }

  killAll(): void {
    for (const child of this.#running) child.kill("SIGKILL");
  }

  async #prepare(): Promise<void> {
    const folder = join(repositoryRoot, "deploy/crds");
    const input = readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .join("\n---\n");
    await this.#plane.kubectl("apply", "-f", "-", { input });
    await this.#plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s");
    await this.#plane.kubectl("create", "namespace", NAMESPACE);
  }

  async #start(controllers: readonly string[]): Promise<ChildProcess> {
    const example = readFileSync(join(repositoryRoot, "examples/sriov/operator.env"), "utf8");
    const variables = example
      .split("\n")
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => line.split("=", 2));
    const from = new Date().toISOString();
    const child = spawn(keelsonProgram, ["run", "--controllers", controllers.join(",")], {
      env: {
        ...process.env,
        ...Object.fromEntries(variables),
        KUBECONFIG: this.#plane.kubeconfigFor("keelson"),
        ADDON_PATH: join(repositoryRoot, "examples/addons"),
        ADDON_MANAGER_LEADER_ELECTION: "false",
        KEELSON_SRIOV_LEADER_ELECT: "false",
        KEELSON_HTTP_ADDRESS: "off",
        KEELSON_STATE_DIR: this.#plane.directory,
      },
      stdio: "ignore",
    });
    this.#running.add(child);
    await eventually("it watches the config", async () =>
      (await this.#requests()).some(
        ({ verb, resource, receivedAt }) =>
          verb === "watch" && resource === "sriovoperatorconfigs" && receivedAt > from,
      ),
    );
    return child;
  }

  async #stop(child: ChildProcess): Promise<void> {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    this.#running.delete(child);
  }

  /** What Keelson has asked for; its Events and Leases are counted apart. */
  async #requests(): Promise<readonly AuditedRequest[]> {
    const all = await this.#plane.requests({ user: "keelson" });
    return all.filter(({ resource }) => resource !== "events" && resource !== "leases");
  }

  async #ready(): Promise<Live> {
    return eventually(
      "the config is ready",
      async () => {
        const config = await this.#admin.find(CONFIG);
        const condition = config.status?.conditions?.find(({ type }: { type: string }) => type === "Ready");
        return condition?.status === "True" && condition.observedGeneration === config.metadata.generation && config;
      },
      { timeoutMs: 30_000 },
    );
  }

  /** When somebody else's last request of this kind came. */
  async #lastOf(verb: string, uri: string): Promise<number> {
    const all = await this.#plane.requests({ user: "admin" });
    const found = all.filter((each) => each.verb === verb && each.uri.startsWith(uri)).at(-1);
    return found === undefined ? Number.NaN : at(found);
  }

  async #measureCreation(): Promise<void> {
    await this.#untilIdle();
    const before = (await this.#requests()).length;
    await this.#admin.create(collection("Config", NAMESPACE), {
      apiVersion: "sriovnetwork.openshift.io/v1",
      kind: "SriovOperatorConfig",
      metadata: { name: "default", namespace: NAMESPACE },
      spec: { enableInjector: true, enableOperatorWebhook: true },
    });
    await this.#ready();
    const sent = (await this.#requests()).slice(before).filter(({ verb }) => verb !== "watch");
    const created = await this.#lastOf("create", collection("Config", NAMESPACE));
    const last = Math.max(...sent.filter(isOperand).map(at));
    this.#rows.push({
      what: "config created → all operands applied",
      value: last - created,
      unit: "ms",
      atMost: 400,
      operator: "200–400 ms",
    });
    this.#rows.push({ what: "requests for it", value: sent.length, unit: "requests", atMost: 30, operator: "96" });
  }

  /** A controller that has been running for a while: its start is a figure of its own. */
  async #untilIdle(): Promise<void> {
    for (let before = -1, now = 0; now !== before; ) {
      before = now;
      await pause(2_000);
      now = (await this.#requests()).length;
    }
  }

  async #measureChange(): Promise<void> {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = (await this.#requests()).length;
      await this.#admin.patch(CONFIG, { spec: { disablePlugins: round % 2 === 0 ? ["mellanox"] : [] } });
      await this.#ready();
      const changed = await this.#lastOf("patch", CONFIG);
      const written = (await this.#requests()).slice(before).filter(isOperand).map(at);
      times.push(Math.max(...written) - changed);
    }
    this.#rows.push({
      what: "spec change → DaemonSet written, p50",
      value: quantile(times, 0.5),
      unit: "ms",
      atMost: 150,
      operator: "170 ms",
    });
  }

  async #measureBurst(): Promise<void> {
    const before = (await this.#requests()).length;
    for (let change = 0; change < 20; change += 1) {
      await this.#admin.patch(CONFIG, { spec: { disablePlugins: change % 2 === 0 ? [] : ["mellanox"] } });
      await pause(40);
    }
    await this.#ready();
    const sent = (await this.#requests()).slice(before).filter(({ verb }) => verb !== "watch");
    this.#rows.push({
      what: "20 changes in a second, requests",
      value: sent.length,
      unit: "requests",
      atMost: 60,
      operator: "400",
    });
  }

  async #measureDrift(): Promise<void> {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [kind, name] of DEFAULT_OPERANDS) {
        const path = pathTo(kind, name, NAMESPACE);
        const { uid } = (await this.#admin.find(path)).metadata;
        await this.#admin.delete(path);
        await eventually(
          `${name} is back`,
          async () => {
            const now = await this.#admin.get(path);
            return now !== undefined && now.metadata.uid !== uid;
          },
          { intervalMs: 5 },
        );
        const deleted = await this.#lastOf("delete", path);
        const repaired = (await this.#requests())
          .filter(({ uri, verb }) => verb === "patch" && uri.startsWith(`${path}?`))
          .at(-1);
        if (repaired !== undefined) times.push(at(repaired) - deleted);
      }
    }
    this.#rows.push({
      what: "any operand deleted → restored, p50",
      value: quantile(times, 0.5),
      unit: "ms",
      atMost: 50,
      operator: "50–230 ms, or 5 min",
    });
    this.#rows.push({
      what: "the same, p99",
      value: quantile(times, 0.99),
      unit: "ms",
      atMost: 200,
      operator: "5 min",
    });
  }

  async #measureQuiet(seconds: number): Promise<void> {
    await this.#ready();
    const before = (await this.#requests()).length;
    await pause(seconds * 1000);
    const sent = (await this.#requests()).slice(before).filter(({ verb }) => verb !== "watch");
    this.#rows.push({
      what: `requests in ${seconds} s of quiet`,
      value: sent.length,
      unit: "requests",
      atMost: 0,
      operator: "47 each reconcile",
    });
  }

  async #measureRestart(): Promise<ChildProcess> {
    const before = (await this.#requests()).length;
    const from = Date.now();
    const child = await this.#start(["sriov-operator-config"]);
    await eventually("Fail is back", async () => {
      const live = await this.#admin.find(pathTo("Validating", "sriov-operator-webhook-config", NAMESPACE));
      return live.webhooks[0].failurePolicy === "Fail";
    });
    await this.#ready();
    await pause(1_000);
    const writes = (await this.#requests()).slice(before).filter(({ verb }) => WRITES.includes(verb));
    this.#rows.push({
      what: "process start → converged",
      value: Math.max(...writes.map(at)) - from,
      unit: "ms",
      atMost: 800,
      operator: "–",
    });
    this.#rows.push({ what: "writes of a restart", value: writes.length, unit: "writes", atMost: 3, operator: "62" });
    return child;
  }

  /** All folders, after as many rounds again as warm it up. */
  #measureRender(): void {
    const templates = new TemplateFolder(join(repositoryRoot, "templates/sriov"));
    const times = Array.from({ length: 2 * RENDERS }, () => {
      const from = performance.now();
      render({ templates });
      return performance.now() - from;
    });
    const value = quantile(times.slice(RENDERS), 0.5);
    this.#rows.push({ what: "render of all folders, warm, p50", value, unit: "ms", atMost: 20, operator: "–" });
  }

  #addMemory(what: string, child: ChildProcess, bar: Pick<Row, "atMost" | "operator">): void {
    this.#rows.push({ what, value: residentMegabytesOf(child.pid ?? 0), unit: "MB", ...bar });
  }
}

/** Wall clock, in milliseconds with their fraction. */
function at({ receivedAt }: AuditedRequest): number {
  return Date.parse(receivedAt) + Number(receivedAt.slice(23, 26) || 0) / 1000;
}

function isOperand({ verb, resource }: AuditedRequest): boolean {
  return verb === "patch" && resource !== "sriovoperatorconfigs";
}
