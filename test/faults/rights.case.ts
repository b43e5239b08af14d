import { expect, it } from "vitest";
import { eventually } from "../control-plane/index.ts";
import type { ProxiedBed } from "./answers.case.ts";
import { configMap, file, fresh, manifest, PATIENT, reconciled, secret } from "./bed/index.ts";

const EVERYTHING = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
const BUT_SECRETS = [
  { apiGroups: [""], resources: ["configmaps", "serviceaccounts", "events"], verbs: ["*"] },
  { apiGroups: ["apiextensions.k8s.io", "apiregistration.k8s.io", "events.k8s.io"], resources: ["*"], verbs: ["*"] },
];
const ROLE = "/apis/rbac.authorization.k8s.io/v1/clusterroles/someone";

/** Kinds that the credentials may not touch, and kinds whose answers do not come. */
export function rightsCases({ admin, proxy, start }: ProxiedBed): void {
  it.concurrent("tells of a kind that it has no right to (403), converges the rest, and that kind when the right comes", async (context) => {
    const set = fresh("rights");
    const through = await proxy();
    const role = (rules: unknown): unknown => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "someone" },
      rules,
    });
    await admin().create("/apis/rbac.authorization.k8s.io/v1/clusterroles", role(BUT_SECRETS));
    await admin().patch(ROLE, { rules: BUT_SECRETS });
    await admin().create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "someone" },
      subjects: [{ kind: "User", name: "someone", apiGroup: "rbac.authorization.k8s.io" }],
      roleRef: { kind: "ClusterRole", name: "someone", apiGroup: "rbac.authorization.k8s.io" },
    });
    const keelson = start(context, through, { set, files: filesOf(set), user: "someone" });

    const status = await keelson.statusWhere(
      admin(),
      "the ConfigMaps converged, both Secrets failed",
      ({ summary }) => summary.converged === 2 && summary.failed === 2,
    );

    expect(status.objects.filter(({ state }) => state === "failed").map(({ object }) => object.kind)).toEqual([
      "Secret",
      "Secret",
    ]);
    expect(keelson.log()).toMatch(/WRN: == Secret cannot be listed or watched: .*forbidden/);
    expect(keelson.log()).toMatch(/ERR: == Secret default\/\S+-c: .*forbidden/);
    await admin().patch(ROLE, { rules: [EVERYTHING] });
    await keelson.converged(admin(), 4);
    expect(keelson.said(/INFO: == Secret can be listed and watched again ==/)).toBe(1);
  });

  it.concurrent.for([401, 403, 500])(
    "tells of a kind that is answered %d alone, and converges the rest",
    async (status, context) => {
      const through = await proxy();
      const set = fresh(`kind-${status}`);
      through.addFault({ path: /\/secrets(\/|$)/ }, { kind: "respond", status });
      const keelson = start(context, through, { set, files: filesOf(set), kubectlOptions: "--request-timeout=3s" });

      const told = await keelson.statusWhere(
        admin(),
        "the ConfigMaps converged, the Secrets are told",
        ({ summary }) => summary.converged === 2,
      );

      expect(told.phase).not.toBe("converged");
      through.restore();
      await keelson.converged(admin(), 4);
    },
  );

  it.concurrent.for<readonly [string, RegExp]>([
    ["every request hangs", /^/],
    ["every list and read hangs", /^(?!.*watch=)/],
  ])(
    "does not wait with the rest for a kind whose %s, nor for objects whose writes hang",
    async ([, query], context) => {
      const through = await proxy();
      const set = fresh("hang");
      const hanging = through.addFault({ path: /\/secrets(\/|$)/, query }, { kind: "hang", when: "before" });
      const account = reconciled(manifest("v1", "ServiceAccount", { name: `${set}-s`, namespace: "default" }, {}));
      through.addFault(
        { method: "PATCH", path: new RegExp(`/serviceaccounts/${set}-s$`) },
        { kind: "hang", when: "before" },
      );
      const job = reconciled(
        manifest("v1", "Service", { name: `${set}-last`, namespace: "default" }, { spec: { ports: [{ port: 80 }] } }),
      );
      const files = { ...filesOf(set), "s.yaml": file(account, job) };
      const keelson = start(context, through, { set, files, kubectlOptions: "--request-timeout=60s" });

      // Both ConfigMaps, and a Service, which is of a later phase than the ServiceAccount.
      await keelson.statusWhere(admin(), "three converged", ({ summary }) => summary.converged === 3);
      keelson.write("a.yaml", file(configMap(`${set}-a`, "2")));
      await eventually("a change is applied meanwhile", async () => (await value(`${set}-a`)) === "2", PATIENT);

      expect(hanging.hits).toBeGreaterThan(0);
      through.restore();
      through.dropAll();
      through.restore();
      await keelson.converged(admin(), 6);
    },
  );

  async function value(name: string): Promise<string | undefined> {
    return (await admin().get(`/api/v1/namespaces/default/configmaps/${name}`))?.data?.a;
  }
}

function filesOf(set: string): Readonly<Record<string, string>> {
  return {
    "a.yaml": file(configMap(`${set}-a`)),
    "b.yaml": file(secret(`${set}-b`), configMap(`${set}-d`), secret(`${set}-c`)),
  };
}
