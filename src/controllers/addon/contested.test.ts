import { describe, expect, it } from "vitest";
import { adviceOn, contestedFields } from "./contested.ts";
import { snapshotOf } from "./samples.case.ts";

const deployment = (spec: object): string =>
  JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "dns", namespace: "a" }, spec });
const autoscaler = JSON.stringify({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "dns-scale", namespace: "a" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "dns" }, maxReplicas: 3 },
});
const webhook = (annotations: object, clientConfig: object): string =>
  JSON.stringify({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "hook", annotations },
    webhooks: [{ name: "a.example.dev", clientConfig }],
  });
const INJECT = { "cert-manager.io/inject-ca-from": "a/cert" };

describe("contestedFields", () => {
  it.each([
    [
      "replicas of what is scaled",
      { "d.yaml": deployment({ replicas: 1 }), "h.yaml": autoscaler },
      /dns-scale scales it/,
    ],
    ["an injected bundle", { "w.yaml": webhook(INJECT, { caBundle: "Cg==" }) }, /inject-ca-from asks for/],
    ["an empty bundle", { "w.yaml": webhook(INJECT, { caBundle: "" }) }, /leave caBundle out/],
  ])("finds %s", (_, files, message) => {
    const found = contestedFields(snapshotOf(files));

    expect(found).toHaveLength(1);
    expect(found[0]?.message).toMatch(message);
  });

  it.each([
    ["what leaves the replicas out", { "d.yaml": deployment({}), "h.yaml": autoscaler }],
    ["what nobody scales", { "d.yaml": deployment({ replicas: 1 }) }],
    ["a bundle that nobody injects", { "w.yaml": webhook({}, { caBundle: "Cg==" }) }],
    ["an injected object without a bundle", { "w.yaml": webhook(INJECT, { url: "https://x.example" }) }],
  ])("has nothing against %s", (_, files) => {
    expect(contestedFields(snapshotOf(files))).toEqual([]);
  });
});

describe("adviceOn", () => {
  it.each([
    ["spec.replicas", "kube-controller-manager", "scale", /an autoscaler scales it/],
    ["spec.replicas", "kubectl", "scale", /or stop kubectl from/],
    ["webhooks[name=a].clientConfig.caBundle", "cert-manager-cainjector", "", /injects it: leave caBundle out/],
  ])("of %s by %s", (path, manager, subresource, text) => {
    expect(adviceOn({ path, manager, subresource })).toMatch(text);
  });
});
