import {
  type Change,
  describeReason,
  type EngineListener,
  type EngineStatus,
  type Fight,
  refOfStep,
  type SetRemark,
  type Step,
} from "../../converge/index.ts";
import type { KeelsonError } from "../../errors/index.ts";
import type { ApiResource, EventRecorder, RecordedEvent } from "../../kube/index.ts";
import type { ChangeLog, Logger } from "../../log/index.ts";
import type { ManifestSnapshot } from "../../manifest/index.ts";
import { apiVersionOf, describeRef, type GroupVersionKind, groupKindKey, parseRefKey } from "../../object/index.ts";
import type { ChangeMemory } from "./change-memory.ts";
import { adviceOn, contestedFields, knownRival } from "./contested.ts";
import type { DesiredAddons } from "./desired.ts";
import { failureText } from "./failure-text.ts";
import { type SetNames, SYSTEM_NAMESPACE } from "./identity.ts";
import type { Spectator } from "./view.ts";

/** Where a reporter says things. */
export interface ReporterOptions {
  readonly log: Logger;
  /** Says a thing once until it changes. */
  readonly said: ChangeLog;
  readonly recorder: EventRecorder;
  readonly names: SetNames;
  /** Remembers what was changed, for the status. */
  readonly memory: ChangeMemory;
  readonly onStatus: () => void;
  /** A step was executed, a failed one too: for the journal. */
  readonly onWrite?: (change: Change) => void;
  /** Prune holds an object back that it did not hold back before: for the journal. */
  readonly onHoldBack?: (kept: EngineStatus["kept"][number]) => void;
  readonly spectator?: Spectator | undefined;
}

/** Puts what the engine and the source tell into log lines and Events: changes once each, unchanged objects never. */
export class Reporter implements EngineListener {
  readonly #options: ReporterOptions;
  /** What was said of the source, so that what is over can be forgotten. */
  #sourceKeys: ReadonlySet<string> = new Set();
  #holdKeys: ReadonlySet<string> = new Set();
  #pauseKeys: ReadonlySet<string> = new Set();

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  onChange(change: Change): void {
    const { log, said, memory, onWrite } = this.#options;
    onWrite?.(change);
    this.#options.spectator?.onChange(change);
    memory.note(change);
    const name = describeRef(change.ref);
    const where = placeOf(change.origin);
    for (const warning of change.warnings)
      said.report({ key: `${change.key} ${warning}`, level: "warn", message: `${name}: ${warning}`, fields: where });
    if (change.error !== undefined) {
      this.#onFailure(change, change.error);
      return;
    }
    said.clear(change.key);
    if (change.outcome === "unchanged" || change.outcome === "skipped") return;
    const remarks = change.remarks.length === 0 ? "" : `; ${change.remarks.join("; ")}`;
    log.info(`${name} ${change.outcome}: ${change.reason}${remarks}`, where);
    this.#event(change, "Normal", eventOf(change, `${change.reason}${remarks}`));
    this.#warnOfRival(change);
  }

