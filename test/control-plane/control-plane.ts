import { generateKeyPairSync, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AuditedRequest, AuditLog, auditPolicy } from "./audit-log.ts";
import { type Binaries, findBinaries, repositoryRoot } from "./binaries.ts";
import { Component, PortTakenError } from "./component.ts";
import { TestBedError } from "./errors.ts";
import { eventually } from "./eventually.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { type KubectlArguments, type KubectlResult, runKubectl } from "./kubectl.ts";
import { findFreePorts } from "./ports.ts";
import { get, statusOf } from "./server-request.ts";
import { Watchdog } from "./watchdog.ts";

export interface ControlPlaneOptions {
  /** Whether kube-controller-manager runs too; true where left out. */
  readonly controllerManager?: boolean;
  /** Whether requests are audited, so that `requests()` can tell them; false where left out. */
  readonly auditLog?: boolean;
  /** Further flags, after the fixture's own; the last of two equal flags counts. */
  readonly apiServerFlags?: readonly string[];
  readonly etcdFlags?: readonly string[];
  readonly controllerManagerFlags?: readonly string[];
  /** Name of the folder of the logs under test-logs/, unique among planes that run at one time. */
  readonly suite?: string;
}

/**
 * Users of the token file: `admin` and `keelson` are in system:masters (the second one so that its requests can be
 * counted apart), `controller-manager` is kube-controller-manager's, `someone` may do nothing.
 */
export type User = (typeof users)[number];

const users = ["admin", "keelson", "controller-manager", "someone"] as const;

