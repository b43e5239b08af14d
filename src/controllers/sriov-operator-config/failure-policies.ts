import { isKeelsonError, messageOf } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import type { Logger } from "../../log/index.ts";
import { guardedPatch, isJsonObject, type JsonPatch, type KubeObject, stringifyJson } from "../../object/index.ts";
import { MANAGER, WEBHOOK_CONFIGURATIONS } from "./identity.ts";

/**
 * Lets every webhook of the operator fail open, as nobody looks after them from now on: without this, Pods and policies
 * could not be written while the nodes of the webhooks are drained. The next start sets them back. A configuration that
 * is missing, empty or refuses the write is skipped.
 */
export async function ignoreFailures(client: KubeClient, log: Logger, signal: AbortSignal): Promise<void> {
  await Promise.all(
    WEBHOOK_CONFIGURATIONS.map(async ({ resource, name }) => {
      const target = { namespace: "", name };
      try {
        const patch = ignorePatch(await client.get(resource, target, { signal }));
        if (patch === undefined) return;
        const body = stringifyJson(patch);
        await client.patch(resource, target, { type: "json", body }, { fieldManager: `${MANAGER}-stop`, signal });
        log.info(`${resource.kind} ${name}: its webhooks may fail while Keelson is stopped`);
      } catch (error) {
        if (isKeelsonError(error, "NotFound")) return;
        log.warn(`${resource.kind} ${name}: its failure policy cannot be set to Ignore: ${messageOf(error)}`);
      }
    }),
  );
}

/** Undefined where no webhook has another policy. Pure. */
export function ignorePatch(live: KubeObject): JsonPatch | undefined {
  const { webhooks } = live;
  const list: readonly unknown[] = Array.isArray(webhooks) ? webhooks : [];
  const operations = list.flatMap((webhook, index) =>
    isJsonObject(webhook) && webhook.failurePolicy !== "Ignore"
      ? [{ op: "replace", path: `/webhooks/${index}/failurePolicy`, value: "Ignore" } as const]
      : [],
  );
  return operations.length === 0 ? undefined : guardedPatch(live, operations);
}