  /** Where a controller that never gives up has set a field, the first repair already says how it ends. */
  #warnOfRival({ step: { reason }, key, ref, origin }: Change): void {
    if (reason.kind !== "drifted") return;
    for (const { path, owner } of reason.fields) {
      const advice = owner === undefined ? undefined : knownRival(path, owner.manager, owner.subresource);
      if (advice === undefined) continue;
      const message = `${describeRef(ref)}: ${advice}`;
      this.#options.said.report({ key: `rival ${key} ${path}`, level: "warn", message, fields: placeOf(origin) });
    }
  }

  onStatus(): void {
    this.#options.onStatus();
    this.#options.spectator?.onStatus();
  }

  onAvailability(resource: ApiResource, error: KeelsonError | undefined): void {
    const key = `kind ${groupKindKey(resource)}`;
    if (error === undefined) {
      if (this.#options.said.clear(key))
        this.#options.log.info(`${groupKindKey(resource)} can be listed and watched again`);
      return;
    }
    const message = `${groupKindKey(resource)} cannot be listed or watched: ${error.message}; drift of these objects is looked for at every interval only`;
    this.#options.said.report({ key, level: "warn", message });
    this.#options.onStatus();
  }

  onDefinitionsUnwatched(resource: ApiResource, error: KeelsonError): void {
    const message = `${groupKindKey(resource)} cannot be watched: ${error.message}; kinds that come or go are seen at every interval only`;
    this.#options.said.report({ key: `definitions ${groupKindKey(resource)}`, level: "warn", message });
  }

  onReachable(isReachable: boolean, error: KeelsonError | undefined): void {
    if (isReachable) this.#options.log.info("The API server answers again");
    else this.#options.log.warn("The API server cannot be reached: waiting for it", { error: error?.message });
    this.#options.onStatus();
  }

  onFight(key: string, fight: Fight, step: Step): void {
    const ref = parseRefKey(key);
    const text = `${fight.manager} keeps changing ${fight.path}; repairs back off, up to ten minutes: ${adviceOn(fight)}`;
    this.#options.log.warn(`${describeRef(ref)}: ${text}`);
    const about = `${fight.manager} ${fight.path}`;
    const { kind, namespace, name } = ref;
    const apiVersion = "desired" in step ? step.desired.apiVersion : apiVersionIn(ref);
    const uid = "live" in step ? step.live.uid : undefined;
    const regarding = { apiVersion, kind, namespace, name, uid };
    this.#options.recorder.record({
      regarding,
      type: "Warning",
      reason: "Fighting",
      action: "Apply",
      note: text,
      about,
    });
  }

  onUnserved(kinds: readonly GroupVersionKind[]): void {
    for (const kind of kinds) {
      const message = `the API server does not serve ${apiVersionOf(kind)} ${kind.kind} of the prune list: nothing of that kind is pruned`;
      this.#options.said.report({ key: `unserved ${groupKindKey(kind)}`, level: "warn", message });
    }
  }

  onSelfCheckMiss(key: string): void {
    this.#options.log.error(
      `${describeRef(parseRefKey(key))}: the self-check found drift that no event told; please report this`,
    );
  }

  /** Problems, warnings and remarks of the source: each once until it changes. */
  source(snapshot: ManifestSnapshot, addons: DesiredAddons): void {
    const keys = new Set<string>();
    for (const { key, level, message, place, event } of sayings(snapshot, addons)) {
      keys.add(key);
      const isNew = this.#options.said.report({ key, level, message, fields: placeOf(place) });
      if (isNew && event !== undefined) this.#sourceEvent(event, `${placeOf(place).file ?? ""}: ${message}`);
    }
    for (const key of this.#sourceKeys) if (!keys.has(key)) this.#options.said.clear(key);
    this.#sourceKeys = keys;
  }

  /** What shows only beside the other objects or beside the cluster. */
  remarks(remarks: readonly SetRemark[]): void {
    this.#options.spectator?.onStatus();
    for (const { key, code, severity, message, origin } of remarks) {
      const level = severity === "error" ? "error" : "warn";
      const name = describeRef(parseRefKey(key));
      this.#options.said.report({
        key: `${code} ${key} ${origin.file}:${origin.line}`,
        level,
        message: `${name}: ${message}`,
        fields: placeOf(origin),
      });
    }
  }

  /** Objects that prune holds until somebody decides: each once, until its reason changes or it is held no longer. */
  holds(kept: EngineStatus["kept"]): void {
    const keys = new Set<string>();
    for (const each of kept) {
      const { live, reason, isConfirmable } = each;
      if (!isConfirmable) continue;
      const key = `hold ${live.key}`;
      keys.add(key);
      const message = `${describeRef(live.ref)} is not pruned: ${reason}; see \`keelson status\``;
      if (!this.#options.said.report({ key, level: "warn", message })) continue;
      this.#options.onHoldBack?.(each);
      const { kind, namespace, name } = live.ref;
      const regarding = { apiVersion: apiVersionIn(live.ref), kind, namespace, name, uid: live.uid };
      const note = `not pruned: ${reason}; see \`keelson status\``;
      this.#options.recorder.record({ regarding, type: "Warning", reason: "PruneHeld", action: "Prune", note });
    }
    for (const key of this.#holdKeys) if (!keys.has(key)) this.#options.said.clear(key);
    this.#holdKeys = keys;
  }

  /** What is not done because it is paused: each once, until it is another thing or done. */
  paused(paused: EngineStatus["paused"]): void {
    const keys = new Set<string>();
    for (const { step, until } of paused) {
      const key = `paused ${step.key}`;
      keys.add(key);
      const what = `${step.kind}: ${describeReason(step.reason)}`;
      const message = `${describeRef(refOfStep(step))} is paused until ${new Date(until).toISOString()}; not done: ${what}`;
      this.#options.said.report({ key, level: "warn", message });
    }
    for (const key of this.#pauseKeys) if (!keys.has(key)) this.#options.said.clear(key);
    this.#pauseKeys = keys;
  }

  #onFailure(change: Change, error: KeelsonError): void {
    const { said } = this.#options;
    const message = `${describeRef(change.ref)}: ${change.step.kind} failed: ${failureText(change.ref, error)}`;
    const level = error.disposition === "transient" ? "warn" : "error";
    if (!said.report({ key: change.key, level, message, fields: { ...placeOf(change.origin), code: error.code } }))
      return;
    const note = `${change.step.kind} failed: ${error.code}: ${failureText(change.ref, error)}`;
    this.#event(change, "Warning", {
      reason: "Failed",
      note,
      about: `${change.step.kind} ${error.code} ${error.message}`,
    });
  }

  #event(change: Change, type: "Normal" | "Warning", text: EventText): void {
    const { ref, uid, step } = change;
    const apiVersion = "desired" in step ? step.desired.apiVersion : apiVersionIn(ref);
    const { kind, namespace, name } = ref;
    const action = ACTIONS[step.kind];
    this.#options.recorder.record({ regarding: { apiVersion, kind, namespace, name, uid }, type, action, ...text });
  }

  /** A file has no object: its Events are about the status ConfigMap. */
  #sourceEvent(reason: string, note: string): void {
    const name = this.#options.names.statusConfigMap;
    const regarding = { apiVersion: "v1", kind: "ConfigMap", namespace: SYSTEM_NAMESPACE, name };
    this.#options.recorder.record({ regarding, type: "Warning", reason, note });
  }
}

