import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, type TestContext } from "vitest";
import { type ApiServer, startApiServer } from "../../../src/apiserver/index.ts";
import {
  type ControlPlane,
  type ControlPlaneOptions,
  describeWithControlPlane,
  findBinaries,
  runKubectl,
  TestBedError,
} from "../../control-plane/index.ts";
import { RecordingProxy } from "./recording-proxy.ts";

/** What the addon tests need of a cluster: both API servers have it. */
export type Plane = Pick<
  ControlPlane,
  "kubeconfigFor" | "kubeconfigThrough" | "kubectl" | "requests" | "startFaultProxy"
>;

const USERS = ["admin", "keelson"] as const;

/**
 * As `describeWithControlPlane`; where no control plane can be built, and with KEELSON_API_SERVER=embedded, the suite runs
 * on the embedded API server (with kubectl, which some tests play somebody else with).
 */
export function describeWithApiServer(
  name: string,
  declare: (plane: () => Plane) => void,
  options: ControlPlaneOptions = {},
): void {
  const isAsked = process.env.KEELSON_API_SERVER === "embedded";
  const isNeeded = findBinaries().kind === "impossible" && process.env.CI !== "true";
  if (!(isAsked || isNeeded) || !hasKubectl()) {
    describeWithControlPlane(name, declare, options);
    return;
  }
  describe(`${name} (on the embedded API server)`, () => {
    let plane: EmbeddedPlane | undefined;
    beforeAll(async () => {
      plane = await startEmbeddedPlane();
    });
    afterAll(() => plane?.stop());
    declare(() => {
      if (plane === undefined) throw new TestBedError("the API server is there within hooks and tests only");
      return plane;
    });
  });
}

/** Skips a test, or those of a `beforeEach`, that need what the embedded API server does not do: `why`. */
export function skipWhereEmbedded(context: TestContext, plane: Plane, why: string): void {
  if (plane instanceof EmbeddedPlane) context.skip(`the embedded API server ${why}`);
}

function hasKubectl(): boolean {
  return spawnSync(kubectlProgram(), ["version", "--client"]).status === 0;
}

function kubectlProgram(): string {
  const found = findBinaries();
  return found.kind === "ready" ? found.binaries.kubectl : "kubectl";
}

class EmbeddedPlane implements Plane {
  readonly #directory: string;
  readonly #server: ApiServer;
  readonly #proxies: ReadonlyMap<string, RecordingProxy>;

  constructor(directory: string, server: ApiServer, proxies: ReadonlyMap<string, RecordingProxy>) {
    this.#directory = directory;
    this.#server = server;
    this.#proxies = proxies;
  }

  kubeconfigFor(user: string): string {
    if (!this.#proxies.has(user)) throw new TestBedError(`${user}: the embedded API server has no such user`);
    return join(this.#directory, user);
  }

  kubectl(...args: Parameters<ControlPlane["kubectl"]>): ReturnType<ControlPlane["kubectl"]> {
    const cacheDirectory = join(this.#directory, "cache");
    return runKubectl({ program: kubectlProgram(), kubeconfigPath: this.kubeconfigFor("admin"), cacheDirectory }, args);
  }

  kubeconfigThrough(): never {
    throw new TestBedError("the embedded API server has no fault proxy");
  }

  async startFaultProxy(): Promise<never> {
    throw new TestBedError("the embedded API server has no fault proxy");
  }

  async requests({ user }: { readonly user?: string } = {}): ReturnType<ControlPlane["requests"]> {
    const proxies = [...this.#proxies].filter(([name]) => user === undefined || name === user);
    return proxies.flatMap(([, { requests }]) => requests);
  }

  async stop(): Promise<void> {
    for (const proxy of this.#proxies.values()) proxy.close();
    await this.#server.close();
    rmSync(this.#directory, { recursive: true });
  }
}

async function startEmbeddedPlane(): Promise<EmbeddedPlane> {
  const directory = mkdtempSync(join(tmpdir(), "keelson-embedded-"));
  const server = await startApiServer();
  const proxies = new Map<string, RecordingProxy>();
  for (const user of USERS) {
    const proxy = new RecordingProxy(server.url, user);
    writeFileSync(join(directory, user), server.kubeconfig.replace(server.url, await proxy.listen()));
    proxies.set(user, proxy);
  }
  return new EmbeddedPlane(directory, server, proxies);
}
