import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings, type OperationIo, operations } from "../../../src/daemon/index.ts";
import { createLogger } from "../../../src/log/index.ts";
import { type ControlPlane, eventually } from "../../control-plane/index.ts";
import { clusterObject, file } from "./manifests.ts";

const SET = "serving";
const MODE = "addonmanager.kubernetes.io/mode";

/** Loopback all the same, but not by a name that says so: served as every other address is. */
const ADDRESS = "[::ffff:127.0.0.1]:0";

function manifest(name: string, mode: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\n  labels: {${MODE}: ${mode}}\ndata: {v: "1"}\n`;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** The daemon as it is wired, on an address beyond loopback. */
export class ServedDaemon {
  readonly log: string[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), "keelson-serving-"));
  readonly #stop = new AbortController();
  #port = 0;
  #running: Promise<number> = Promise.resolve(0);

  async start(plane: ControlPlane): Promise<void> {
    writeFileSync(
      join(this.#directory, "a.yaml"),
      `${manifest("a", "Reconcile")}---\n${manifest("b", "EnsureExists")}`,
    );
    const flags = new Map(
      Object.entries({
        "--addon-path": this.#directory,
        "--admission-controls-path": join(this.#directory, "none"),
        "--set": SET,
        "--leader-elect": "lease",
        "--http-address": ADDRESS,
        "--state-dir": join(this.#directory, "..", `${SET}-state-${process.pid}`),
      }),
    );
    const kubectlFlags = [{ name: "kubeconfig", value: plane.kubeconfigFor("keelson") }];
    const facts = { hostname: "serving", home: "/" };
    const settings = loadSettings({ command: "run", flags, kubectlFlags, environment: {}, facts });
    this.#running = operations.run(settings, this.#io()).catch(() => 1);
    const line = await eventually("it serves", () => {
      const found = this.log.find((each) => each.includes("Serving HTTPS"));
      if (found === undefined) throw new TypeError(this.log.join("\n"));
      return found;
    });
    this.#port = Number(/:(\d+)\b(?!.*:\d)/.exec(line)?.[1]);
  }

  /** Where it serves, for whoever does not mind whose certificate it is. */
  get authority(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      // Self-signed: whom it belongs to is not what is tested here.
      const options = { host: "127.0.0.1", port: this.#port, path, headers, rejectUnauthorized: false, agent: false };
      const sent = request(options, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"] ?? "",
            body: Buffer.concat(parts).toString(),
          }),
        );
      });
      sent.on("error", reject);
      sent.end();
    });
  }

  scrape(token: string, accept = "text/plain"): Promise<Answer> {
    return this.get("/metrics", { authorization: `Bearer ${token}`, accept });
  }

  /** A scrape that has this line. */
  shows(token: string, pattern: RegExp): Promise<string> {
    return eventually(`metrics show ${pattern}`, async () => {
      const { status, body } = await this.scrape(token);
      if (status !== 200 || !pattern.test(body)) throw new TypeError(`${status} ${body.slice(0, 4_000)}`);
      return body;
    });
  }

  #io(): OperationIo {
    const write = (line: string): boolean => this.log.push(line.trimEnd()) > 0;
    const log = createLogger({ sink: { write, close: () => {} } });
    const signal = this.#stop.signal;
    return { signal, log, environment: {}, progress: () => {}, onRescan: () => () => {}, version: "0.0.0-test" };
  }
}

/** Token of a new ServiceAccount; it may read metrics where `mayRead`. */
export async function account(plane: ControlPlane, name: string, mayRead: boolean): Promise<string> {
  await plane.kubectl("-n", "default", "create", "serviceaccount", name);
  if (mayRead) {
    const rules = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];
    const role = clusterObject("rbac.authorization.k8s.io/v1", "ClusterRole", name, { rules });
    const binding = clusterObject("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", name, {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
    });
    await plane.kubectl("apply", "-f", "-", { input: file(role, binding) });
  }
  return (await plane.kubectl("-n", "default", "create", "token", name)).stdout.trim();
}
