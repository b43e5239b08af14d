import type { HoldReport, PauseReport, StatusReport } from "../../controllers/addon/index.ts";
import type { DesiredObject } from "../../converge/index.ts";
import type { Hold, Pause } from "../../http/index.ts";
import { refKey } from "../../object/index.ts";
import { shortText } from "./texts.ts";

/** What people have told the daemon and is in force. */
export interface Control {
  readonly hold: Hold | undefined;
  readonly pauses: readonly Pause[];
}

/** Reads it from a status. */
export function controlOf({ hold, pauses = [] }: Pick<StatusReport, "hold" | "pauses">): Control {
  return { hold: hold === undefined ? undefined : holdOf(hold), pauses: pauses.flatMap(pauseFrom) };
}

/** A hold as the pages show it. */
export function holdOf({ revision, since, by, reason, waiting, refused }: HoldReport): Hold {
  const why = refused ?? reason;
  return {
    revision,
    by: shortText(by, 200),
    ...(since === undefined ? {} : { since }),
    ...(why === undefined ? {} : { reason: shortText(why) }),
    ...(waiting === undefined ? {} : { waiting: waiting.added + waiting.changed + waiting.removed }),
  };
}

function pauseFrom({ object, file, until, by, reason }: PauseReport): readonly Pause[] {
  const said = { until, by: shortText(by, 200), ...(reason === undefined ? {} : { reason: shortText(reason) }) };
  if (object !== undefined) return [{ target: { kind: "object", key: refKey(object) }, ...said }];
  return file === undefined ? [] : [{ target: { kind: "file", file }, ...said }];
}

/** The pause that an object is under. */
export function pauseOf(
  { pauses }: Control,
  { key, origin }: Pick<DesiredObject, "key" | "origin">,
): Pause | undefined {
  return pauses.find(({ target }) => (target.kind === "file" ? target.file === origin.file : target.key === key));
}

/** A pause in words. */
export function pauseWords({ by, until, reason }: Pause): string {
  const who = by === undefined ? "" : ` by ${by}`;
  return `paused${who} until ${until}${reason === undefined || reason === "" ? "" : `: ${reason}`}`;
}
