import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { operations } from "../daemon/index.ts";
import { type Ran, runCli } from "./test-host.case.ts";

const MODE = "addonmanager.kubernetes.io/mode";

interface Declared {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly mode?: string;
  readonly more?: object;
}

function text({ apiVersion, kind, namespace, mode = "Reconcile", more = {} }: Declared): string {
  return JSON.stringify({ apiVersion, kind, metadata: { name: "one", namespace, labels: { [MODE]: mode } }, ...more });
}

/** Rows of the table for a directory with these objects. */
async function rbacOf(objects: readonly (Declared | string)[], ...flags: readonly string[]): Promise<Ran> {
  const directory = mkdtempSync(join(tmpdir(), "keelson-rbac-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const addons = join(directory, "addons");
  mkdirSync(addons);
  const texts = objects.map((each) => (typeof each === "string" ? each : text(each)));
  for (const [index, each] of texts.entries()) writeFileSync(join(addons, `${index}.yaml`), each);
  const args = ["rbac", addons, "--admission-controls-path", join(directory, "controls"), ...flags];
  return runCli(args, { operations: { rbac: operations.rbac } });
}

function rowsOf({ out }: Ran): readonly string[] {
  return out.split("\n").map((line) => line.replace(/ +/g, " "));
}

const RBAC = "rbac.authorization.k8s.io/v1";
const TABLE = ["-o", "table", "--prune-list", "core/v1/ConfigMap"];

it("prints Kubernetes objects that kubectl takes, as YAML or as one List", async () => {
  const declared = [{ apiVersion: "v1", kind: "ConfigMap", namespace: "a" }];

  const yaml = await rbacOf(declared, "--name", "adder", "--service-account-namespace", "ops");
  const json = await rbacOf(declared, "-o", "json", "--service-account", "robot");

  expect(yaml.code).toBe(0);
  const kinds = [...yaml.out.matchAll(/^kind: (\S+)$/gm)].map(([, kind]) => kind);
  expect(kinds.slice(0, 3)).toEqual(["ServiceAccount", "ClusterRole", "ClusterRoleBinding"]);
  expect(yaml.out).toContain("kind: ServiceAccount\nmetadata:\n  name: adder\n  namespace: ops\n");
  const { kind, items } = JSON.parse(json.out);
  expect(kind).toBe("List");
  expect(items[2].subjects).toEqual([{ kind: "ServiceAccount", name: "robot", namespace: "kube-system" }]);
  expect(items.at(-1).roleRef.name).toBe("keelson");
});

it("gives writes in the objects' namespaces only, and delete only for what may be pruned", async () => {
  const rows = rowsOf(
    await rbacOf(
      [
        { apiVersion: "v1", kind: "ConfigMap", namespace: "a" },
        { apiVersion: "v1", kind: "ConfigMap", namespace: "b", mode: "EnsureExists" },
        { apiVersion: "apps/v1", kind: "Deployment", namespace: "a" },
        { apiVersion: "v1", kind: "Secret", namespace: "c", mode: "none" },
      ],
      ...TABLE,
    ),
  );

  const about = (resource: string): readonly string[] =>
    rows.filter((row) => row.split(" ")[1] === resource && !row.startsWith("kube-system"));
  const verbs = ["create", "get", "patch"];
  expect(about("configmaps")).toEqual([
    "* configmaps list",
    "* configmaps watch",
    ...["create", "delete", "get", "patch"].map((verb) => `a configmaps ${verb}`),
    ...verbs.map((verb) => `b configmaps ${verb}`),
  ]);
  expect(about("deployments.apps").filter((row) => row.startsWith("a"))).toEqual(
    verbs.map((verb) => `a deployments.apps ${verb}`),
  );
  expect(about("secrets")).toEqual([]);
});

it("gives escalate and bind by name, and escalate on all roles only where the request has no name", async () => {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
  const reconciled = rowsOf(
    await rbacOf(
      [
        { apiVersion: RBAC, kind: "ClusterRole", more: { rules: [] } },
        { apiVersion: RBAC, kind: "RoleBinding", namespace: "a", more: { roleRef, subjects: [] } },
      ],
      ...TABLE,
    ),
  );
  const ensured = rowsOf(await rbacOf([{ apiVersion: RBAC, kind: "ClusterRole", mode: "EnsureExists" }], ...TABLE));

  expect(reconciled).toContain("* clusterroles.rbac.authorization.k8s.io escalate one");
  expect(reconciled).toContain("a clusterroles.rbac.authorization.k8s.io bind view");
  expect(ensured).toContain("* clusterroles.rbac.authorization.k8s.io escalate");
});

it("lets an admission policy's author read its parameters, whose kind the directory defines", async () => {
  const names = { plural: "limits", singular: "limit", kind: "Limit" };
  const definition = {
    spec: { group: "example.dev", scope: "Namespaced", names, versions: [{ name: "v1", served: true }] },
  };
  const rows = rowsOf(
    await rbacOf(
      [
        { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", more: definition },
        {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "ValidatingAdmissionPolicy",
          more: { spec: { paramKind: { apiVersion: "example.dev/v1", kind: "Limit" } } },
        },
      ],
      ...TABLE,
    ),
  );

  expect(rows).toContain("* limits.example.dev get");
});

it("adds reviews of who asks where HTTP is served beyond this machine, and the Lease of its own where it holds one", async () => {
  const declared = [{ apiVersion: "v1", kind: "Secret", namespace: "a" }];

  const plain = rowsOf(await rbacOf(declared, ...TABLE));
  const exposed = rowsOf(
    await rbacOf(declared, ...TABLE, "--http-address=:10270", "--leader-elect=lease", "--set=two", "--applyset"),
  );

  expect(plain.join("\n")).not.toContain("reviews");
  expect(plain).toContain("kube-system leases.coordination.k8s.io watch kube-controller-manager");
  expect(exposed).toContain("* tokenreviews.authentication.k8s.io create");
  expect(exposed).toContain("* subjectaccessreviews.authorization.k8s.io create");
  expect(exposed).toContain("kube-system leases.coordination.k8s.io patch keelson-addon-two");
  expect(exposed).toContain("kube-system configmaps patch keelson-status-two");
  expect(exposed).toContain("kube-system configmaps patch keelson-control-two");
  expect(exposed).toContain("kube-system configmaps patch keelson-applyset-two");
  expect(plain.join("\n")).not.toContain("applyset");
});

it("covers the rest, and exits 1, where a kind is unknown or a file is broken", async () => {
  const { code, err, out } = await rbacOf(
    [{ apiVersion: "v1", kind: "Secret", namespace: "a" }, { apiVersion: "example.dev/v1", kind: "Odd" }, "a: ["],
    ...TABLE,
  );

  expect(code).toBe(1);
  expect(out).toMatch(/^a +secrets +patch$/m);
  expect(err).toMatch(/1\.yaml:1: example\.dev\/v1 Odd one: its kind is not known here.*--online/);
  expect(err).toMatch(/2\.yaml/);
});

it("says how to do without watches that only prune needs", async () => {
  const { err } = await rbacOf([{ apiVersion: "v1", kind: "ConfigMap", namespace: "a" }]);

  expect(err).toContain("15 kinds of the prune list are not in the directory");
  expect(err).toContain('KUBECTL_PRUNE_WHITELIST_OVERRIDE="core/v1/ConfigMap"');
});

it("refuses a directory that is not there", async () => {
  const { code, err } = await runCli(["rbac", "/no/such"], { operations: { rbac: operations.rbac } });

  expect(code).toBe(3);
  expect(err).toContain("/no/such");
});
