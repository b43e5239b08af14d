import type { Clock } from "../../async/index.ts";
import type { DesiredInput, Engine } from "../../converge/index.ts";
import { isAborted, isKeelsonError, type KeelsonError, messageOf } from "../../errors/index.ts";
import type { Revision, RevisionStore } from "../../history/index.ts";
import type { ChangeLog, Logger } from "../../log/index.ts";
import type { Hold, Said } from "./control.ts";
import type { DesiredAddons } from "./desired.ts";
import type { HoldReport } from "./reports.ts";
import { holdReport } from "./requests.ts";
import { waitingReport } from "./waiting.ts";

/** What {@link Declarations} work on. */
export interface DeclarationsPorts {
  readonly engine: Pick<Engine, "declare">;
  readonly store: Pick<RevisionStore, "load">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly said: ChangeLog;
  /** A set is in force. */
  readonly onDeclared: () => void;
  /** A hold began, ended, or cannot be. */
  readonly onHold: (change: HoldChange) => void;
}

/** What became of a hold. */
export type HoldChange =
  | { readonly kind: "held"; readonly hold: Hold }
  | { readonly kind: "refused"; readonly hold: Hold; readonly error: KeelsonError }
  | { readonly kind: "resumed"; readonly hold: Hold; readonly resumed: Said | undefined };

/** What people have said about a hold. */
export interface HoldControl {
  readonly hold: Hold | undefined;
  readonly resumed: Said | undefined;
}

/** A revision that is held. */
interface Held {
  readonly hold: Hold;
  readonly revision: Revision;
}

const DECLARE_AGAIN_MS = 500;
const LOAD_AGAIN_MS = 2_000;

/**
 * Decides what is desired: the directory, or the revision that somebody has rolled back to. Nothing is desired before it is
 * known whether a revision is held: a restart must not apply the directory for a moment.
 */
export class Declarations {
  readonly #ports: DeclarationsPorts;
  readonly #signal: AbortSignal;
  #addons: DesiredAddons | undefined;
  #held: Held | undefined;
  /** A hold that cannot be: its revision is gone or damaged. */
  #refused: { readonly hold: Hold; readonly error: KeelsonError } | undefined;
  #isControlKnown = false;
  #cause: string | undefined;
  #turn: Promise<void> = Promise.resolve();
  /** Counts declarations: an older one that failed is not tried again. */
  #count = 0;
  #waiting: { readonly addons: DesiredAddons; readonly held: Held; readonly report: HoldReport } | undefined;

  constructor(ports: DeclarationsPorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
  }

