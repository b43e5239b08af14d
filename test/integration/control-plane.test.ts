import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeWithControlPlane, eventually, findBinaries, repositoryRoot } from "../control-plane/index.ts";

const configMap = (name: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { key: "value" } });

describeWithControlPlane(
  "the control plane of the tests",
  (plane) => {
    it("has the namespaces and ServiceAccounts of a cluster", async () => {
      const namespaces = await plane().kubectlJson<{ items: { metadata: { name: string } }[] }>("get", "namespaces");
      const account = await plane().kubectlJson("get", "serviceaccount", "default", "--namespace=default");

      expect(namespaces.items.map(({ metadata }) => metadata.name)).toEqual(
        expect.arrayContaining(["default", "kube-system", "kube-public", "kube-node-lease"]),
      );
      expect(account.kind).toBe("ServiceAccount");
    });

    it("has the Lease of a real kube-controller-manager", async () => {
      const lease = await plane().kubectlJson("get", "lease", "kube-controller-manager", "--namespace=kube-system");

      expect(lease.spec).toMatchObject({ holderIdentity: expect.stringMatching(/.+_.+/) });
    });

    it("creates the default ServiceAccount of a new namespace, and finishes its deletion", async () => {
      await plane().kubectl("create", "namespace", "fresh");
      await eventually("the account is there", async () => {
        const { exitCode } = await plane().kubectl("get", "sa", "default", "-n", "fresh", { check: false });
        return exitCode === 0;
      });

      await plane().kubectl("delete", "namespace", "fresh", "--timeout=60s");

      const { exitCode, stderr } = await plane().kubectl("get", "namespace", "fresh", { check: false });
      expect(exitCode).toBe(1);
      expect(stderr).toContain("NotFound");
    });

    it("reports the version that it was built from", async () => {
      const version = JSON.parse((await plane().kubectl("get", "--raw=/version")).stdout) as { gitVersion: string };

      expect(version.gitVersion).toMatch(/^v1\.\d+\.\d+$/);
    });

    it("reads standard input and throws with kubectl's own message", async () => {
      await plane().kubectl("apply", "-f", "-", { input: configMap("from-input") });

      expect((await plane().kubectlJson("get", "configmap", "from-input")).data).toEqual({ key: "value" });
      await expect(plane().kubectl("get", "configmap", "absent")).rejects.toThrow(/"absent" not found/);
    });

    it("gives the unprivileged user nothing, and a ServiceAccount's token its own identity", async () => {
      const nobody = plane().kubeconfigFor("someone");
      const refused = await plane().kubectl("get", "pods", { check: false, kubeconfigPath: nobody });
      const { stdout: token } = await plane().kubectl("create", "token", "default");
      const account = plane().kubeconfigFor(token.trim());
      const { stdout: identity } = await plane().kubectl("auth", "whoami", { kubeconfigPath: account });

      expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Forbidden") });
      expect(identity).toContain("system:serviceaccount:default:default");
    });

    it("counts the requests of one user exactly", async () => {
      const own = plane().kubeconfigFor("keelson");
      await plane().kubectl("get", "--raw=/healthz", { kubeconfigPath: plane().kubeconfigFor("admin") });
      const before = (await plane().requests({ user: "keelson" })).length;

      for (let index = 0; index < 5; index += 1) {
        await plane().kubectl("get", "--raw=/api/v1/namespaces/default/configmaps/none?count=1", {
          check: false,
          kubeconfigPath: own,
        });
      }

      const made = (await plane().requests({ user: "keelson" })).slice(before);
      expect(made).toHaveLength(5);
      expect(made[0]).toMatchObject({
        verb: "get",
        group: "",
        resource: "configmaps",
        namespace: "default",
        name: "none",
        uri: "/api/v1/namespaces/default/configmaps/none?count=1",
        code: 404,
        user: "keelson",
        isComplete: true,
      });
    });

    it("counts a watch once, from its first answer on", async () => {
      const open = new AbortController();
      const watch = request(`${plane().serverUrl}/api/v1/namespaces/default/secrets?watch=true`, {
        ca: readFileSync(plane().caPath),
        headers: { authorization: `Bearer ${plane().tokenFor("keelson")}` },
        signal: open.signal,
      });
      watch.on("error", () => undefined).end();
      const watches = async () => (await plane().requests()).filter(({ uri }) => uri.includes("/secrets?watch"));

      await eventually("the watch shows", async () => (await watches()).some(({ isComplete }) => !isComplete));
      open.abort();

      await eventually("its end shows", async () => (await watches()).every(({ isComplete }) => isComplete));
      expect(await watches()).toHaveLength(1);
    });

    it("keeps what was written when the API server is killed and comes back on its port", async () => {
      await plane().kubectl("apply", "-f", "-", { input: configMap("survivor") });
      const { metadata } = await plane().kubectlJson("get", "configmap", "survivor");

      await plane().stopApiServer();
      const down = await plane().kubectl("get", "configmap", "survivor", { check: false });
      await plane().startApiServer();

      expect(down.stderr).toContain("refused");
      expect((await plane().kubectlJson("get", "configmap", "survivor")).metadata.uid).toBe(metadata.uid);
      expect((await plane().requests()).some(({ name, verb }) => name === "survivor" && verb === "get")).toBe(true);
    });

    it("keeps what was written when etcd is killed and comes back", async () => {
      await plane().kubectl("apply", "-f", "-", { input: configMap("stored") });

      await plane().stopEtcd();
      await plane().startEtcd();

      await eventually("the API server has found etcd again", async () => {
        const { stdout } = await plane().kubectl("get", "configmap", "stored", "-o", "name", { check: false });
        return stdout.trim() === "configmap/stored";
      });
    });

    it("hands the Lease to the next kube-controller-manager", async () => {
      const holder = async () => {
        const lease = await plane().kubectlJson("get", "lease", "kube-controller-manager", "--namespace=kube-system");
        return (lease.spec as { holderIdentity: string }).holderIdentity;
      };
      const former = await holder();

      await plane().stopControllerManager();
      await plane().startControllerManager();

      expect(await holder()).not.toBe(former);
    });

    it("injects faults between kubectl and the API server, and counts what it passes on", async () => {
      const proxy = await plane().startFaultProxy();
      const through = plane().kubeconfigThrough(proxy, "keelson");
      const throttle = proxy.addFault(
        { method: "PATCH", path: /\/configmaps\/throttled$/, times: 1 },
        { kind: "respond", status: 429, headers: { "retry-after": "1" } },
      );
      const apply = ["apply", "--server-side", "--validate=false", "-f", "-"] as const;

      await plane().kubectl(...apply, { input: configMap("throttled"), kubeconfigPath: through });

      const patches = proxy.requests().filter(({ method }) => method === "PATCH");
      expect(throttle.hits).toBe(1);
      expect(patches).toHaveLength(2);
      expect(patches[0]?.contentType).toBe("application/apply-patch+yaml");
      const audited = (await plane().requests({ user: "keelson" })).filter(({ name }) => name === "throttled");
      expect(audited.filter(({ verb }) => verb === "patch").map(({ code }) => code)).toEqual([201]);
    });
  },
  { auditLog: true, controllerManagerFlags: ["--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s"] },
);

