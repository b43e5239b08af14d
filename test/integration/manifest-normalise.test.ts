import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadText } from "../../src/manifest/index.ts";
import table from "../../src/manifest/keyed-lists.json" with { type: "json" };
import { keyedLists } from "../../tools/keyed-lists/table.mjs";
import { type ApiObject, describeWithControlPlane } from "../control-plane/index.ts";

const APPLY = ["apply", "--server-side", "--force-conflicts", "--field-manager=keelson", "-f"] as const;

describeWithControlPlane(
  "manifests as they are applied",
  (plane) => {
    let directory = "";
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), "keelson-normalise-"));
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    const file = (text: string): string => {
      const path = join(directory, "object.json");
      writeFileSync(path, text);
      return path;
    };

    /** The one object of a text, as it would be applied. */
    const bodyOf = (text: string): string => {
      const { objects, problems } = loadText(text, "x.yaml");
      expect(problems).toEqual([]);
      return objects[0]?.body ?? "";
    };

    const apply = (text: string) => plane().kubectl(...APPLY, file(text), { check: false });
    const get = (...reference: readonly string[]): Promise<ApiObject> =>
      plane().kubectlJson("get", ...reference, "-o", "json", "--show-managed-fields");

    it("follow a table of keyed lists that is this server's own", async () => {
      const { stdout } = await plane().kubectl("get", "--raw", "/openapi/v3");
      const { paths } = JSON.parse(stdout) as { paths: Record<string, { serverRelativeURL: string }> };
      const documents: unknown[] = [];
      for (const { serverRelativeURL } of Object.values(paths)) {
        documents.push(JSON.parse((await plane().kubectl("get", "--raw", serverRelativeURL)).stdout));
      }

      const { kinds, types } = keyedLists(documents);

      expect(kinds).toEqual(table.kinds);
      expect(types).toEqual(table.types);
    });

    const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: twice, namespace: default, finalizers: [keelson.dev/a, keelson.dev/a]}
spec:
  selector: {matchLabels: {app: twice}}
  template:
    metadata: {labels: {app: twice}}
    spec:
      imagePullSecrets: [{name: a}, {name: a}]
      volumes: [{name: v, emptyDir: {}}, {name: v, emptyDir: {medium: Memory}}]
      containers:
      - name: c
        image: registry.k8s.io/pause:3.10
        env: [{name: A, value: "1"}, {name: A, value: "2"}]
        ports: [{containerPort: 53}, {containerPort: 53, protocol: TCP, name: dns}]
        volumeMounts: [{name: v, mountPath: /v}, {name: v, mountPath: /v, readOnly: true}]
`;

    it("are accepted where the file repeats keys of lists, which the server refuses", async () => {
      const raw = await apply(deployment);
      const normalised = await apply(bodyOf(deployment));

      expect(raw.stderr).toContain("duplicate entries for key");
      expect(normalised.stderr).toBe("");
      const live = await get("deployment", "twice", "-n", "default");
      expect(JSON.stringify(live)).toContain('"env":[{"name":"A","value":"2"}]');
      await plane().kubectl(
        "patch",
        "deployment",
        "twice",
        "-n",
        "default",
        "--type=json",
        "-p",
        '[{"op":"remove","path":"/metadata/finalizers"}]',
      );
    });

    it.each([
      [
        "a NetworkPolicy",
        `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: p, namespace: default},
          spec: {podSelector: {matchLabels: {}}, ingress: [{from: []}], egress: [], policyTypes: [Ingress]}}`,
        ["networkpolicy", "p", "-n", "default"],
      ],
      [
        "a webhook configuration",
        `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w},
          webhooks: [{name: w.keelson.dev, rules: [], matchConditions: [], sideEffects: None, failurePolicy: Ignore,
            admissionReviewVersions: [v1], clientConfig: {url: "https://127.0.0.1:1/"}}]}`,
        ["validatingwebhookconfiguration", "w"],
      ],
      [
        "a Secret",
        `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default, labels: {}, annotations: {a: null}},
          data: {k: null}, stringData: {a: b}}`,
        ["secret", "s", "-n", "default"],
      ],
    ])("write nothing when they are applied again: %s with empty containers", async (_, text, reference) => {
      const body = bodyOf(text);
      expect((await apply(body)).stderr).toBe("");
      const first = await get(...reference);

      expect((await apply(body)).stderr).toBe("");

      const second = await get(...reference);
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      expect(second.metadata.generation).toBe(first.metadata.generation);
    });

    it("are accepted where the file is an export from the cluster", async () => {
      await plane().kubectl("create", "configmap", "exported", "-n", "default", "--from-literal=a=1");
      const { stdout } = await plane().kubectl(
        "get",
        "configmap",
        "exported",
        "-n",
        "default",
        "-o",
        "yaml",
        "--show-managed-fields",
      );

      const result = await apply(bodyOf(stdout));

      expect(result.stderr).toBe("");
    });

    it("leave an aggregated role's rules to the cluster", async () => {
      const role = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: gathered}, rules: [],
        aggregationRule: {clusterRoleSelectors: [{matchLabels: {gathered: "yes"}}]}}`;

      expect((await apply(bodyOf(role))).stderr).toBe("");

      const { metadata } = await get("clusterrole", "gathered");
      const ours = metadata.managedFields?.find(({ manager }) => manager === "keelson");
      expect(JSON.stringify(ours)).toContain("f:aggregationRule");
      expect(JSON.stringify(ours)).not.toContain("f:rules");
    });
  },
  { controllerManager: false },
);