type EventText = Pick<RecordedEvent, "reason" | "note" | "about" | "isMinor">;

const ACTIONS: Readonly<Record<Change["step"]["kind"], string>> = {
  create: "Create",
  apply: "Apply",
  ensure: "Create",
  relabel: "Apply",
  delete: "Prune",
  release: "Release",
};

/** The Event of a step that was done. A first convergence makes many alike: those are minor. */
function eventOf({ outcome, step }: Change, note: string): EventText {
  const { reason } = step;
  if (reason.kind === "drifted") {
    const fields = reason.fields.map(({ path, kind, owner }) => `${path} ${kind} ${owner?.manager}`);
    return { reason: "DriftReverted", note, about: `drift ${fields.join(" ")}` };
  }
  if (reason.kind === "deleted") return { reason: "DriftReverted", note: `${note}: created again` };
  if (outcome === "deleted") return { reason: "Pruned", note };
  if (outcome === "released") return { reason: "Released", note };
  return { reason: outcome === "created" ? "Created" : "Configured", note, isMinor: true };
}

/** An object that nobody declares any more is known by group and kind; all kinds that are pruned have a version 1. */
function apiVersionIn({ group }: { readonly group: string }): string {
  return apiVersionOf({ group, version: "v1" });
}

/** One thing to say about the source. */
interface Saying {
  readonly key: string;
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly place?: Place;
  /** Reason of the Event that goes with it. */
  readonly event?: string;
}

type Place = { readonly file: string; readonly line?: number | undefined };

function* sayings(snapshot: ManifestSnapshot, addons: DesiredAddons): Iterable<Saying> {
  const { root, state } = snapshot;
  if (state.kind === "missing")
    yield { key: "source", level: "error", message: `${root}: ${state.message}; nothing is pruned` };
  else if (snapshot.objects.length === 0)
    yield { key: "source", level: "info", message: `${root}: no objects; nothing is pruned` };
  for (const { key, message, file, line, code } of snapshot.problems) {
    yield { key: `problem ${key}`, level: "error", message, place: { file, line }, event: code };
  }
  for (const { file, line, message } of snapshot.warnings) {
    yield { key: `warning ${file} ${message}`, level: "warn", message, place: { file, line } };
  }
  for (const { origin, kind, name, warnings } of snapshot.objects) {
    if (warnings.length === 0) continue;
    for (const { message, line } of warnings) {
      const place = { file: origin.file, line };
      yield {
        key: `warning ${origin.file} ${kind} ${name} ${message}`,
        level: "warn",
        message: `${kind} ${name}: ${message}`,
        place,
      };
    }
  }
  for (const { manifest, message } of contestedFields(snapshot)) {
    const { kind, name, origin } = manifest;
    const key = `contested ${origin.file} ${kind} ${name}`;
    yield { key, level: "warn", message: `${kind} ${name}: ${message}`, place: origin };
  }
  yield* labelSayings(addons);
}

function* labelSayings({ omitted, deprecated }: DesiredAddons): Iterable<Saying> {
  const advice = "label kubernetes.io/cluster-service is deprecated: use addonmanager.kubernetes.io/mode";
  for (const { kind, name, origin } of deprecated) {
    yield {
      key: `deprecated ${origin.file} ${kind} ${name}`,
      level: "warn",
      message: `${kind} ${name}: ${advice}`,
      place: origin,
    };
  }
  for (const { manifest, hint } of omitted) {
    if (hint === undefined) continue;
    const { kind, name, origin } = manifest;
    yield {
      key: `omitted ${origin.file} ${kind} ${name}`,
      level: "warn",
      message: `${kind} ${name}: ${hint}`,
      place: origin,
    };
  }
}

function placeOf(origin: Place | undefined): Readonly<Record<string, string>> {
  if (origin?.file === undefined || origin.file === "") return {};
  return { file: origin.line === undefined ? origin.file : `${origin.file}:${origin.line}` };
}
