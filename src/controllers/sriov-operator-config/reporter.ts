import type { Change, EngineListener, Fight } from "../../converge/index.ts";
import type { KeelsonError } from "../../errors/index.ts";
import type { ApiResource, EventRecorder } from "../../kube/index.ts";
import type { ChangeLog, Logger } from "../../log/index.ts";
import { apiVersionOf, describeRef, groupKindKey, parseRefKey } from "../../object/index.ts";
import type { OperatorConfig } from "./config.ts";
import type { RenderedComponent } from "./desired.ts";
import { CONFIGS } from "./identity.ts";
import type { Condition, ConfigStatus } from "./status.ts";

/** Where a reporter says things. */
export interface ReporterOptions {
  readonly log: Logger;
  /** Says a thing once until it changes. */
  readonly said: ChangeLog;
  readonly recorder: EventRecorder;
  /** The config that Events are about; undefined where there is none. */
  readonly config: () => OperatorConfig | undefined;
  /** The component that an object belongs to. */
  readonly componentOf: (key: string) => string | undefined;
  readonly onStatus: () => void;
}

/** Puts what happens into log lines and Events: each thing once until it changes, what is unchanged never. */
export class Reporter implements EngineListener {
  readonly #options: ReporterOptions;
  #ready: string | undefined;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  onChange(change: Change): void {
    const { log, said } = this.#options;
    const name = describeRef(change.ref);
    for (const warning of change.warnings) {
      said.report({ key: `${change.key} ${warning}`, level: "warn", message: `${name}: ${warning}` });
    }
    if (change.error !== undefined) {
      this.#onFailure(change, change.error);
      return;
    }
    said.clear(change.key);
    if (change.outcome === "unchanged" || change.outcome === "skipped") return;
    const remarks = change.remarks.length === 0 ? "" : `; ${change.remarks.join("; ")}`;
    log.info(`${name} ${change.outcome}: ${change.reason}${remarks}`, this.#placeOf(change.key));
    const isRepair = change.step.reason.kind === "drifted" || change.step.reason.kind === "deleted";
    if (isRepair) this.event("Normal", "OperandRepaired", `${name}: ${change.reason}`);
  }

  onStatus(): void {
    this.#options.onStatus();
  }

  onAvailability(resource: ApiResource, error: KeelsonError | undefined): void {
    const { said, log, onStatus } = this.#options;
    const kind = groupKindKey(resource);
    const key = `kind ${kind}`;
    if (error === undefined) {
      if (said.clear(key)) log.info(`${kind} can be listed and watched again`);
    } else {
      const message = `${kind} cannot be listed or watched: ${error.message}; drift of these objects is looked for at every resync only`;
      said.report({ key, level: "warn", message });
    }
    onStatus();
  }

  onReachable(isReachable: boolean, error: KeelsonError | undefined): void {
    const { log, onStatus } = this.#options;
    if (isReachable) log.info("The API server answers again");
    else log.warn("The API server cannot be reached: waiting for it", { error: error?.message });
    onStatus();
  }

  onFight(key: string, fight: Fight): void {
    const name = describeRef(parseRefKey(key));
    const note = `${name}: ${fight.manager} keeps changing ${fight.path}; repairs back off: stop ${fight.manager} from setting it`;
    this.#options.log.warn(note);
    this.event("Warning", "Fight", note);
  }

  /** The monitoring kinds are optional: whether one is missing that is needed shows in its object. */
  onUnserved(): void {}

  onSelfCheckMiss(key: string): void {
    const name = describeRef(parseRefKey(key));
    this.#options.log.error(`${name}: the self-check found drift that no event told; please report this`);
  }

  /** What keeps components from being rendered, and which objects wait for their kind. */
  components(components: readonly RenderedComponent[], unserved: readonly string[]): void {
    for (const { name, errors } of components) {
      const message = errors.map((error) => error.message).join("; ");
      if (message === "") {
        this.#options.said.clear(`component ${name}`);
        continue;
      }
      const reason = errors.some(({ code }) => code === "Refused") ? "UnsupportedConfiguration" : "ComponentFailed";
      const isNew = this.#options.said.report({
        key: `component ${name}`,
        level: "error",
        message: `${name}: ${message}`,
      });
      if (isNew) this.event("Warning", reason, `${name}: ${message}`);
    }
    for (const key of unserved) {
      const message = `${describeRef(parseRefKey(key))}: the API server does not serve its kind: it is applied as soon as it does`;
      const isNew = this.#options.said.report({ key: `unserved ${key}`, level: "warn", message });
      if (isNew) this.event("Warning", "KindNotServed", message);
    }
  }

  /** A status has been written: a change of Ready is an Event, also where the definition has no conditions. */
  status(status: ConfigStatus): void {
    const ready = status.conditions.find(({ type }) => type === "Ready");
    if (ready === undefined || this.#ready === readyText(ready)) return;
    const isFirst = this.#ready === undefined;
    this.#ready = readyText(ready);
    if (ready.status === "True") {
      if (!isFirst) this.event("Normal", "Ready", ready.message);
    } else
      this.event(ready.reason === "Applying" ? "Normal" : "Warning", "NotReady", `${ready.reason}: ${ready.message}`);
  }

  /** An Event about the config. */
  event(type: "Normal" | "Warning", reason: string, note: string): void {
    const config = this.#options.config();
    if (config === undefined) return;
    const { namespace, name, uid } = config;
    const regarding = { apiVersion: apiVersionOf(CONFIGS), kind: CONFIGS.kind, namespace, name, uid };
    this.#options.recorder.record({ regarding, type, reason, note });
  }

  #onFailure(change: Change, error: KeelsonError): void {
    const component = this.#options.componentOf(change.key);
    const name = describeRef(change.ref);
    const message = `${component === undefined ? "" : `${component}: `}${name}: ${change.step.kind} failed: ${error.message}`;
    const level = error.disposition === "transient" ? "warn" : "error";
    if (!this.#options.said.report({ key: change.key, level, message, fields: { code: error.code } })) return;
    this.event("Warning", error.code === "Forbidden" ? "MissingRights" : "ComponentFailed", message);
  }

  #placeOf(key: string): Readonly<Record<string, string>> {
    const component = this.#options.componentOf(key);
    return component === undefined ? {} : { component };
  }
}

function readyText({ status, reason }: Condition): string {
  return `${status} ${reason}`;
}
