import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  createLoopbackCertificate,
  describeWithControlPlane,
  eventually,
  repositoryRoot,
} from "../control-plane/index.ts";
import { Admin } from "../integration/addon-bed/index.ts";
import {
  BOTH_WEBHOOKS,
  collection,
  conditionOf,
  DEFAULT_OPERANDS,
  ENVIRONMENT,
  installDefinitions,
  pathTo,
} from "../integration/sriov-bed/index.ts";

const NAMESPACE = "sriov-e2e";
const PATIENT = { timeoutMs: 30_000 };

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

describeWithControlPlane("the built program's SR-IOV commands", (plane) => {
  let admin: Admin;
  let directory: string;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    if (!existsSync(join(repositoryRoot, "dist/keelson.js"))) throw new TypeError("not built: npm run build");
    directory = mkdtempSync(join(tmpdir(), "keelson-sriov-e2e-"));
    admin = await Admin.of(plane());
    await installDefinitions(plane());
    await plane().kubectl("create", "namespace", NAMESPACE);
  });
  afterAll(() => {
    admin.close();
    rmSync(directory, { recursive: true });
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  function start(program: string, args: readonly string[], environment: Readonly<Record<string, string>>): Started {
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: directory,
      KUBECONFIG: plane().kubeconfigFor("keelson"),
      ...environment,
    };
    const child = spawn(join(repositoryRoot, "bin", program), args, { env, cwd: directory });
    children.push(child);
    let output = "";
    child.stdout.on("data", (part: Buffer) => (output += part.toString()));
    child.stderr.on("data", (part: Buffer) => (output += part.toString()));
    const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
    return { child, output: () => output, ended };
  }

  it("keelson run --controllers sriov-operator-config makes the operands, is ready, and stops in good order", async () => {
    const environment = { ...ENVIRONMENT, NAMESPACE };
    const args = ["run", "--controllers", "sriov-operator-config", "--http-address", "127.0.0.1:0"];
    const daemon = start("keelson", args, environment);
    const config = {
      apiVersion: "sriovnetwork.openshift.io/v1",
      kind: "SriovOperatorConfig",
      metadata: { name: "default", namespace: NAMESPACE },
      spec: BOTH_WEBHOOKS,
    };

    await admin.create(collection("Config", NAMESPACE), config);

    const path = pathTo("Config", "default", NAMESPACE);
    await eventually(
      "it is ready",
      async () => {
        if (conditionOf(await admin.find(path), "Ready")?.status === "True") return true;
        throw new TypeError(daemon.output());
      },
      PATIENT,
    );
    const found = await Promise.all(DEFAULT_OPERANDS.map(([kind, name]) => admin.get(pathTo(kind, name, NAMESPACE))));
    expect(found.every((each) => each !== undefined)).toBe(true);
    const address = /Serving HTTP address=(\S+)/.exec(daemon.output())?.[1];
    await eventually(
      "its probe says so",
      async () => (await fetch(`http://${address}/readyz`)).status === 200,
      PATIENT,
    );

    await admin.delete(pathTo("DaemonSet", "sriov-device-plugin", NAMESPACE));
    await eventually(
      "what is deleted comes back",
      async () => (await admin.get(pathTo("DaemonSet", "sriov-device-plugin", NAMESPACE))) !== undefined,
      PATIENT,
    );

    daemon.child.kill("SIGTERM");
    expect(await daemon.ended).toBe(0);
    const webhooks = (await admin.find(pathTo("Validating", "sriov-operator-webhook-config", NAMESPACE))).webhooks;
    expect(webhooks.map(({ failurePolicy }: { failurePolicy: string }) => failurePolicy)).toEqual(["Ignore"]);
    expect(daemon.output()).not.toMatch(/^ERR/m);
    await admin.delete(pathTo("Validating", "sriov-operator-webhook-config", NAMESPACE));
    await admin.delete(pathTo("Mutating", "sriov-operator-webhook-config", NAMESPACE));
    await admin.delete(pathTo("Mutating", "network-resources-injector-config", NAMESPACE));
  });

  it.for([
    ["NAMESPACE", /NAMESPACE/],
    ["RESOURCE_PREFIX", /RESOURCE_PREFIX/],
  ] as const)("keelson run does not start without %s, and names it", async ([name, named]) => {
    const daemon = start("keelson", ["run", "--controllers", "sriov-operator-config"], {
      ...ENVIRONMENT,
      NAMESPACE,
      [name]: "",
    });

    expect(await daemon.ended).toBe(2);
    expect(daemon.output()).toMatch(named);
  });

  it.for([
    ["keelson", ["sriov-webhook"]],
    ["webhook", ["start", "--alsologtostderr=true", "--v=3"]],
  ] as const)(
    "%s %j is asked by the API server over TLS, and takes a new certificate without a restart",
    async ([program, words]) => {
      const nics = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "supported-nic-ids" },
        data: { X710: "8086 1572 154c" },
      };
      await admin.apply(`/api/v1/namespaces/${NAMESPACE}/configmaps/supported-nic-ids`, nics, "test");
      const first = createLoopbackCertificate();
      const [certFile, keyFile] = [join(directory, `${program}.crt`), join(directory, `${program}.key`)];
      writeFileSync(certFile, first.certificate);
      writeFileSync(keyFile, first.key);
      const flags = ["--port=0", `--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`];
      const server = start(program, [...words, ...flags], { NAMESPACE });
      const port = await eventually(
        "it says where it serves",
        () => {
          const named = /reviews on port (\d+)/.exec(server.output())?.[1];
          if (named === undefined) throw new TypeError(server.output());
          return named;
        },
        PATIENT,
      );
      const other = {
        apiVersion: "sriovnetwork.openshift.io/v1",
        kind: "SriovOperatorConfig",
        metadata: { name: "other", namespace: NAMESPACE },
        spec: {},
      };
      const register = (ca: string): Promise<unknown> =>
        admin.apply(
          "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/e2e",
          registration(port, ca),
          "test",
        );

      await register(first.certificate);
      await expectDenied(other);
      expect(await fingerprintOf(port)).toBe(await fingerprintOfText(first.certificate));

      const second = createLoopbackCertificate();
      for (const [path, text] of [
        [keyFile, second.key],
        [certFile, second.certificate],
      ] as const) {
        writeFileSync(`${path}.new`, text);
        renameSync(`${path}.new`, path);
      }
      const wanted = await fingerprintOfText(second.certificate);
      await eventually("the new certificate is served", async () => (await fingerprintOf(port)) === wanted, PATIENT);
      await register(second.certificate);
      await expectDenied(other);
      server.child.kill("SIGTERM");
      expect(await server.ended).toBe(0);
      await admin.delete("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/e2e");
    },
  );

  /** The registration reaches the API server's admission a moment later; a config of another name is refused by then. */
  async function expectDenied(config: object): Promise<void> {
    const told = await eventually(
      "a config of another name is refused",
      async () => {
        const denied = await admin.create(`${collection("Config", NAMESPACE)}`, config).then(
          () => undefined,
          (error: unknown) => String(error),
        );
        if (denied?.includes("denied the request")) return denied;
        await admin.delete(pathTo("Config", "other", NAMESPACE));
        throw new TypeError(`it was not: ${denied}`);
      },
      PATIENT,
    );
    expect(told).toContain("default");
  }
});

function registration(port: string, ca: string): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "e2e" },
    webhooks: [
      {
        name: "e2e.sriovnetwork.openshift.io",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Fail",
        clientConfig: {
          url: `https://127.0.0.1:${port}/validating-custom-resource`,
          caBundle: Buffer.from(ca).toString("base64"),
        },
        rules: [
          {
            apiGroups: ["sriovnetwork.openshift.io"],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["sriovoperatorconfigs"],
          },
        ],
      },
    ],
  };
}

/** Of the certificate that is served; whom to trust is the API server's part. */
function fingerprintOf(port: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

async function fingerprintOfText(pem: string): Promise<string> {
  const { X509Certificate } = await import("node:crypto");
  return new X509Certificate(pem).fingerprint256;
}
