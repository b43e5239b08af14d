import type { Clock } from "../../async/index.ts";
import { KeelsonError, messageOf } from "../../errors/index.ts";
import type { KubeClient, ReflectorEvent } from "../../kube/index.ts";
import { digestOf, isJsonObject, type JsonObject, type ObjectRef, refKey } from "../../object/index.ts";
import type { SetNames } from "./identity.ts";
import { type OwnConfigMap, watchOwn, writeOwn } from "./own-config-map.ts";

/** Key of the control ConfigMap under which a confirmation stands. */
const CONFIRM_KEY = "prune-confirm.json";
const HOLD_KEY = "hold.json";
const RESUME_KEY = "resume.json";
/** Each pause has a key of its own, so that two people never write over each other's. */
const PAUSE_PREFIX = "pause.";

/** What people have told the daemon, as far as it is understood. Times are wall clock, milliseconds. */
export interface Control {
  /** The held list whose prune is confirmed, and when that was said. */
  readonly confirmation: (Said & { readonly digest: string }) | undefined;
  /** The revision that is to be kept instead of the directory. */
  readonly hold: Hold | undefined;
  /** Who ended the last hold. */
  readonly resumed: Said | undefined;
  readonly pauses: readonly Pause[];
  /** Parts that cannot be read, in words. */
  readonly faults: readonly string[];
}

/** Who said a thing, and when (0: not known). */
export interface Said {
  readonly by: string;
  readonly at: number;
}

/** A rollback: the set is kept as the revision has it until somebody resumes. */
export interface Hold extends Said {
  readonly revision: number;
  readonly reason: string | undefined;
}

/** What is paused: one object, or everything that a file declares. */
export type PauseTarget =
  | { readonly kind: "object"; readonly ref: ObjectRef }
  /** Path relative to the directory. */
  | { readonly kind: "file"; readonly file: string };

/** Something that is not to be written to until `until`. */
export interface Pause extends Said {
  readonly target: PauseTarget;
  readonly until: number;
  readonly reason: string | undefined;
}

/** Reads the control ConfigMap; a part that is malformed is a fault and changes nothing. Pure. */
export function parseControl(own: OwnConfigMap): Control {
  const faults: string[] = [];
  const read = <T>(key: string, decode: (value: JsonObject, by: string) => T | undefined): T | undefined => {
    const text = own.data[key];
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      const decoded = isJsonObject(value) ? decode(value, own.writers.get(key) ?? "unknown") : undefined;
      if (decoded === undefined) faults.push(`${key}: ${WANTED[key] ?? WANTED[PAUSE_PREFIX]}`);
      return decoded;
    } catch (error) {
      faults.push(`${key}: ${messageOf(error)}`);
      return undefined;
    }
  };
  const confirmation = read(CONFIRM_KEY, decodeConfirmation);
  const hold = read(HOLD_KEY, decodeHold);
  const resumed = read(RESUME_KEY, saidBy);
  const keys = Object.keys(own.data).filter((key) => key.startsWith(PAUSE_PREFIX));
  const pauses = keys.flatMap((key) => read(key, decodePause) ?? []);
  return { confirmation, hold, resumed, pauses, faults };
}

/** What the control ConfigMap says where it is not there. */
export const NOTHING_SAID: Control = {
  confirmation: undefined,
  hold: undefined,
  resumed: undefined,
  pauses: [],
  faults: [],
};

const WANTED: Readonly<Record<string, string>> = {
  [CONFIRM_KEY]: 'has no "digest", or no "at" that is a time',
  [HOLD_KEY]: 'has no "revision" that is a number from 1',
  [PAUSE_PREFIX]: 'has no "object" or "file", or no "until" that is a time',
};

function decodeConfirmation(value: JsonObject, writer: string): Control["confirmation"] {
  const { digest, at } = value;
  if (typeof digest !== "string" || timeOf(at) === undefined) return undefined;
  return { digest, ...saidBy(value, writer) };
}

function decodeHold(value: JsonObject, writer: string): Hold | undefined {
  const { revision } = value;
  if (typeof revision !== "number" || !Number.isInteger(revision) || revision < 1) return undefined;
  return { revision, reason: textOf(value.reason), ...saidBy(value, writer) };
}

function decodePause(value: JsonObject, writer: string): Pause | undefined {
  const until = timeOf(value.until);
  const { file, object } = value;
  const ref = isJsonObject(object) ? decodeRef(object) : undefined;
  if (until === undefined || (ref === undefined && typeof file !== "string")) return undefined;
  const target: PauseTarget = ref === undefined ? { kind: "file", file: String(file) } : { kind: "object", ref };
  return { target, until, reason: textOf(value.reason), ...saidBy(value, writer) };
}

function decodeRef({ group = "", kind, namespace = "", name }: JsonObject): ObjectRef | undefined {
  const isWhole = typeof kind === "string" && typeof name === "string";
  return isWhole && typeof group === "string" && typeof namespace === "string"
    ? { group, kind, namespace, name }
    : undefined;
}

