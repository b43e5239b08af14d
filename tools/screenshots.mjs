// Makes docs/screenshots: the dashboard of a daemon on a sandbox, each page in light and dark. Needs a built program and a
// Chromium (KEELSON_CHROMIUM, default /usr/bin/chromium).
//   node tools/screenshots.mjs [FOLDER]
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = process.argv[2] ?? join(root, "docs/screenshots");
const work = mkdtempSync(join(tmpdir(), "keelson-screenshots-"));
const addons = join(work, "addons");
const origin = "http://127.0.0.1:10279";
const program = join(root, "bin/keelson");
const kubeconfig = join(work, "kubeconfig");
const kubectl = join(
  spawnSync(join(root, "tools/control-plane/build"), ["--where"]).stdout.toString().trim(),
  "kubectl",
);

const object = (apiVersion, kind, name, more) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "kube-system", labels: { "addonmanager.kubernetes.io/mode": "Reconcile" } },
  ...more,
});
const workload = (kind, name, image, more) =>
  object("apps/v1", kind, name, {
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image }] } },
      ...more,
    },
  });
const write = (name, ...objects) => {
  mkdirSync(dirname(join(addons, name)), { recursive: true });
  writeFileSync(join(addons, name), objects.map((each) => JSON.stringify(each, undefined, 2)).join("\n---\n"));
};
const corefile = (seconds) => ({ data: { Corefile: `.:53 {\n    errors\n    cache ${seconds}\n}\n` } });
const run = (...args) => spawnSync(kubectl, ["--kubeconfig", kubeconfig, ...args], { encoding: "utf8" });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const children = [];

async function until(claim) {
  for (let turn = 0; turn < 200; turn += 1) {
    if (await claim().catch(() => false)) return;
    await pause(100);
  }
  throw new Error(`not within 20 s: ${claim}`);
}

async function startCluster() {
  cpSync(join(root, "examples/addons"), addons, { recursive: true });
  write(
    "dns/coredns.yaml",
    object("v1", "ConfigMap", "coredns", corefile(30)),
    workload("Deployment", "coredns", "registry.k8s.io/coredns/coredns:v1.12.0", { replicas: 2 }),
  );
  write("network/policy-agent.yaml", workload("DaemonSet", "policy-agent", "example.com/policy-agent:3.2"));
  write(
    "metrics/server.yaml",
    workload("Deployment", "metrics-server", "registry.k8s.io/metrics-server:v0.8.0", { replicas: 1 }),
  );
  for (let at = 0; at < 240; at += 1)
    write(`policies/policy-${at}.yaml`, object("v1", "ConfigMap", `policy-${at}`, { data: { rule: `allow-${at}` } }));
  children.push(
    spawn(program, ["sandbox", "--kubeconfig-out", kubeconfig, "--simulate-workloads"], { stdio: "ignore" }),
  );
  await until(async () => readFileSync(kubeconfig).length > 0);
  const env = { ...process.env, KEELSON_STATE_DIR: join(work, "state"), KEELSON_PRUNE_SETTLE: "200ms" };
  const flags = [
    "--addon-path",
    addons,
    "--kubeconfig",
    kubeconfig,
    "--leader-elect",
    "off",
    "--http-address",
    new URL(origin).host,
  ];
  children.push(spawn(program, ["run", ...flags], { env, stdio: "ignore" }));
  await until(async () => (await overview()).revision?.revision === 1);
}

async function overview() {
  return (await fetch(`${origin}/api/v1/overview`)).json();
}

/** Something for every page to show. */
async function liveALittle() {
  write(
    "dns/coredns.yaml",
    object("v1", "ConfigMap", "coredns", corefile(60)),
    workload("Deployment", "coredns", "registry.k8s.io/coredns/coredns:v1.12.1", { replicas: 2 }),
  );
  await until(async () => (await overview()).revision?.revision === 2);
  write(
    "metrics/server.yaml",
    workload("Deployment", "metrics-server", "registry.k8s.io/metrics-server:v0.8.1", { replicas: 1 }),
    object("v1", "Service", "metrics-server", {
      spec: { ports: [{ port: 443 }], selector: { app: "metrics-server" } },
    }),
  );
  await until(async () => (await overview()).revision?.revision === 3);
  run("-n", "kube-system", "annotate", "deployment", "coredns", "example.com/team=network");
  run(
    "-n",
    "kube-system",
    "set",
    "image",
    "deployment/coredns",
    "coredns=example.com/other:1",
    "--field-manager=kubectl-edit",
  );
  await pause(500);
  run("-n", "kube-system", "patch", "configmap", "policy-7", "--type=merge", "-p", '{"data":{"rule":"deny-all"}}');
  writeFileSync(join(addons, "storage.yaml"), "kind: StorageClass\nmetadata: [\n");
  rmSync(join(addons, "network/policy-agent.yaml"));
  await until(async () => (await overview()).held.confirmable === 1);
}

async function shoot(browser, name, hash, colorScheme, width, prepare) {
  const height = width < 500 ? 760 : 820;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(`${origin}/${hash}`);
  await page.waitForSelector(".skeleton", { state: "detached" });
  await pause(500);
  await prepare?.(page);
  // A reader should see the usual place, not that of a temporary copy.
  await page.evaluate((path) => {
    for (const shown of document.querySelectorAll(".facts .mono")) {
      if (shown.textContent === path) shown.textContent = "/etc/kubernetes/addons";
    }
  }, addons);
  const png = (await page.screenshot()).toString("base64");
  await page.close();
  // The daemon's pages may not load data URLs as scripts do: an empty page packs the picture.
  const packer = await browser.newPage();
  const webp = await packer.evaluate(async (text) => {
    const image = new Image();
    image.src = `data:image/png;base64,${text}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.86).split(",")[1];
  }, png);
  await packer.close();
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(webp, "base64"));
}

const openPause = async (page) => {
  await page.getByRole("button", { name: "Pause repairs…" }).first().click();
  await pause(500);
};

try {
  mkdirSync(folder, { recursive: true });
  await startCluster();
  await liveALittle();
  const browser = await chromium.launch({
    executablePath: process.env.KEELSON_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox"],
  });
  const dns = "#/object?key=Deployment.apps%2Fkube-system%2Fcoredns";
  for (const theme of ["light", "dark"]) {
    await shoot(browser, `overview-${theme}`, "#/", theme, 1280);
    await shoot(browser, `addons-${theme}`, "#/addons", theme, 1280);
    await shoot(browser, `objects-${theme}`, "#/objects", theme, 1280);
    await shoot(browser, `object-${theme}`, dns, theme, 1280);
    await shoot(browser, `history-${theme}`, "#/history", theme, 1280);
    await shoot(browser, `action-${theme}`, dns, theme, 1280, openPause);
    await shoot(browser, `overview-narrow-${theme}`, "#/", theme, 360);
  }
  await browser.close();
} finally {
  for (const child of children) child.kill("SIGTERM");
  await pause(1500);
  rmSync(work, { recursive: true, force: true });
}
