import type { RbacReport } from "../../daemon/index.ts";
import { type Command, DIRECTORY_OPERAND, OUTPUT_OPTION } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** The least rights. */
export const rbacCommand: Command = {
  kind: "backed",
  name: "rbac",
  summary: "print the least RBAC that a directory needs",
  description:
    "Prints a ServiceAccount, roles and bindings with which a daemon with these settings keeps the directory as declared: the kinds that stand in it, in their namespaces, escalate and bind where there are roles among them, and what Keelson needs for itself. Needs no cluster; --online asks the cluster about kinds that neither Kubernetes nor the directory defines.",
  operands: [DIRECTORY_OPERAND],
  options: [
    { name: "name", value: "NAME", help: "name of roles and bindings (default keelson, or keelson-SET)" },
    { name: "service-account", value: "NAME", help: "ServiceAccount that the rights are given to (default: the name)" },
    {
      name: "service-account-namespace",
      value: "NAMESPACE",
      help: "namespace of the ServiceAccount",
      fallback: "kube-system",
    },
    {
      name: "with-namespaces",
      help: "print the namespaces that the directory declares, too, so that rights can stay within them",
    },
    { name: "online", help: "ask the cluster of the kubeconfig which kinds it serves" },
    { ...OUTPUT_OPTION, fallback: "yaml" },
  ],
  exitCodes: [
    { code: EXIT.ok, meaning: "everything in the directory is covered" },
    { code: EXIT.changes, meaning: "files have problems or kinds are unknown; the rest is covered" },
  ],
  settings: "rbac",
  takesDirectory: true,
  async run({ operations, settings, io, host, options }) {
    const asked = {
      name: options.get("name"),
      serviceAccount: options.get("service-account"),
      namespace: options.get("service-account-namespace"),
      hasNamespaces: options.has("with-namespaces"),
      isOnline: options.has("online"),
    };
    const report = await operations.rbac(settings, asked, io);
    host.progress.clear();
    host.stdout.write(await format(options.get("output"), report));
    for (const { file, line, message } of report.problems) {
      host.stderr.write(`keelson: ${file}${line === 0 ? "" : `:${line}`}: ${message}\n`);
    }
    if (report.watchedForPruneOnly > 0) host.stderr.write(await advice(report));
    return report.problems.length > 0 ? EXIT.changes : EXIT.ok;
  },
};

async function format(output: string | undefined, report: RbacReport): Promise<string> {
  const { formatJson, formatYaml } = await import("../print-report.ts");
  if (output === "json") return formatJson({ apiVersion: "v1", kind: "List", items: report.objects });
  if (output === "yaml") return report.objects.map(formatYaml).join("---\n");
  const { formatTable } = await import("../table.ts");
  const rows = report.rights.map(({ namespace, group, resource, verb, names }) => [
    namespace === "" ? "*" : namespace,
    group === "" ? resource : `${resource}.${group}`,
    verb,
    names.join(" "),
  ]);
  return formatTable([["NAMESPACE", "RESOURCE", "VERB", "NAMES"], ...rows]);
}

/** Watches for prune alone are rights to read; whoever minds can do without. */
async function advice({ watchedForPruneOnly, pruneList }: RbacReport): Promise<string> {
  const list = pruneList.join(" ");
  return `keelson: ${watchedForPruneOnly} kinds of the prune list are not in the directory: list and watch on them serve only to find what is to be pruned. To do without, give this command and the daemon KUBECTL_PRUNE_WHITELIST_OVERRIDE="${list}"\n`;
}
