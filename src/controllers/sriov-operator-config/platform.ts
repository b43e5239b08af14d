import { isAborted, KeelsonError, messageOf } from "../../errors/index.ts";
import type { ApiResource, KubeClient } from "../../kube/index.ts";
import { fieldOf } from "../../object/index.ts";
import type { OperatorEnvironment } from "./environment.ts";

/** What kind of cluster it is; found out once, at the start. */
export interface Platform {
  readonly isOpenshift: boolean;
  /** OpenShift whose control plane runs elsewhere: no masters, and no MachineConfig operator. */
  readonly isHypershift: boolean;
}

const INFRASTRUCTURES: ApiResource = {
  group: "config.openshift.io",
  version: "v1",
  kind: "Infrastructure",
  resource: "infrastructures",
  namespaced: false,
  verbs: ["get"],
  subresources: [],
};
const WITHIN_MS = 30_000;

/** CLUSTER_TYPE says whether it is OpenShift; the Infrastructure `cluster` says which. @throws where that cannot be read. */
export async function detectPlatform(
  client: KubeClient,
  environment: OperatorEnvironment,
  signal: AbortSignal,
): Promise<Platform> {
  if (environment.clusterType !== "openshift") return { isOpenshift: false, isHypershift: false };
  const within = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  try {
    const object = await client.get(INFRASTRUCTURES, { namespace: "", name: "cluster" }, { signal: within });
    const isHypershift = fieldOf(object.status, "controlPlaneTopology") === "External";
    return { isOpenshift: true, isHypershift };
  } catch (error) {
    if (isAborted(error) && signal.aborted) throw error;
    const message = `CLUSTER_TYPE is openshift, but Infrastructure cluster cannot be read: ${messageOf(error)}`;
    throw new KeelsonError("NotFound", message, { cause: error, object: "Infrastructure cluster" });
  }
}
