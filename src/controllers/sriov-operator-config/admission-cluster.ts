import { isKeelsonError } from "../../errors/index.ts";
import type { ApiResource, KubeClient } from "../../kube/index.ts";
import type { KubeObject } from "../../object/index.ts";
import { CONFIG_NAME, CONFIGS, NODE_STATES, POLICIES } from "./identity.ts";
import { parseSupportedNics, type SupportedNics } from "./supported-nics.ts";

/** What the rules look at in the cluster, as it is at that moment. */
export interface AdmissionCluster {
  /** The stored config; undefined where there is none. */
  config(): Promise<KubeObject | undefined>;
  policies(): Promise<readonly KubeObject[]>;
  nodeStates(): Promise<readonly KubeObject[]>;
  nodes(): Promise<readonly KubeObject[]>;
}

function coreResource(kind: string, resource: string, namespaced: boolean): ApiResource {
  return { group: "", version: "v1", kind, resource, namespaced, verbs: ["get", "list"], subresources: [] };
}

const NODES: ApiResource = coreResource("Node", "nodes", false);
const CONFIG_MAPS: ApiResource = coreResource("ConfigMap", "configmaps", true);
const SUPPORTED_NICS = "supported-nic-ids";

/** Reads the cluster anew for each question: reviews are rare, and must not judge by what was. */
export function admissionCluster(client: KubeClient, namespace: string): AdmissionCluster {
  const list = async (resource: ApiResource): Promise<readonly KubeObject[]> => {
    const objects: KubeObject[] = [];
    const selection = resource.namespaced ? { namespace } : {};
    for await (const page of client.list(resource, selection)) objects.push(...page.objects);
    return objects;
  };
  return {
    async config() {
      try {
        return await client.get(CONFIGS, { namespace, name: CONFIG_NAME });
      } catch (error) {
        if (isKeelsonError(error, "NotFound")) return undefined;
        throw error;
      }
    },
    policies: () => list(POLICIES),
    nodeStates: () => list(NODE_STATES),
    nodes: () => list(NODES),
  };
}

/** The network cards that the operator supports. @throws where the ConfigMap is not there. */
export async function readSupportedNics(client: KubeClient, namespace: string): Promise<SupportedNics> {
  return parseSupportedNics((await client.get(CONFIG_MAPS, { namespace, name: SUPPORTED_NICS })).data);
}
