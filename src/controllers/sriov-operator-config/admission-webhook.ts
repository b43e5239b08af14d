import { KeelsonError, messageOf } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import { reviewers } from "./admission.ts";
import { admissionCluster, readSupportedNics } from "./admission-cluster.ts";
import { type AdmissionServerOptions, serveAdmission } from "./admission-server.ts";
import type { Environment } from "./environment.ts";

/** What the admission webhook needs beside its server's options. */
export interface WebhookOptions extends Omit<AdmissionServerOptions, "reviewers"> {
  readonly client: KubeClient;
  /** NAMESPACE and DEV_MODE are read. */
  readonly environment: Environment;
}

/**
 * Runs the admission webhook of the operator's resources until `signal` fires.
 *
 * @throws KeelsonError InvalidFlag where NAMESPACE is not set, NotFound where ConfigMap `supported-nic-ids` is not there
 */
export async function runAdmissionWebhook(options: WebhookOptions, signal: AbortSignal): Promise<void> {
  const { client, environment } = options;
  const namespace = environment.NAMESPACE ?? "";
  if (namespace === "") {
    throw new KeelsonError("InvalidFlag", "NAMESPACE: it has to name the operator's namespace", {
      object: "NAMESPACE",
    });
  }
  const nics = await readSupportedNics(client, namespace).catch((error: unknown) => {
    const message = `the supported network cards cannot be read: ${messageOf(error)}`;
    throw new KeelsonError("NotFound", message, { cause: error, object: `ConfigMap ${namespace}/supported-nic-ids` });
  });
  const isDevMode = environment.DEV_MODE === "TRUE";
  const cluster = admissionCluster(client, namespace);
  await serveAdmission({ ...options, reviewers: reviewers({ namespace, cluster, nics, isDevMode }) }, signal);
}
