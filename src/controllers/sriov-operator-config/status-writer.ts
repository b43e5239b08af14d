import type { Clock } from "../../async/index.ts";
import { isAborted, isKeelsonError, KeelsonError, messageOf } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import { apiVersionOf, equalJson, type JsonObject, stringifyJson } from "../../object/index.ts";
import type { OperatorConfig } from "./config.ts";
import { CONFIGS, MANAGER } from "./identity.ts";
import type { ConfigStatus } from "./status.ts";

/** What a writer works with. */
export interface StatusWriterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The config as last seen; undefined where there is none, or it is going. */
  readonly config: () => OperatorConfig | undefined;
  /** What there is to say now; undefined before the first reconcile. */
  readonly status: () => ConfigStatus | undefined;
  /** Whether steps are under way whose end is a matter of moments. */
  readonly isBusy: () => boolean;
  readonly onWritten: (status: ConfigStatus) => void;
  readonly onError: (error: KeelsonError) => void;
}

/** Changes come in bursts: they are written together. */
const TOGETHER_MS = 150;
/** A burst that lasts longer is told while it lasts. */
const PATIENCE_MS = 3_000;
const RETRY_MS = 10_000;

/** Keeps the config's status current: one write for a burst of changes, none where nothing differs. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #signal: AbortSignal | undefined;
  #isDue = false;
  /** Monotonic milliseconds of the first change that is not written. */
  #since: number | undefined;
  /** The definition is the operator's own, and has no fields for conditions and components. */
  #isNarrow = false;
  #told: ConfigStatus | undefined;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Writes from now on, until `signal` fires. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    this.changed();
  }

  /** Something may have changed. */
  changed(): void {
    this.#since ??= this.#options.clock.monotonic();
    this.#soon(TOGETHER_MS);
  }

  /** Writes what is due now. Rejects where that fails. */
  async flush(signal: AbortSignal): Promise<void> {
    const { config: read, status: compute } = this.#options;
    const config = read();
    const status = compute();
    this.#since = undefined;
    if (config === undefined || status === undefined) return;
    if (!isWritten(config.status, this.#contentOf(status))) await this.#write(config, status, signal);
    if (this.#told !== undefined && equalJson(this.#told, status)) return;
    this.#told = status;
    this.#options.onWritten(status);
  }

  #contentOf(status: ConfigStatus): JsonObject {
    const { injector, operatorWebhook } = status;
    return this.#isNarrow ? { injector, operatorWebhook } : { ...status };
  }

  async #write(config: OperatorConfig, status: ConfigStatus, signal: AbortSignal): Promise<void> {
    try {
      await this.#apply(config, this.#contentOf(status), signal);
    } catch (error) {
      if (this.#isNarrow || !isKeelsonError(error, "SchemaError", "BadRequest")) throw error;
      this.#isNarrow = true;
      if (isWritten(config.status, this.#contentOf(status))) return;
      await this.#apply(config, this.#contentOf(status), signal);
    }
  }

  async #apply(config: OperatorConfig, status: JsonObject, signal: AbortSignal): Promise<void> {
    const { name, namespace, uid } = config;
    const body = stringifyJson({
      apiVersion: apiVersionOf(CONFIGS),
      kind: CONFIGS.kind,
      metadata: { name, uid },
      status,
    });
    const options = { fieldManager: `${MANAGER}-status`, subresource: "status", signal } as const;
    await this.#options.client.apply(CONFIGS, { namespace, name }, body, options);
  }

  #soon(delayMs: number): void {
    const signal = this.#signal;
    if (this.#isDue || signal === undefined || signal.aborted) return;
    this.#isDue = true;
    this.#options.clock.after(delayMs, () => {
      this.#isDue = false;
      if (!signal.aborted) this.#onDue(signal);
    });
  }

  #onDue(signal: AbortSignal): void {
    const { clock, isBusy, onError } = this.#options;
    const waited = this.#since === undefined ? 0 : clock.monotonic() - this.#since;
    if (isBusy() && waited < PATIENCE_MS) {
      this.#soon(TOGETHER_MS);
      return;
    }
    this.flush(signal).catch((error: unknown) => {
      if (isAborted(error) || isKeelsonError(error, "NotFound")) return;
      onError(isKeelsonError(error) ? error : new KeelsonError("Internal", messageOf(error), { cause: error }));
      this.#since ??= clock.monotonic();
      this.#soon(RETRY_MS);
    });
  }
}

/** Whether a status stands in the object already. Fields of others do not count. Pure. */
export function isWritten(live: JsonObject, status: JsonObject): boolean {
  return Object.entries(status).every(([field, value]) => equalJson(live[field], value));
}