  /** The directory holds something else. */
  onDirectory(addons: DesiredAddons): void {
    const before = this.#addons?.input.broken ?? [];
    this.#addons = addons;
    // Another file than those of the resume.
    this.#cause = undefined;
    const isBrokenAlike = before.join("\n") === addons.input.broken.join("\n");
    if (this.#held === undefined || !isBrokenAlike) this.#declare();
    else this.#ports.onDeclared();
  }

  /** Takes what people have said; in the order of calls. Resolves when it is followed, or cannot be. */
  onControl(control: HoldControl): Promise<void> {
    this.#turn = this.#turn.then(() => this.#follow(control)).catch(() => {});
    return this.#turn;
  }

  /** The hold that is in force. */
  get hold(): Hold | undefined {
    return this.#held?.hold;
  }

  /** Why the set is desired, where that is no change of the directory. */
  get cause(): string | undefined {
    return this.#held === undefined ? this.#cause : describeRollback(this.#held.hold);
  }

  /** The hold as people see it, with what waits for its end; one that cannot be says so. */
  report(): HoldReport | undefined {
    const [held, addons] = [this.#held, this.#addons];
    if (held === undefined) {
      if (this.#refused === undefined) return undefined;
      return { ...holdReport(this.#refused.hold), refused: this.#refused.error.message };
    }
    if (addons === undefined) return holdReport(held.hold);
    if (this.#waiting?.addons !== addons || this.#waiting.held !== held) {
      const report = { ...holdReport(held.hold), waiting: waitingReport(addons, held.revision) };
      this.#waiting = { addons, held, report };
    }
    return this.#waiting.report;
  }

  async #follow({ hold, resumed }: HoldControl): Promise<void> {
    const isFirst = !this.#isControlKnown;
    if (!isFirst && isSame(hold, this.#held?.hold ?? this.#refused?.hold)) return;
    if (hold === undefined) this.#resume(resumed);
    else await this.#take(hold, isFirst);
  }

  #resume(resumed: Said | undefined): void {
    const { held, refused } = { held: this.#held, refused: this.#refused };
    const isFirst = !this.#isControlKnown;
    this.#isControlKnown = true;
    this.#held = undefined;
    this.#refused = undefined;
    if (isFirst) {
      this.#declare();
      return;
    }
    const hold = held?.hold ?? refused?.hold;
    if (hold === undefined) return;
    this.#cause = `resume by ${resumed?.by ?? "unknown"}`;
    this.#ports.log.info(`Revision ${hold.revision} is no longer held: ${this.#cause}; the directory is applied again`);
    this.#ports.onHold({ kind: "resumed", hold, resumed });
    this.#declare();
  }

  async #take(hold: Hold, isFirst: boolean): Promise<void> {
    const { log, said, onHold, onDeclared } = this.#ports;
    try {
      const revision = await this.#load(hold.revision);
      this.#held = { hold, revision };
      this.#refused = undefined;
      this.#isControlKnown = true;
      said.clear("hold");
      log.info(`Revision ${hold.revision} is held: ${describeRollback(hold)}; changes of the directory wait`);
      if (!isFirst) onHold({ kind: "held", hold });
      this.#declare();
    } catch (error) {
      if (!isKeelsonError(error, "NotFound", "Unreadable")) throw error;
      this.#refused = { hold, error };
      // At a start nothing is desired then: who has held a revision does not want the directory.
      const rest = isFirst ? "nothing is done until keelson resume" : "what was desired before stays so";
      const message = `Revision ${hold.revision} cannot be held: ${error.message}; ${rest}`;
      said.report({ key: "hold", level: "error", message });
      if (!isFirst) onHold({ kind: "refused", hold, error });
      onDeclared();
    }
  }

  /** Reads a revision, as often as it takes. Rejects where it is gone or damaged. */
  async #load(revision: number): Promise<Revision> {
    const { store, clock, said } = this.#ports;
    for (;;) {
      try {
        return await store.load(revision, this.#signal);
      } catch (error) {
        if (isAborted(error) || isKeelsonError(error, "NotFound", "Unreadable")) throw error;
        const message = `cannot read revision ${revision}, which is held: ${messageOf(error)}`;
        said.report({ key: "hold", level: "warn", message });
      }
      await clock.sleep(LOAD_AGAIN_MS, this.#signal);
    }
  }

  #declare(): void {
    const input = this.#input();
    if (input === undefined) return;
    this.#count += 1;
    const count = this.#count;
    const { engine, said, clock, onDeclared } = this.#ports;
    engine.declare(input).then(
      () => {
        said.clear("declare");
        onDeclared();
      },
      (error: unknown) => {
        if (isAborted(error)) return;
        const what = this.#held === undefined ? "the directory" : `revision ${this.#held.hold.revision}`;
        said.report({ key: "declare", level: "error", message: `${what} cannot be taken in: ${messageOf(error)}` });
        // Discovery may have failed: the same set is tried again until it is in force or another one has come.
        clock.after(DECLARE_AGAIN_MS, () => {
          if (this.#count === count && !this.#signal.aborted) this.#declare();
        });
      },
    );
  }

  #input(): DesiredInput | undefined {
    if (this.#held !== undefined) {
      const { revision, hold } = this.#held;
      return heldInput(revision, { cause: describeRollback(hold), broken: this.#addons?.input.broken ?? [] });
    }
    if (!this.#isControlKnown || this.#addons === undefined) return undefined;
    return { ...this.#addons.input, cause: this.#cause };
  }
}

/**
 * A revision as a desired set: nothing of the directory counts beside it. What is `broken` in the directory is noted all
 * the same, so that on resume it hides nothing: it was so while the objects were desired.
 */
export function heldInput({ contents }: Revision, of: Pick<DesiredInput, "cause" | "broken">): DesiredInput {
  const { cause, broken } = of;
  return {
    declared: contents.map(({ manifest, mode }) => ({ manifest, mode })),
    mentioned: [],
    broken,
    isMissing: false,
    reduced: new Map(),
    isHeld: true,
    cause,
  };
}

/** A rollback in words, as a cause: `rollback to 7 by alice: the new DNS is broken`. */
export function describeRollback({ revision, by, reason }: Hold): string {
  return `rollback to ${revision} by ${by}${reason === undefined ? "" : `: ${reason}`}`;
}

function isSame(a: Hold | undefined, b: Hold | undefined): boolean {
  return a?.revision === b?.revision && a?.at === b?.at;
}
