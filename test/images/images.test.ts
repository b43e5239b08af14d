import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLoopbackCertificate, describeWithControlPlane, eventually } from "../control-plane/index.ts";
import {
  ARCHITECTURES,
  type Architecture,
  buildByDockerfile,
  type Container,
  enter,
  freePort,
  listing,
  mustRun,
  obstacle,
  pull,
  Registry,
  run,
  unpack,
} from "./bed.ts";

interface Sbom {
  readonly spdxVersion: string;
  readonly packages: readonly {
    readonly name: string;
    readonly versionInfo?: string;
    readonly externalRefs: readonly { readonly referenceLocator: string }[];
  }[];
}

const reason = await obstacle();
if (reason !== undefined) process.stderr.write(`\n*** SKIPPED: the images: ${reason} ***\n\n`);

const version = (await mustRun("make", ["-s", "print-version"])).trim();
// One date for all builds, whatever is committed meanwhile.
const date = (await mustRun("git", ["log", "-1", "--format=%ct"])).trim();
const SIZE_BAR = 60e6;

describe.skipIf(reason !== undefined)(`the images (${reason ?? "built here"})`, () => {
  let work: string;
  let registry: Registry;
  let repository: string;
  let missing: readonly string[] = [];
  const containers = new Map<string, Promise<Container>>();
  const children: ChildProcess[] = [];

  /** Each image is pulled and unpacked once. */
  const container = (name: string, architecture: Architecture): Promise<Container> => {
    const reference = `${repository}/${name}:${version}`;
    const folder = join(work, "roots", `${name}-${architecture.name}`);
    const known = containers.get(folder) ?? pull(reference, architecture, folder);
    containers.set(folder, known);
    return known;
  };
  const named = (name: string): Architecture => ARCHITECTURES.find((known) => known.name === name)!;
  const runIn = (image: Container, command: readonly string[], options: Parameters<typeof enter>[2] = {}) =>
    run(...enter(image, command, options), { timeoutMs: 120_000 });

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "keelson-images-"));
    mkdirSync(join(work, "roots"));
    registry = await Registry.start();
    repository = `${registry.address}/project`;
    const env = { KEELSON_IMAGES: join(work, "images"), SOURCE_DATE_EPOCH: date };
    const { exitCode, stdout, stderr } = await run("make", ["-s", "push-all", `REGISTRY=${repository}`], {
      env,
      timeoutMs: 1_500_000,
    });
    process.stdout.write(`${stdout}\n`);
    // Packages that are nowhere served are the mirror's fault, not the build's; the build must say so, though.
    missing = / without: (.*)/.exec(stderr)?.[1]?.split(" ") ?? [];
    if (exitCode !== 0 && missing.length === 0) expect({ exitCode, stdout, stderr }).toBe("built and pushed");
  }, 1_600_000);

  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
    registry.stop();
    rmSync(work, { recursive: true, force: true });
  });

  describe.each(ARCHITECTURES)("for $name", (architecture) => {
    const { name } = architecture;
    const builtHere = (skip: (note: string) => void) => {
      if (missing.includes(name)) skip(`${name} is not built: packages are not served`);
    };

    it("run the program under the original's name", async ({ skip }) => {
      builtHere(skip);
      const image = await container(`kube-addon-manager-${name}`, architecture);

      const printed = await runIn(image, ["/usr/bin/node", "/usr/bin/keelson", "version"]);
      const bash = await runIn(image, ["/bin/bash", "-c", "echo $BASH_VERSION"]);

      expect(printed.stdout).toMatch(`keelson ${version.slice(1)} (node v20.`);
      expect(printed.stdout).toMatch(`linux/${architecture.node})`);
      expect(bash.stdout).toMatch(/^5\./);
      expect(image.image).toMatchObject({
        architecture: architecture.platform[0],
        config: { Cmd: ["/opt/kube-addons-main.sh"] },
      });
      expect(existsSync(join(image.root, "opt/kube-addons-main.sh"))).toBe(true);
    });

    it("are what the index resolves to, without root and shell, and small", async ({ skip }) => {
      builtHere(skip);
      const image = await container("keelson", architecture);
      const layout = `oci:${join(work, `images/keelson-${name}`)}`;

      const printed = await runIn(image, [...(image.image.config.Entrypoint ?? []), "version"]);
      const programs = readdirSync(join(image.root, "usr/bin")).sort();

      expect(printed.stdout).toMatch(`linux/${architecture.node})`);
      expect(image.image.architecture).toBe(architecture.platform[0]);
      expect(image.digest).toBe((await mustRun("skopeo", ["inspect", "--format", "{{.Digest}}", layout])).trim());
      expect(image.image.config.User).toBe("65532:65532");
      expect(programs).toEqual(["keelson", "kubectl-keelson", "node", "webhook"]);
      expect(image.compressedBytes).toBeLessThan(SIZE_BAR);
    });

    it.for(["keelson", "kube-addon-manager"])("list what is in %s, no more and no less", async (image, { skip }) => {
      builtHere(skip);
      const { root } = await container(image === "keelson" ? image : `${image}-${name}`, architecture);
      const sbom = JSON.parse(readFileSync(join(root, `usr/share/sbom/${image}.spdx.json`), "utf8")) as Sbom;
      // Debian's Node.js is a small program that uses a library; npm's is all in one.
      const isDebians = statSync(join(root, "usr/bin/node")).size < 1e6;

      expect(sbom.spdxVersion).toBe("SPDX-2.3");
      const listed = (type: string) =>
        sbom.packages
          .filter(({ externalRefs: [reference] }) => reference?.referenceLocator.startsWith(`pkg:${type}/`))
          .map((part) => part.name)
          .sort();
      expect(listed("deb")).toEqual(readdirSync(join(root, "var/lib/dpkg/status.d")).sort());
      expect(listed("deb").includes("bash")).toBe(existsSync(join(root, "usr/bin/bash")));
      expect(listed("npm")).toEqual(expect.arrayContaining(["keelson", "js-yaml"]));
      expect(listed("npm").some((part) => part.startsWith("node-linux-"))).toBe(!isDebians);
      expect(sbom.packages.filter(({ versionInfo }) => !versionInfo)).toEqual([]);
    });
  });

  it("have amd64 under the name without an architecture too", async () => {
    const legacy = await container("kube-addon-manager", named("amd64"));
    const amd64 = await container("kube-addon-manager-amd64", named("amd64"));

    expect(legacy.digest).toBe(amd64.digest);
  });

  it("have the same digest when they are built again, elsewhere and under another umask", async () => {
    const again = mkdtempSync(join(work, "again-"));
    const env = { KEELSON_IMAGES: again, TMPDIR: again, VERSION: version, SOURCE_DATE_EPOCH: date };
    await mustRun("sh", ["-c", "umask 077; exec image/build arm"], env);

    const digests = (folder: string) =>
      Promise.all(
        ["keelson-arm", "kube-addon-manager-arm"].map((name) =>
          mustRun("skopeo", ["inspect", "--format", "{{.Digest}}", `oci:${join(folder, name)}`]),
        ),
      );
    expect(await digests(again)).toEqual(await digests(join(work, "images")));
  }, 300_000);

  it("are made with the same files by the Dockerfile alone", async () => {
    const image = await container("keelson", named("arm"));
    const again = join(work, "roots/by-dockerfile");
    await buildByDockerfile({
      target: "keelson",
      architecture: named("arm"),
      date,
      work: mkdtempSync(join(work, "dockerfile-")),
      layout: `${again}.oci`,
    });
    const { root } = await unpack(again, named("arm"));

    expect(await listing(root)).toBe(await listing(image.root));
  }, 600_000);

  it("serve the webhook of the SR-IOV operator by its own command line", async () => {
    const image = await container("keelson", named("amd64"));
    const { key, certificate } = createLoopbackCertificate();
    mkdirSync(join(image.root, "run/tls"));
    writeFileSync(join(image.root, "run/tls/key"), key);
    writeFileSync(join(image.root, "run/tls/cert"), certificate);
    const files = ["--tls-cert-file=/run/tls/cert", "--tls-private-key-file=/run/tls/key"];

    const refused = await runIn(image, ["/usr/bin/webhook", "stop"]);
    const unknown = await runIn(image, [
      "/usr/bin/webhook",
      "start",
      ...files,
      "--alsologtostderr=true",
      "--v=3",
      "--no-such-flag",
    ]);

    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("webhook start --port=PORT") });
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--no-such-flag") });
  });

  describeWithControlPlane("on a control plane", (plane) => {
    const directory = (image: Container): string => {
      const folder = join(image.root, "etc/kubernetes/addons");
      cpSync(plane().kubeconfigFor("keelson"), join(image.root, "run/kubeconfig"));
      return folder;
    };
    const manifest = (name: string) => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: default
  labels: {addonmanager.kubernetes.io/mode: Reconcile}
data: {from: ${name}}
`;

    it.for(ARCHITECTURES)(
      "apply a directory in one pass on $name",
      { timeout: 240_000 },
      async (architecture, { skip }) => {
        const { name } = architecture;
        if (missing.includes(name)) skip(`${name} is not built: packages are not served`);
        const image = await container(`kube-addon-manager-${name}`, architecture);
        writeFileSync(join(directory(image), "it.yaml"), manifest(`applied-on-${name}`));
        const flags = ["--kubeconfig", "/run/kubeconfig", "--no-prune", "--force-leader"];

        const { stdout, stderr, exitCode } = await runIn(image, [
          "/usr/bin/node",
          "/usr/bin/keelson",
          "apply",
          ...flags,
        ]);

        expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0 });
        expect((await plane().kubectlJson("get", "configmap", `applied-on-${name}`)).data).toEqual({
          from: `applied-on-${name}`,
        });
        rmSync(join(image.root, "etc/kubernetes/addons/it.yaml"));
      },
    );

    it("run as the manifest of the original starts them", async () => {
      const image = await container("kube-addon-manager-amd64", named("amd64"));
      writeFileSync(join(directory(image), "it.yaml"), manifest("started-by-the-original"));
      const command = "exec /opt/kube-addons-main.sh 1>>/var/log/kube-addon-manager.log 2>&1";
      const env = [
        "KUBECONFIG=/run/kubeconfig",
        "ADDON_MANAGER_LEADER_ELECTION=false",
        "KEELSON_HTTP_ADDRESS=127.0.0.1:0",
      ];

      const [unshare, args] = enter(image, ["/bin/bash", "-c", command], { writable: true, env });
      const daemon = spawn(unshare, args, { stdio: "ignore" });
      children.push(daemon);

      await eventually(
        "the object is there",
        () => plane().kubectlJson("get", "configmap", "started-by-the-original"),
        { timeoutMs: 60_000 },
      );
      expect(readFileSync(join(image.root, "var/log/kube-addon-manager.log"), "utf8")).toContain(
        "addon manager started",
      );
      daemon.kill("SIGTERM");
    }, 120_000);

    it("serve the operator's webhook without root", async () => {
      const image = await container("keelson", named("amd64"));
      const { key, certificate } = createLoopbackCertificate();
      mkdirSync(join(image.root, "run/serving"));
      writeFileSync(join(image.root, "run/serving/key"), key);
      writeFileSync(join(image.root, "run/serving/cert"), certificate);
      directory(image);
      await mustRun("chmod", ["0644", join(image.root, "run/kubeconfig")]);
      await plane().kubectl("create", "namespace", "operator");
      const known = "--from-literal=Intel_X710=8086 1572 154c";
      await plane().kubectl("create", "configmap", "supported-nic-ids", "--namespace=operator", known);
      const port = await freePort();
      // The words and the environment of the operator's own DaemonSet.
      const words = ["start", `--port=${port}`, "--alsologtostderr=true", "--v=3"];
      const files = ["--tls-cert-file=/run/serving/cert", "--tls-private-key-file=/run/serving/key"];
      const env = ["NAMESPACE=operator", "KUBECONFIG=/run/kubeconfig"];

      const [unshare, args] = enter(image, ["/usr/bin/webhook", ...words, ...files], { env });
      const webhook = spawn(unshare, args, { stdio: "ignore" });
      children.push(webhook);

      const ready = () =>
        new Promise<number | undefined>((resolve, reject) => {
          const url = `https://127.0.0.1:${port}/readyz`;
          get(url, { ca: certificate, agent: false }, (answer) => resolve(answer.resume().statusCode)).on(
            "error",
            reject,
          );
        });
      expect(await eventually("the webhook answers", ready, { timeoutMs: 60_000 })).toBe(200);
      webhook.kill("SIGTERM");
    }, 120_000);

    it("run without root, shell and a writable file", async () => {
      const image = await container("keelson", named("amd64"));
      writeFileSync(join(directory(image), "it.yaml"), manifest("started-without-root"));
      await mustRun("chmod", ["0644", join(image.root, "run/kubeconfig")]);
      const { Entrypoint = [], Cmd = [] } = image.image.config;
      const flags = ["--kubeconfig", "/run/kubeconfig", "--http-address", "127.0.0.1:0", "--leader-elect", "false"];

      const [unshare, args] = enter(image, [...Entrypoint, ...Cmd, ...flags]);
      let output = "";
      const daemon = spawn(unshare, args);
      for (const stream of [daemon.stdout, daemon.stderr])
        stream.on("data", (part: Buffer) => (output += part.toString()));
      children.push(daemon);

      await eventually(
        "the object is there",
        async () => {
          if (daemon.exitCode !== null) throw new TypeError(`the daemon has ended: ${output}`);
          return plane().kubectlJson("get", "configmap", "started-without-root");
        },
        { timeoutMs: 60_000 },
      );
      daemon.kill("SIGTERM");
    }, 120_000);
  });
});