describe.skipIf(findBinaries().kind !== "ready")("tools/control-plane/start", () => {
  async function startProgram(...args: string[]) {
    const program = spawn(join(repositoryRoot, "tools/control-plane/start"), args, {
      stdio: ["pipe", "pipe", "ignore"],
    });
    let output = "";
    program.stdout.on("data", (chunk) => {
      output += String(chunk);
    });
    const exited = new Promise<number | null>((resolve) => {
      program.once("exit", (code) => resolve(code));
    });
    const kubeconfig = await eventually("it prints the kubeconfig", () => /^KUBECONFIG=(.+)$/m.exec(output)?.[1], {
      timeoutMs: 60_000,
    });
    return { program, exited, kubeconfig, server: /server: (.+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "" };
  }

  const isServing = (server: string): Promise<boolean> =>
    new Promise((resolve) => {
      const probe = request(server, { rejectUnauthorized: false }, (answer) => resolve(answer.resume() !== undefined));
      probe.once("error", () => resolve(false)).end();
    });

  it("serves until it is told to end, and leaves nothing", async () => {
    const { program, exited, kubeconfig, server } = await startProgram("--no-controller-manager");
    expect(await isServing(server)).toBe(true);

    program.kill("SIGINT");

    expect(await exited).toBe(0);
    expect(await isServing(server)).toBe(false);
    expect(existsSync(kubeconfig)).toBe(false);
  });

  it("leaves nothing but its logs when it is killed", async () => {
    const { program, kubeconfig, server } = await startProgram("--no-controller-manager");

    program.kill("SIGKILL");

    await eventually("the API server is gone", async () => !(await isServing(server)));
    await eventually("its folder is gone", () => !existsSync(kubeconfig));
    rmSync(join(repositoryRoot, `test-logs/start-${program.pid}`), { recursive: true });
  });

  it("ends with its standard input where it is asked to", async () => {
    const { program, exited, server } = await startProgram("--no-controller-manager", "--until-stdin-ends");

    program.stdin.end();

    expect(await exited).toBe(0);
    expect(await isServing(server)).toBe(false);
  });
});
