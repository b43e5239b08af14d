import type { Change } from "../../converge/index.ts";
import type { FieldChange, TimelineEntry } from "../../http/index.ts";
import { nameOf } from "./rows.ts";
import { changeOf, shortText } from "./texts.ts";

/** What is kept: whichever is reached first. */
const MAX_ENTRIES = 2_000;
const MAX_BYTES = 2 << 20;
const MAX_FIELDS = 12;
/** Of an entry without its texts. */
const ENTRY_BYTES = 300;

/** What happened lately, in memory: bounded in entries and in bytes, oldest first out. */
export class Timeline {
  readonly #entries: TimelineEntry[] = [];
  #bytes = 0;
  #last = 0;

  /** Takes an entry in and gives it its number. */
  add(entry: Omit<TimelineEntry, "id">): TimelineEntry {
    this.#last += 1;
    const numbered = { id: this.#last, ...entry };
    this.#entries.push(numbered);
    this.#bytes += sizeOf(numbered);
    while (this.#entries.length > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      const oldest = this.#entries.shift();
      if (oldest === undefined) break;
      this.#bytes -= sizeOf(oldest);
    }
    return numbered;
  }

  /** The newest entries, newest first; of one object where a key is given. */
  newest(limit: number, key?: string): readonly TimelineEntry[] {
    const found: TimelineEntry[] = [];
    for (let at = this.#entries.length - 1; at >= 0 && found.length < limit; at -= 1) {
      const entry = this.#entries[at];
      if (entry !== undefined && (key === undefined || entry.key === key)) found.push(entry);
    }
    return found;
  }
}

function sizeOf({ reason, changes }: TimelineEntry): number {
  let bytes = ENTRY_BYTES + reason.length;
  for (const { path, before = "", after = "" } of changes) bytes += 100 + path.length + before.length + after.length;
  return bytes;
}

/** The entry of an executed step; undefined where nothing was done. */
export function entryOfChange(change: Change): Omit<TimelineEntry, "id"> | undefined {
  const { outcome, error, key, ref, reason, remarks, origin, ms, at, step } = change;
  if (outcome === "unchanged" || outcome === "skipped") return undefined;
  const isDrift = step.reason.kind === "drifted" || step.reason.kind === "deleted";
  const words =
    error === undefined ? [reason, ...remarks].join("; ") : `${step.kind} failed: ${error.code}: ${error.message}`;
  return {
    at: new Date(at).toISOString(),
    key,
    object: nameOf(ref),
    kind: error === undefined ? (isDrift ? "drift" : "write") : "failed",
    outcome,
    reason: shortText(words),
    authors: authorsOf(change),
    changes: changesOf(change),
    ...(origin === undefined ? {} : { file: origin.file, line: origin.line }),
    ms,
  };
}

/** What the write changed; of a drift: what somebody else had made of our fields, and what they are again. */
function changesOf({ fields }: Change): readonly FieldChange[] {
  return fields
    .slice(0, MAX_FIELDS)
    .map(({ path, before, after, owner }) => changeOf({ path, before, after, manager: owner?.manager }));
}

function authorsOf({ step }: Change): readonly string[] {
  if (step.reason.kind !== "drifted") return [];
  const managers = step.reason.fields.flatMap(({ owner }) =>
    owner === undefined ? [] : [shortText(owner.manager, 128)],
  );
  return [...new Set(managers)];
}
