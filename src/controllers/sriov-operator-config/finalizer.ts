import { isKeelsonError } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import { type OperatorConfig, parseConfig } from "./config.ts";
import { CONFIGS, FINALIZER, MANAGER } from "./identity.ts";

/**
 * Makes sure that the config cannot go before what it made is gone. A merge patch of the finalizers alone: a PUT of the
 * whole would drop fields that are false or 0 (sriov-network-operator#878). Returns the config as it is then.
 */
export async function ensureFinalizer(
  client: KubeClient,
  config: OperatorConfig,
  signal: AbortSignal,
): Promise<OperatorConfig> {
  if (config.finalizers.includes(FINALIZER)) return config;
  return patchFinalizers(client, config, { finalizers: [...config.finalizers, FINALIZER], signal });
}

/** Takes our finalizer away, and no other. That the config is gone already is fine. */
export async function removeFinalizer(client: KubeClient, config: OperatorConfig, signal: AbortSignal): Promise<void> {
  try {
    const target = { namespace: config.namespace, name: config.name };
    const live = parseConfig(await client.get(CONFIGS, target, { signal }));
    if (live.uid !== config.uid || !live.finalizers.includes(FINALIZER)) return;
    const finalizers = live.finalizers.filter((name) => name !== FINALIZER);
    await patchFinalizers(client, live, { finalizers, signal });
  } catch (error) {
    if (!isKeelsonError(error, "NotFound")) throw error;
  }
}

/** Guarded by the resourceVersion: a list is replaced as a whole, and somebody may have added a finalizer meanwhile. */
async function patchFinalizers(
  client: KubeClient,
  config: OperatorConfig,
  write: { readonly finalizers: readonly string[]; readonly signal: AbortSignal },
): Promise<OperatorConfig> {
  const { name, namespace, uid, resourceVersion } = config;
  const body = JSON.stringify({ metadata: { uid, resourceVersion, finalizers: write.finalizers } });
  const options = { fieldManager: MANAGER, fieldValidation: "Ignore", signal: write.signal } as const;
  const { object } = await client.patch(CONFIGS, { namespace, name }, { type: "merge", body }, options);
  return parseConfig(object);
}
