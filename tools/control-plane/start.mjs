// Runs the tests' own control plane for people and for programs: there is one way to start it.
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const help = `Usage: tools/control-plane/start [flags]

Starts etcd, kube-apiserver and kube-controller-manager on free loopback ports. When they serve it prints one line,
KUBECONFIG=<path>, to standard output, and runs until SIGINT, SIGTERM or SIGHUP; then everything is gone.

  --audit-log                 write every request to an audit log; its path is printed to standard error
  --no-controller-manager     leave kube-controller-manager out
  --until-stdin-ends          also end when standard input does, so as not to outlive a program that started it
  --api-server-flag=FLAG      a further flag of kube-apiserver (repeatable)
`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h" },
    "audit-log": { type: "boolean" },
    "no-controller-manager": { type: "boolean" },
    "until-stdin-ends": { type: "boolean" },
    "api-server-flag": { type: "string", multiple: true, default: [] },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const fixture = join(dirname(fileURLToPath(import.meta.url)), "../../test/control-plane/control-plane.ts");
const { startControlPlane } = await importTypeScript(fixture);

const stopRequested = new Promise((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, resolve);
  if (values["until-stdin-ends"]) process.stdin.resume().once("end", resolve).once("error", resolve);
});

const suite = `start-${process.pid}`;
const starting = startControlPlane({
  suite,
  auditLog: values["audit-log"] ?? false,
  controllerManager: !values["no-controller-manager"],
  apiServerFlags: values["api-server-flag"],
});
try {
  const plane = await starting;
  process.stderr.write(`kube-apiserver serves on ${plane.serverUrl}, logs are in test-logs/${suite}; ctrl-C ends it\n`);
  if (values["audit-log"]) process.stderr.write(`requests are written to test-logs/${suite}/audit.log\n`);
  process.stdout.write(`KUBECONFIG=${plane.kubeconfigPath}\n`);
  await stopRequested;
  await plane.stop();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/** Imports a TypeScript module and what it imports, on every Node that the project supports. */
async function importTypeScript(path) {
  const { build } = await import("esbuild").catch(() => {
    process.stderr.write("the development dependencies are not installed: run npm ci\n");
    process.exit(1);
  });
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    // The bundle has no place of its own; its files find the checkout from where they stand.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(path)) },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
