import type { Change } from "../../converge/index.ts";
import { isJsonObject, type JsonObject } from "../../object/index.ts";
import type { ChangeNote } from "./status-reports.ts";

/** What was last done for the objects of one file. */
export interface Noted {
  readonly lastChange?: ChangeNote;
  readonly lastDrift?: ChangeNote;
}

const NOTHING: Noted = {};
const MAX_TEXT = 300;

/**
 * Remembers when something was last changed, and when drift was last repaired, by file and for the whole set.
 */
export class ChangeMemory {
  readonly #files: Map<string, Noted> = new Map();
  #all: Noted = NOTHING;

  /** Takes in what a status (JSON) remembers, as far as nothing newer is known; a damaged one says nothing. */
  restore(text: string | undefined): void {
    const before = parsed(text);
    this.#all = merged(noted(before), this.#all);
    const { files } = before;
    for (const file of Array.isArray(files) ? files : []) {
      if (!isJsonObject(file) || typeof file.file !== "string") continue;
      this.#files.set(file.file, merged(noted(file), this.of(file.file)));
    }
  }

  /** Takes note of an executed step; one that failed or changed nothing leaves no trace. */
  note(change: Change): void {
    const { outcome, step, ref, origin, at, reason } = change;
    if (outcome === "failed" || outcome === "unchanged" || outcome === "skipped") return;
    const text = `${outcome}: ${reason}`;
    const note = {
      at: new Date(at).toISOString(),
      object: ref,
      text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text,
    };
    const isDrift = step.reason.kind === "drifted" || step.reason.kind === "deleted";
    const noted: Noted = isDrift ? { lastChange: note, lastDrift: note } : { lastChange: note };
    this.#all = { ...this.#all, ...noted };
    if (origin !== undefined) this.#files.set(origin.file, { ...this.#files.get(origin.file), ...noted });
  }

  /** Of the whole set. */
  get all(): Noted {
    return this.#all;
  }

  of(file: string): Noted {
    return this.#files.get(file) ?? NOTHING;
  }

  /** Forgets files that are no more. */
  keep(files: ReadonlySet<string>): void {
    for (const file of this.#files.keys()) if (!files.has(file)) this.#files.delete(file);
  }
}

function parsed(text: string | undefined): JsonObject {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function noted({ lastChange, lastDrift }: JsonObject): Noted {
  return {
    ...(isNote(lastChange) ? { lastChange } : {}),
    ...(isNote(lastDrift) ? { lastDrift } : {}),
  };
}

function isNote(value: unknown): value is ChangeNote {
  if (!isJsonObject(value) || !isJsonObject(value.object)) return false;
  return typeof value.at === "string" && typeof value.text === "string";
}

function merged(before: Noted, now: Noted): Noted {
  const lastChange = later(before.lastChange, now.lastChange);
  const lastDrift = later(before.lastDrift, now.lastDrift);
  return { ...(lastChange === undefined ? {} : { lastChange }), ...(lastDrift === undefined ? {} : { lastDrift }) };
}

/** Times are ISO 8601 in UTC: their order is that of their texts. */
function later(a: ChangeNote | undefined, b: ChangeNote | undefined): ChangeNote | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.at > b.at ? a : b;
}
