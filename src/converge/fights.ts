import type { DriftedField } from "../object/index.ts";

/** A field that the same other manager keeps changing back. */
export interface Fight {
  readonly manager: string;
  readonly path: string;
  /** Through which subresource it writes; "" for the object itself. */
  readonly subresource: string;
  /** Repairs in a row of this field against this manager. */
  readonly count: number;
  /** Milliseconds that the next repair waits; 0 while it is not yet a fight. */
  readonly delayMs: number;
}

const UNKNOWN = "unknown";
const FIGHT_AFTER = 5;
/** An object that still moves after two equal applies. */
const NOISY_AFTER = 3;
/** A fight is over when its field was left alone for so long. */
export const FIGHT_MEMORY_MS: number = 10 * 60_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 10 * 60_000;

interface Round {
  readonly count: number;
  /** Monotonic milliseconds at which the object may be repaired again. */
  readonly resumes: number;
}

/**
 * Finds fights: the same field changed five times in a row by the same other manager, each within ten minutes of the
 * last repair and its delay. From then on repairs of that object back off, doubling up to ten minutes: a tug of war restarts pods or fills
 * etcd, and neither side wins.
 */
export class FightDetector {
  readonly #rounds: Map<string, Map<string, Round>> = new Map();

  /** Takes note of a repair and returns the worst fight of the object. `now` is monotonic, in milliseconds. */
  note(key: string, fields: readonly DriftedField[], now: number): Fight | undefined {
    const before = this.#rounds.get(key);
    const after = new Map<string, Round>();
    let worst: Fight | undefined;
    for (const { manager, path, subresource } of contested(fields)) {
      const id = JSON.stringify([manager, path]);
      const round = before?.get(id);
      const count = round !== undefined && now - round.resumes <= FIGHT_MEMORY_MS ? round.count + 1 : 1;
      const delayMs = delayOf(count, manager === UNKNOWN ? NOISY_AFTER : FIGHT_AFTER);
      after.set(id, { count, resumes: now + delayMs });
      if (worst === undefined || count > worst.count) worst = { manager, path, subresource, count, delayMs };
    }
    this.#rounds.set(key, after);
    return worst;
  }

  /** Forgets an object whose desired state changed or that is gone. */
  forget(key: string): void {
    this.#rounds.delete(key);
  }
}

/** What was changed and by whom. A record that moves without a field to show for it is noise: nobody in particular. */
function contested(fields: readonly DriftedField[]): readonly Pick<Fight, "manager" | "path" | "subresource">[] {
  if (fields.length === 0) return [{ manager: UNKNOWN, path: "managedFields", subresource: "" }];
  return fields.map(({ path, owner }) => ({
    manager: owner?.manager ?? UNKNOWN,
    path,
    subresource: owner?.subresource ?? "",
  }));
}

function delayOf(count: number, from: number): number {
  if (count < from) return 0;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - from));
}
