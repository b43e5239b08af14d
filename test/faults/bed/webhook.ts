import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { createLoopbackCertificate } from "../../control-plane/index.ts";
import { type Manifest, manifest } from "./manifests.ts";

/** A validating webhook on loopback, and the object that makes the API server ask it. */
export interface Webhook {
  readonly configuration: Manifest;
  /** From now on it lets everything pass. */
  allow(): void;
  /** Requests so far. */
  readonly asked: number;
  stop(): Promise<void>;
}

/**
 * Starts a webhook that is asked about ConfigMaps with label `webhook: NAME` and fails closed: it refuses each, or never
 * answers, so that the API server gives up after a second.
 */
export async function startWebhook(name: string, behaviour: "deny" | "hang"): Promise<Webhook> {
  const { key, certificate } = createLoopbackCertificate();
  let isAllowing = false;
  let asked = 0;
  const server = createServer({ key, cert: certificate }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.once("end", () => {
      asked += 1;
      const { request } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { request: { uid: string } };
      if (isAllowing || behaviour === "deny") review(outgoing, request.uid, isAllowing);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    configuration: configurationOf(name, { url: `https://127.0.0.1:${port}/`, certificate }),
    allow: () => {
      isAllowing = true;
    },
    get asked() {
      return asked;
    },
    stop: () => close(server),
  };
}

function review(outgoing: ServerResponse, uid: string, allowed: boolean): void {
  const response = { uid, allowed, ...(allowed ? {} : { status: { message: "not on my watch" } }) };
  outgoing.writeHead(200, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response }));
}

function configurationOf(name: string, at: { readonly url: string; readonly certificate: string }): Manifest {
  const webhook = {
    name: `${name}.faults.dev`,
    failurePolicy: "Fail",
    sideEffects: "None",
    timeoutSeconds: 1,
    admissionReviewVersions: ["v1"],
    clientConfig: { url: at.url, caBundle: Buffer.from(at.certificate).toString("base64") },
    objectSelector: { matchLabels: { webhook: name } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] }],
  };
  return manifest(
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    { name: `${name}.faults.dev` },
    { webhooks: [webhook] },
  );
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
