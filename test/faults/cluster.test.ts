import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";
import {
  type Admin,
  adminOf,
  configMap,
  configMapPath,
  crd,
  custom,
  file,
  fresh,
  type KeelsonProcess,
  type Manifest,
  manifest,
  numbered,
  PATIENT,
  type ProcessOptions,
  reconciled,
  startKeelson,
  startWebhook,
  uidsOf,
} from "./bed/index.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const namespace = (name: string): Manifest => reconciled(manifest("v1", "Namespace", { name }, {}));

describeWithControlPlane("a cluster in which things are not ready", (plane) => {
  let admin: Admin;
  beforeAll(async () => {
    admin = await adminOf(plane());
  });
  afterAll(() => admin?.close());

  const start = (context: TestContext, options: Omit<ProcessOptions, "kubeconfig">): KeelsonProcess =>
    startKeelson(context, { kubeconfig: plane().kubeconfigFor("keelson"), ...options });

  it.concurrent("has a custom resource wait for a definition that the server does not accept yet, and nothing else", async (context) => {
    const set = fresh("crd");
    // Its short name is taken: the server stores such a definition and does not serve it.
    const [rival, widget] = [`rival${set.slice(4)}`, `widget${set.slice(4)}`];
    await admin.create(CRDS, crd(rival, { shortNames: [`s${set.slice(4)}`] }));
    const definition = reconciled(crd(widget, { shortNames: [`s${set.slice(4)}`] }));
    const files = { "a.yaml": file(custom(widget, "w"), definition, configMap(`${set}-other`)) };
    const keelson = start(context, { set, files });

    await keelson.statusWhere(
      admin,
      "the definition and the ConfigMap converged, the custom resource waits",
      ({ summary, objects }) =>
        summary.converged === 2 && objects.some(({ object, state }) => object.name === "w" && state === "waiting"),
    );
    const { conditions } = (await admin.find(`${CRDS}/${widget}s.faults.dev`)).status;
    expect(conditions).toContainEqual(expect.objectContaining({ type: "Established", status: "False" }));
    await admin.delete(`${CRDS}/${rival}s.faults.dev`);

    await keelson.converged(admin, 3);
    expect(await admin.get(`/apis/faults.dev/v1/namespaces/default/${widget}s/w`)).toBeDefined();
  });

  it.concurrent("applies a custom resource as soon as somebody else installs its definition, without waiting for a pass", async (context) => {
    const set = fresh("gadget");
    const kind = set.replace("-", "");
    const files = { "a.yaml": file(custom(kind, "g"), configMap(`${set}-other`)) };
    const keelson = start(context, { set, files, env: { TEST_ADDON_CHECK_INTERVAL_SEC: "600" } });
    await keelson.statusWhere(admin, "one waits", ({ summary }) => summary.converged === 1 && summary.blocked === 1);

    await admin.create(CRDS, crd(kind));

    await keelson.converged(admin, 2);
  });

  it.concurrent("waits for a namespace that is being deleted, goes on with the rest, and makes it anew", async (context) => {
    const set = fresh("ending");
    const inside = configMapPath("inside", set);
    const files = { "a.yaml": file(namespace(set), configMap("inside", "1", set), configMap(`${set}-outside`)) };
    const keelson = start(context, { set, files });
    await keelson.converged(admin, 3);
    const before = await uidsOf(admin, [`/api/v1/namespaces/${set}`, inside]);
    const pinned = { name: "pinned", namespace: set, finalizers: ["faults.dev/pin"] };
    await admin.create(`/api/v1/namespaces/${set}/configmaps`, manifest("v1", "ConfigMap", pinned, {}));

    await admin.delete(`/api/v1/namespaces/${set}`);
    await eventually(
      "the namespace is emptied but for what is pinned",
      async () => !(await admin.get(inside)),
      PATIENT,
    );
    keelson.write("b.yaml", file(configMap(`${set}-new`)));
    await keelson.statusWhere(
      admin,
      "both outside converged, the namespace waits, what is in it failed",
      ({ summary, objects }) =>
        summary.converged === 2 &&
        objects.some(({ object, state }) => object.kind === "Namespace" && state === "waiting") &&
        objects.some(({ object, message }) => object.name === "inside" && message.startsWith("NamespaceTerminating")),
    );
    await admin.patch(configMapPath("pinned", set), { metadata: { finalizers: null } });

    await keelson.converged(admin, 4);
    const after = await uidsOf(admin, Object.keys(before));
    for (const [path, uid] of Object.entries(before)) expect(after[path]).not.toBe(uid);
  });

  it.concurrent.for(["deny", "hang"] as const)(
    "tells of objects that a webhook does not let pass (%s), and converges the others",
    async (behaviour, context) => {
      const set = fresh(`webhook-${behaviour}`);
      const webhook = await startWebhook(set, behaviour);
      context.onTestFinished(() => webhook.stop());
      await admin.create(WEBHOOKS, webhook.configuration);
      context.onTestFinished(() => admin.delete(`${WEBHOOKS}/${set}.faults.dev`));
      // More than there are requests at once.
      const guarded = numbered(`${set}-guarded`, 20).map((each) => labelled(each, { webhook: set }));
      const keelson = start(context, {
        set,
        files: { "a.yaml": file(...guarded), "z.yaml": file(...numbered(`${set}-free`, 5)) },
      });

      const status = await keelson.statusWhere(
        admin,
        "the free ones converged, the guarded ones failed",
        ({ summary }) => summary.converged === 5 && summary.failed === 20,
      );

      const reason =
        behaviour === "deny" ? /denied the request: not on my watch/ : /failed calling webhook.*(deadline|timeout)/i;
      for (const { message } of status.objects) expect(message).toMatch(reason);
      expect(webhook.asked).toBeGreaterThanOrEqual(20);
      webhook.allow();
      await keelson.converged(admin, 25);
    },
  );

  it.concurrent("tells of objects whose webhook is nowhere, and converges the others", async (context) => {
    const set = fresh("nowhere");
    const webhook = await startWebhook(set, "deny");
    await webhook.stop();
    await admin.create(WEBHOOKS, webhook.configuration);
    const path = `${WEBHOOKS}/${set}.faults.dev`;
    context.onTestFinished(() => admin.delete(path));
    const guarded = labelled(configMap(`${set}-guarded`), { webhook: set });
    const keelson = start(context, { set, files: { "a.yaml": file(guarded, configMap(`${set}-free`)) } });

    const status = await keelson.statusWhere(
      admin,
      "one converged, one failed",
      ({ summary }) => summary.converged === 1 && summary.failed === 1,
    );

    expect(status.objects[0]?.message).toMatch(/failed calling webhook.*refused/);
    await admin.delete(path);
    await keelson.converged(admin, 2);
  });

  it("goes on beside an aggregated API whose server is dead", async (context) => {
    const set = fresh("aggregated");
    const name = "v1.dead.faults.dev";
    await admin.create("/apis/apiregistration.k8s.io/v1/apiservices", {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name },
      spec: {
        group: "dead.faults.dev",
        version: "v1",
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: "default", name: "nowhere" },
      },
    });
    context.onTestFinished(() => admin.delete(`/apis/apiregistration.k8s.io/v1/apiservices/${name}`));
    const dead = reconciled(manifest("dead.faults.dev/v1", "Thing", { name: "t", namespace: "default" }, {}));
    const keelson = start(context, { set, files: { "a.yaml": file(dead, configMap(set)) } });

    await keelson.statusWhere(
      admin,
      "one converged, one waits",
      ({ summary }) => summary.converged === 1 && summary.blocked === 1,
    );
    await admin.patch(configMapPath(set), { data: { a: "drift" } });

    await eventually("drift is repaired", async () => (await admin.find(configMapPath(set))).data.a === "1", PATIENT);
  });
});

function labelled(of: Manifest, labels: Readonly<Record<string, string>>): Manifest {
  return { ...of, metadata: { ...of.metadata, labels: { ...(of.metadata.labels as object), ...labels } } };
}
