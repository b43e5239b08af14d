import type { Clock } from "../../async/index.ts";
import type { KeelsonError } from "../../errors/index.ts";
import { type KubeClient, Reflector } from "../../kube/index.ts";
import { type OperatorConfig, parseConfig } from "./config.ts";
import { CONFIG_NAME, CONFIGS } from "./identity.ts";

/** Where the config is. */
export interface ConfigWatchOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
}

/** What a watch of the config tells. Called synchronously; must not throw. */
export interface ConfigListener {
  /** The config `default` as it is now; undefined where it is not there. */
  onConfig(config: OperatorConfig | undefined): void;
  /** It cannot be read now; tried again by itself. */
  onUnavailable(error: KeelsonError): void;
}

/** How soon a definition that was not there is looked for again. */
const RETRY_MS = 2_000;

/** Watches the one SriovOperatorConfig that counts, until `signal` fires. Others are not even read. */
export async function watchConfig(
  options: ConfigWatchOptions,
  listener: ConfigListener,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, namespace } = options;
  let config: OperatorConfig | undefined;
  const reflector = new Reflector<OperatorConfig>({
    client,
    clock,
    resource: CONFIGS,
    namespace,
    fieldSelector: `metadata.name=${CONFIG_NAME}`,
    project: parseConfig,
    onEvent: (event) => {
      switch (event.kind) {
        case "upsert":
          config = event.record;
          // The first list is told as a whole, when it has come.
          if (!event.initial || reflector.synced) listener.onConfig(config);
          return;
        case "delete":
          if (event.uid === config?.uid) config = undefined;
          listener.onConfig(config);
          return;
        case "synced":
          listener.onConfig(config);
          return;
        case "unavailable":
          listener.onUnavailable(event.error);
          clock.after(RETRY_MS, () => reflector.retryNow());
          return;
      }
    },
  });
  await reflector.run(signal);
}