/** A live object as JSON; only what every object has is typed. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly managedFields?: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly apiVersion: string;
      readonly subresource?: string;
      readonly time?: string;
      readonly fieldsV1?: unknown;
    }[];
  };
  readonly [field: string]: unknown;
}

interface Ports {
  readonly apiServer: number;
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly controllerManager: number;
}

interface Setting {
  readonly options: ControlPlaneOptions;
  readonly binaries: Binaries;
  readonly ports: Ports;
  readonly directory: string;
  readonly logs: string;
  readonly tokens: Readonly<Record<User, string>>;
  readonly watchdog: Watchdog;
}

/**
 * Starts etcd, kube-apiserver and, unless refused, kube-controller-manager on free loopback ports, and waits until
 * they serve: about 4 s on two cores. Whoever starts a plane stops it; where the test process dies, a watchdog does.
 *
 * @throws TestBedError where the programs are missing or do not come up; their logs stay in test-logs/.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const availability = findBinaries();
  if (availability.kind !== "ready") throw new TestBedError(`no control plane: ${availability.why}`);
  for (let attempt = 1; ; attempt += 1) {
    const plane = new ControlPlane(await prepare(options, availability.binaries));
    try {
      await plane.start();
      return plane;
    } catch (error) {
      await plane.stop({ keepLogs: true });
      if (!(error instanceof PortTakenError) || attempt === 3) throw error;
    }
  }
}

async function prepare(options: ControlPlaneOptions, binaries: Binaries): Promise<Setting> {
  const [apiServer = 0, etcd = 0, etcdPeer = 0, controllerManager = 0] = await findFreePorts(4);
  const directory = mkdtempSync(join(tmpdir(), "keelson-control-plane-"));
  const logs = join(repositoryRoot, "test-logs", options.suite ?? `control-plane-${apiServer}`);
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  const tokens = {
    admin: randomUUID(),
    keelson: randomUUID(),
    "controller-manager": randomUUID(),
    someone: randomUUID(),
  };
  const lines = users.map((user) => `${tokens[user]},${user},${user}${user === "someone" ? "" : ",system:masters"}\n`);
  const keys = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  writeFileSync(join(directory, "tokens.csv"), lines.join(""), { mode: 0o600 });
  writeFileSync(join(directory, "service-account.key"), keys.privateKey, { mode: 0o600 });
  writeFileSync(join(directory, "service-account.pub"), keys.publicKey);
  writeFileSync(join(directory, "audit-policy.yaml"), auditPolicy);
  const ports = { apiServer, etcd, etcdPeer, controllerManager };
  return { options, binaries, ports, directory, logs, tokens, watchdog: new Watchdog(directory) };
}

/** A running control plane; made by `startControlPlane`. */
export class ControlPlane {
  /** Base URL of the API server, without a slash at the end. */
  readonly serverUrl: string;
  readonly port: number;
  /** The administrator's kubeconfig; there once the API server has served. */
  readonly kubeconfigPath: string;
  /** A folder that goes when the plane stops, for kubeconfigs and the like. */
  readonly directory: string;
  /** PEM file of the API server's own certificate and its authority. */
  readonly caPath: string;
  readonly #setting: Setting;
  readonly #etcd: Component;
  readonly #apiServer: Component;
  readonly #controllerManager: Component;
  readonly #auditLog: AuditLog | undefined;
  readonly #proxies: FaultProxy[] = [];
  #formerControllerManager: string | undefined;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.port = setting.ports.apiServer;
    this.serverUrl = `https://127.0.0.1:${this.port}`;
    this.directory = setting.directory;
    this.caPath = join(setting.directory, "certs/apiserver.crt");
    this.kubeconfigPath = join(setting.directory, "admin.kubeconfig");
    this.#etcd = this.#component("etcd", etcdArguments(setting), () => this.#isEtcdReady());
    this.#apiServer = this.#component("kube-apiserver", apiServerArguments(setting), () => this.#isApiServerReady());
    this.#controllerManager = this.#component("kube-controller-manager", controllerManagerArguments(setting), () =>
      this.#isControllerManagerReady(),
    );
    if (setting.options.auditLog) this.#auditLog = new AuditLog(join(setting.logs, "audit.log"));
  }

  /** Called by `startControlPlane`. */
  async start(): Promise<void> {
    await this.#etcd.start();
    await this.startApiServer();
    if (this.#setting.options.controllerManager !== false) await this.startControllerManager();
  }

  /** Bearer token of a user of the token file. */
  tokenFor(user: User): string {
    return this.#setting.tokens[user];
  }

  /** Path of a kubeconfig for a user of the token file, or for any other bearer token (a ServiceAccount's, say). */
  kubeconfigFor(userOrToken: User | (string & {})): string {
    return this.#writeKubeconfig(userOrToken, { server: this.serverUrl, ca: readFileSync(this.caPath, "utf8") });
  }

  /** Runs kubectl as the administrator: `kubectl("apply", "-f", "-", { input })`. */
  kubectl(...args: KubectlArguments): Promise<KubectlResult> {
    const { binaries, directory } = this.#setting;
    return runKubectl(
      {
        program: binaries.kubectl,
        kubeconfigPath: this.kubeconfigPath,
        cacheDirectory: join(directory, "kubectl-cache"),
      },
      args,
    );
  }

  /** Runs kubectl with `-o json` and returns what it prints; the caller states its shape. */
  async kubectlJson<T = ApiObject>(...args: KubectlArguments): Promise<T> {
    const { stdout } = await this.kubectl("--output=json", ...args);
    return JSON.parse(stdout) as T;
  }

  /**
   * The requests that the API server has answered or, for watches, begun to answer, as its audit log tells them;
   * needs the option `auditLog`. Of one user where one is named, else of all but this method itself.
   */
  async requests(filter: { readonly user?: User | (string & {}) } = {}): Promise<readonly AuditedRequest[]> {
    const log = this.#auditLog;
    if (!log) throw new TestBedError("requests(): the control plane was started without the option auditLog");
    // The log is written in order, so what was answered before this request is there when its own line is.
    const marker = `/version?marker=${randomUUID()}`;
    await this.#get(marker);
    const all = await eventually("the audit log has caught up", () => {
      const requests = log.read();
      return requests.some(({ uri }) => uri === marker) && requests;
    });
    return all.filter(({ user, uri }) => !uri.startsWith("/version?marker=") && (filter.user ?? user) === user);
  }

  /** Starts a proxy that injects faults between its own kubeconfigs and this API server; ends with the plane. */
  async startFaultProxy(): Promise<FaultProxy> {
    const proxy = await startFaultProxy({ upstream: this.serverUrl, upstreamCa: readFileSync(this.caPath, "utf8") });
    this.#proxies.push(proxy);
    return proxy;
  }

  /** Path of a kubeconfig that goes through a proxy, for a user of the token file or another bearer token. */
  kubeconfigThrough(proxy: FaultProxy, userOrToken: User | (string & {}) = "admin"): string {
    return this.#writeKubeconfig(userOrToken, { server: proxy.url, ca: proxy.ca });
  }

  async startApiServer(): Promise<void> {
    await this.#apiServer.start();
    if (!existsSync(this.kubeconfigPath)) this.kubeconfigFor("admin");
  }

  /** Kills the API server, as a crash would, unless another signal is given. */
  async stopApiServer(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.#apiServer.stop(signal);
  }

  /** SIGSTOP makes the API server hang with its connections open, SIGCONT lets it go on. */
  signalApiServer(signal: NodeJS.Signals): void {
    this.#apiServer.signal(signal);
  }

  async startEtcd(): Promise<void> {
    await this.#etcd.start();
  }

  async stopEtcd(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.#etcd.stop(signal);
  }

  signalEtcd(signal: NodeJS.Signals): void {
    this.#etcd.signal(signal);
  }

  /** Until it leads. After a kill the old Lease has to run out first: 15 s, unless `controllerManagerFlags` say less. */
  async startControllerManager(): Promise<void> {
    this.kubeconfigFor("controller-manager");
    this.#formerControllerManager = await this.#controllerManagerHolder();
    await this.#controllerManager.start();
  }

  async stopControllerManager(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.#controllerManager.stop(signal);
  }

  /** Ends everything and removes the plane's folder, and its logs unless they are to be kept. */
  async stop(options: { readonly keepLogs?: boolean } = {}): Promise<void> {
    for (const proxy of this.#proxies) await proxy.stop();
    for (const component of [this.#controllerManager, this.#apiServer, this.#etcd]) await component.stop();
    await this.#setting.watchdog.release();
    if (!options.keepLogs) rmSync(this.#setting.logs, { recursive: true, force: true });
  }

  #component(
    name: "etcd" | "kube-apiserver" | "kube-controller-manager",
    args: readonly string[],
    isReady: () => Promise<boolean>,
  ): Component {
    const { binaries, logs, watchdog } = this.#setting;
    const logFile = join(logs, `${name}.log`);
    return new Component({ name, program: join(binaries.directory, name), args, logFile, watchdog, isReady });
  }

  async #isEtcdReady(): Promise<boolean> {
    return (await statusOf({ url: `http://127.0.0.1:${this.#setting.ports.etcd}/health` })) === 200;
  }

  async #isApiServerReady(): Promise<boolean> {
    // The server makes its certificate before it listens.
    if (!existsSync(this.caPath)) return false;
    const ca = readFileSync(this.caPath, "utf8");
    return (await statusOf({ url: `${this.serverUrl}/readyz`, ca, token: this.tokenFor("admin") })) === 200;
  }

  async #isControllerManagerReady(): Promise<boolean> {
    const holder = await this.#controllerManagerHolder();
    if (holder === undefined || holder === this.#formerControllerManager) return false;
    // Its controllers start after the Lease is theirs; tests that create Pods need this account.
    const account = await this.#get("/api/v1/namespaces/default/serviceaccounts/default").catch(() => undefined);
    return account?.status === 200;
  }

  /** Who holds the Lease of kube-controller-manager; each start of it has an identity of its own. */
  async #controllerManagerHolder(): Promise<string | undefined> {
    const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";
    const lease = await this.#get(path).catch(() => undefined);
    if (lease?.status !== 200) return undefined;
    const { spec } = JSON.parse(lease.body) as { readonly spec?: { readonly holderIdentity?: string } };
    return spec?.holderIdentity;
  }

  #get(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const ca = readFileSync(this.caPath, "utf8");
    return get({ url: `${this.serverUrl}${path}`, ca, token: this.tokenFor("admin") });
  }

  #writeKubeconfig(userOrToken: string, cluster: { readonly server: string; readonly ca: string }): string {
    const user = users.find((known) => known === userOrToken);
    const through = cluster.server === this.serverUrl ? "" : `-through-${new URL(cluster.server).port}`;
    const path = join(this.directory, `${user ?? `token-${randomUUID()}`}${through}.kubeconfig`);
    return writeKubeconfig({ path, ...cluster, token: user ? this.tokenFor(user) : userOrToken });
  }
}

