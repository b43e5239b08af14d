import type { Clock } from "../../async/index.ts";
import type { Engine } from "../../converge/index.ts";
import type { ChangeLog, Logger } from "../../log/index.ts";
import { type Control, confirmedDigest, type Said } from "./control.ts";
import { heldDigest } from "./held.ts";

/** What {@link Confirmations} work on. */
export interface ConfirmationsPorts {
  readonly engine: Pick<Engine, "status" | "confirm">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly said: ChangeLog;
  /** A confirmation is followed: for the journal. */
  readonly onConfirmed: (confirmation: Said, objects: number) => void;
}

/** Follows confirmations of held deletes. */
export class Confirmations {
  readonly #ports: ConfirmationsPorts;
  #control: Control | undefined;
  /** Each confirmation counts once: what comes back to the directory and is held again has to be confirmed again. */
  #accepted: Control["confirmation"];

  constructor(ports: ConfirmationsPorts) {
    this.#ports = ports;
  }

  /** Takes what people have said. */
  onControl(control: Control): void {
    this.#control = control;
    this.follow();
  }

  /** A confirmation counts for the very list that it names. */
  follow(): void {
    const { engine, clock, log, said, onConfirmed } = this.#ports;
    const control = this.#control;
    if (control?.confirmation === undefined) return;
    const { confirmation } = control;
    if (confirmation.digest === this.#accepted?.digest && confirmation.at === this.#accepted.at) return;
    const digest = confirmedDigest(control, clock.now());
    if (digest === undefined) return;
    const { kept } = engine.status();
    const held = heldDigest(kept);
    if (held !== digest) {
      const now = held === undefined ? "nothing is held" : `the held list is ${held} now`;
      const message = `Prune confirmation ${digest} is not followed: ${now}; look at \`keelson status\` again`;
      said.report({ key: "confirm", level: "warn", message });
      return;
    }
    said.clear("confirm");
    this.#accepted = confirmation;
    const uids = kept.filter(({ isConfirmable }) => isConfirmable).map(({ live }) => live.uid);
    log.info(`Prune of ${uids.length} held objects confirmed by ${confirmation.by}: ${digest}`);
    onConfirmed(confirmation, uids.length);
    engine.confirm(uids);
  }
}