function saidBy({ by, at }: JsonObject, writer: string): Said {
  return { by: textOf(by) ?? writer, at: timeOf(at) ?? 0 };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/**
 * A confirmation is about the list that a person has just seen. The same objects may be held again, months later and for
 * another reason: nobody has confirmed that.
 */
const CONFIRMED_FOR_MS = 3_600_000;

/** The digest that is confirmed at `now` (wall clock, milliseconds). */
export function confirmedDigest(control: Control, now: number): string | undefined {
  const { confirmation } = control;
  return confirmation !== undefined && now - confirmation.at < CONFIRMED_FOR_MS ? confirmation.digest : undefined;
}

/** Tells the daemon that the prune of the held list with this digest is confirmed. */
export async function writeConfirmation(
  client: KubeClient,
  names: SetNames,
  confirmation: Told & { readonly digest: string },
): Promise<void> {
  const { digest, at, by, signal } = confirmation;
  const data = { [CONFIRM_KEY]: JSON.stringify({ digest, at, by }) };
  await writeOwn(client, names.controlConfigMap, { data, manager: `${names.manager}-cli`, signal });
}

/** Tells the daemon to keep a revision instead of the directory. It is not checked here whether that can be. */
export function writeHold(
  client: KubeClient,
  names: SetNames,
  told: Told & { readonly revision: number },
): Promise<void> {
  const { revision, reason, by, at, signal } = told;
  return tell(client, names, { data: { [HOLD_KEY]: encode({ revision, by, at, reason }) }, signal });
}

/** Tells the daemon to keep the directory again. */
export function writeResume(client: KubeClient, names: SetNames, { by, at, signal }: Told): Promise<void> {
  return tell(client, names, { data: { [HOLD_KEY]: null, [RESUME_KEY]: encode({ by, at }) }, signal });
}

/** Tells the daemon not to write to something for a while. Another pause of the same thing is replaced. */
export function writePause(
  client: KubeClient,
  names: SetNames,
  told: Told & { readonly target: PauseTarget; readonly until: number },
): Promise<void> {
  const { target, until, by, at, reason, signal } = told;
  const what = target.kind === "file" ? { file: target.file } : { object: target.ref };
  const value = encode({ ...what, until: new Date(until).toISOString(), by, at, reason });
  return tell(client, names, { data: { [pauseKey(target)]: value }, signal });
}

/** Ends pauses before their time. */
export function removePauses(
  client: KubeClient,
  names: SetNames,
  told: { readonly targets: readonly PauseTarget[]; readonly signal: AbortSignal },
): Promise<void> {
  const data = Object.fromEntries(told.targets.map((target) => [pauseKey(target), null]));
  return tell(client, names, { data, signal: told.signal });
}

/** What goes with everything that is told. `at` is RFC 3339. */
export interface Told {
  readonly by: string;
  readonly at: string;
  readonly reason?: string | undefined;
  readonly signal: AbortSignal;
}

function pauseKey(target: PauseTarget): string {
  const id = target.kind === "file" ? ["file", target.file] : ["object", refKey(target.ref)];
  return `${PAUSE_PREFIX}${digestOf(id).slice(3, 19)}.json`;
}

function encode(value: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(value);
}

async function tell(
  client: KubeClient,
  names: SetNames,
  what: { readonly data: Readonly<Record<string, string | null>>; readonly signal: AbortSignal },
): Promise<void> {
  await writeOwn(client, names.controlConfigMap, { ...what, manager: `${names.manager}-cli` });
}

/** What {@link watchControl} tells. */
export interface ControlListener {
  onControl(control: Control): void;
  /** It cannot be watched: confirmations are not seen. */
  onUnavailable(error: KeelsonError): void;
}

/** Tells what the control ConfigMap says, now and after each change, until `signal` fires. */
export async function watchControl(
  on: { readonly client: KubeClient; readonly clock: Clock; readonly names: SetNames },
  listener: ControlListener,
  signal: AbortSignal,
): Promise<void> {
  const onEvent = (event: ReflectorEvent<OwnConfigMap>): void => {
    if (event.kind === "upsert") listener.onControl(parseControl(event.record));
    if (event.kind === "delete") listener.onControl(NOTHING_SAID);
    if (event.kind === "unavailable") listener.onUnavailable(event.error);
  };
  await watchOwn(on, { name: on.names.controlConfigMap, onEvent }, signal);
}

/** The refusal of a confirmation whose list has changed. */
export function staleConfirmation(digest: string, current: string | undefined): KeelsonError {
  const now = current === undefined ? "nothing is held that could be confirmed" : `the held list is ${current} now`;
  return new KeelsonError("Refused", `prune --confirm ${digest}: ${now}; look at \`keelson status\` again`);
}
