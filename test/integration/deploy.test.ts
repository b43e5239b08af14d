import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildPeer } from "../../bench/build-peer.ts";
import { SETTINGS } from "../../src/daemon/index.ts";
import { loadText, type ManifestObject } from "../../src/manifest/index.ts";
import { parseJson } from "../../src/object/index.ts";
import { describeWithControlPlane, repositoryRoot } from "../control-plane/index.ts";

const deploy = (path: string): string => join(repositoryRoot, "deploy", path);
const read = (path: string): string => readFileSync(deploy(path), "utf8");
const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as { version: string };

const PODS = ["static-pod/kube-addon-manager.yaml", "base/deployment.yaml", "sriov/deployment.yaml"] as const;
const CHARTS = [
  { chart: "charts/keelson", base: "base", namespace: "kube-system" },
  { chart: "charts/keelson-sriov", base: "sriov", namespace: "sriov-network-operator" },
] as const;

function objectsOf(text: string): readonly ManifestObject[] {
  const { objects, problems } = loadText(text, "rendered.yaml");
  expect(problems).toEqual([]);
  return objects;
}

/** By identity, so that the order of documents does not count. */
function byIdentity(text: string): ReadonlyMap<string, unknown> {
  return new Map(
    objectsOf(text).map(({ kind, namespace, name, body }) => [`${kind} ${namespace} ${name}`, parseJson(body)]),
  );
}

const helm = buildPeer("helm");

function template(chart: string, namespace: string, ...flags: readonly string[]): string {
  if (helm.kind === "missing") throw new TypeError(helm.why);
  const args = ["template", "keelson", deploy(chart), "--namespace", namespace, ...flags];
  return execFileSync(helm.path, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

describe("deploy", () => {
  it.each(PODS)("%s names this version, flags that there are, and probes that are served", (path) => {
    const text = read(path);
    const flags = [...text.matchAll(/^ +- (--[a-z-]+)=/gm)].map(([, flag]) => flag);
    const known = Object.values(SETTINGS).map(({ flag }) => flag);

    expect([...text.matchAll(/keelson:(\S+)$/gm)].map(([, tag]) => tag)).toEqual(
      Array(path.startsWith("sriov") ? 2 : 1).fill(`v${version}`),
    );
    expect(flags.length).toBeGreaterThan(0);
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
    expect([...text.matchAll(/path: (\/(?:livez|readyz))/g)].map(([, probe]) => probe)).toEqual(["/livez", "/readyz"]);
    // Beyond loopback everything is served with TLS.
    const isExposed = text.includes("--http-address=:");
    expect([...text.matchAll(/scheme: HTTPS/g)]).toHaveLength(isExposed ? 2 : 0);
  });

  it.each(CHARTS)("$chart has this version", ({ chart }) => {
    const text = read(`${chart}/Chart.yaml`);

    expect([...text.matchAll(/^(?:version|appVersion): (.+)$/gm)].map(([, found]) => found)).toEqual([
      version,
      `v${version}`,
    ]);
  });

  // Copies, not a link: archives and some checkouts lose links.
  it("has the same definitions in the chart as beside it", () => {
    const definitions = (folder: string): readonly (readonly [string, string])[] =>
      readdirSync(deploy(folder)).map((name) => [name, read(`${folder}/${name}`)]);

    expect(definitions("charts/keelson-sriov/crds")).toEqual(definitions("crds"));
  });

  it.skipIf(helm.kind === "missing").each(CHARTS)(
    `$chart passes helm's lint${helm.kind === "missing" ? ` (skipped: ${helm.why})` : ""}`,
    ({ chart }) => {
      if (helm.kind === "missing") return;
      const out = execFileSync(helm.path, ["lint", "--strict", deploy(chart)], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });

      expect(out).toContain("0 chart(s) failed");
    },
  );
});

describeWithControlPlane("deploy on an API server", (plane) => {
  let rendered: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const kustomize = async (path: string): Promise<string> =>
      (await plane().kubectl("kustomize", deploy(path))).stdout;
    rendered = { base: await kustomize("base"), sriov: await kustomize("sriov") };
    // What violates the strictest level of Pod security is answered with a warning.
    await plane().kubectl("label", "namespace", "kube-system", "pod-security.kubernetes.io/warn=restricted");
    await plane().kubectl("create", "namespace", "sriov-network-operator");
    await plane().kubectl("label", "namespace", "sriov-network-operator", "pod-security.kubernetes.io/warn=restricted");
  });

  async function dryRun(text: string): Promise<void> {
    const { stdout, stderr } = await plane().kubectl("apply", "--server-side", "--dry-run=server", "-f", "-", {
      input: text,
    });

    expect(stdout.trim().split("\n")).toHaveLength(objectsOf(text).length);
    expect(stderr).toBe("");
  }

  it.each(["base", "sriov"])("takes the kustomization %s, without a warning of Pod security", async (path) => {
    await dryRun(rendered[path] ?? "");
  });

  it("takes the definitions", async () => {
    const { stdout } = await plane().kubectl("apply", "--server-side", "--dry-run=server", "-f", deploy("crds"));

    expect(stdout.match(/serverside-applied/g)).toHaveLength(3);
  });

  it("takes the static pod, whose host paths and root user alone are beyond the strictest level", async () => {
    const { stderr } = await plane().kubectl("apply", "--server-side", "--dry-run=server", "-f", deploy(PODS[0]));

    const complaints = stderr.replace(/^.*restricted:latest": /, "").split(/, (?=[a-z]+ |unrest|run)/);
    expect(complaints.map((each) => each.split(/[ =]/)[0])).toEqual([
      "host",
      "probe",
      "restricted",
      "runAsNonRoot",
      "runAsUser",
    ]);
  });

  it.skipIf(helm.kind === "missing").each(CHARTS)(
    `renders $chart to the objects of $base, which the API server takes${helm.kind === "missing" ? ` (skipped: ${helm.why})` : ""}`,
    async ({ chart, base, namespace }) => {
      const text = template(chart, namespace);

      const kustomized = new Map([...byIdentity(rendered[base] ?? "")].filter(([key]) => !key.startsWith("Namespace")));
      expect([...byIdentity(text)].sort()).toEqual([...kustomized].sort());
      await dryRun(text);
    },
  );

  it.skipIf(helm.kind === "missing")(
    `renders what the chart's values say${helm.kind === "missing" ? ` (skipped: ${helm.why})` : ""}`,
    async () => {
      const text = template(
        "charts/keelson",
        "ops",
        "--set=name=adder,rbac.create=false,podDisruptionBudget=false,leaderElect=true,args={--set=two}",
        `--set-file=addons.dns\\.yaml=${join(repositoryRoot, "examples/addons/banner.yaml")}`,
      );

      const objects = byIdentity(text);
      expect([...objects.keys()].sort()).toEqual([
        "ConfigMap ops keelson-addons",
        "Deployment ops adder",
        "ServiceAccount ops adder",
      ]);
      expect(text).toContain('- "--set=two"');
      const { data } = objects.get("ConfigMap ops keelson-addons") as { data: Record<string, string> };
      expect(data["dns.yaml"]).toBe(readFileSync(join(repositoryRoot, "examples/addons/banner.yaml"), "utf8"));
    },
  );
});