function etcdArguments({ directory, ports, options }: Setting): readonly string[] {
  return [
    `--data-dir=${directory}/etcd`,
    `--listen-client-urls=http://127.0.0.1:${ports.etcd}`,
    `--advertise-client-urls=http://127.0.0.1:${ports.etcd}`,
    `--listen-peer-urls=http://127.0.0.1:${ports.etcdPeer}`,
    "--unsafe-no-fsync",
    "--log-level=warn",
    ...(options.etcdFlags ?? []),
  ];
}

function apiServerArguments({ directory, logs, ports, options }: Setting): readonly string[] {
  const audit = [
    `--audit-policy-file=${directory}/audit-policy.yaml`,
    `--audit-log-path=${logs}/audit.log`,
    "--audit-log-maxsize=4096", // MB: a rotated file would hide requests.
  ];
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    `--secure-port=${ports.apiServer}`,
    "--bind-address=127.0.0.1",
    `--cert-dir=${directory}/certs`,
    `--service-account-key-file=${directory}/service-account.pub`,
    `--service-account-signing-key-file=${directory}/service-account.key`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--token-auth-file=${directory}/tokens.csv`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--allow-privileged=true",
    ...(options.auditLog ? audit : []),
    ...(options.apiServerFlags ?? []),
  ];
}

function controllerManagerArguments({ directory, ports, options }: Setting): readonly string[] {
  return [
    `--kubeconfig=${directory}/controller-manager.kubeconfig`,
    `--service-account-private-key-file=${directory}/service-account.key`,
    `--root-ca-file=${directory}/certs/apiserver.crt`,
    "--leader-elect=true",
    `--secure-port=${ports.controllerManager}`,
    "--bind-address=127.0.0.1",
    `--cert-dir=${directory}/controller-manager-certs`,
    ...(options.controllerManagerFlags ?? []),
  ];
}
