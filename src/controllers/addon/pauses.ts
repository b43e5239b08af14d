import type { Clock } from "../../async/index.ts";
import type { Engine, PausedUntil } from "../../converge/index.ts";
import type { Logger } from "../../log/index.ts";
import { describeRef, refKey } from "../../object/index.ts";
import type { Pause, PauseTarget } from "./control.ts";

/** What {@link Pauses} work on. Times of pauses are wall clock. */
export interface PausesPorts {
  readonly engine: Pick<Engine, "setPauses">;
  readonly clock: Clock;
  readonly log: Logger;
  /** A pause began, or ended (by a person, or with its time). */
  readonly onChange: (change: PauseChange) => void;
}

/** The beginning or the end of a pause. */
export interface PauseChange {
  readonly kind: "began" | "ended" | "over";
  readonly pause: Pause;
}

/** Keeps the engine told of what is paused, and ends each pause when its time is over. */
export class Pauses {
  readonly #ports: PausesPorts;
  #pauses: ReadonlyMap<string, Pause> = new Map();
  #cancel: (() => void) | undefined;

  constructor(ports: PausesPorts) {
    this.#ports = ports;
  }

  /** What is paused now. */
  get current(): readonly Pause[] {
    return [...this.#pauses.values()];
  }

  /** Takes what people have said; times that are over count for nothing. */
  set(said: readonly Pause[]): void {
    const { clock } = this.#ports;
    const now = clock.now();
    const next = new Map(said.filter(({ until }) => until > now).map((pause) => [targetKey(pause.target), pause]));
    const before = this.#pauses;
    if (next.size === 0 && before.size === 0) return;
    this.#pauses = next;
    for (const [key, pause] of next) {
      if (before.get(key)?.until !== pause.until) this.#tell({ kind: "began", pause });
    }
    for (const [key, pause] of before) {
      if (!next.has(key)) this.#tell({ kind: pause.until <= now ? "over" : "ended", pause });
    }
    this.#ports.engine.setPauses(next.size === 0 ? undefined : pausedUntil(this.current));
    this.#cancel?.();
    this.#cancel = undefined;
    if (next.size === 0) return;
    const soonest = Math.min(...[...next.values()].map(({ until }) => until));
    this.#cancel = clock.after(soonest - now, () => this.set(this.current));
  }

  /** Forgets the timer. */
  stop(): void {
    this.#cancel?.();
  }

  #tell(change: PauseChange): void {
    const { pause, kind } = change;
    const name = describeTarget(pause.target);
    const why = pause.reason === undefined ? "" : `: ${pause.reason}`;
    const texts = {
      began: `${name} is paused until ${new Date(pause.until).toISOString()} by ${pause.by}${why}: drift is reported, not repaired`,
      ended: `${name} is no longer paused`,
      over: `${name} is no longer paused: the time is over`,
    };
    this.#ports.log.info(texts[kind]);
    this.#ports.onChange(change);
  }
}

/** Looks pauses up by object and by file; where both are paused, the later end counts. Pure. */
export function pausedUntil(pauses: readonly Pause[]): PausedUntil {
  const ends = new Map(pauses.map(({ target, until }) => [targetKey(target), until]));
  return (ref, file) => {
    const byObject = ends.get(`object ${refKey(ref)}`);
    const byFile = file === undefined ? undefined : ends.get(`file ${file}`);
    if (byObject === undefined || byFile === undefined) return byObject ?? byFile;
    return Math.max(byObject, byFile);
  };
}

function targetKey(target: PauseTarget): string {
  return target.kind === "file" ? `file ${target.file}` : `object ${refKey(target.ref)}`;
}

/** What is paused, in words. */
export function describeTarget(target: PauseTarget): string {
  return target.kind === "file" ? `file ${target.file}` : describeRef(target.ref);
}
