import { Backoff, type Clock } from "../../async/index.ts";
import type { DesiredSet, Engine } from "../../converge/index.ts";
import { isAborted, isKeelsonError, messageOf } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import type { ChangeLog } from "../../log/index.ts";
import { type ObjectRef, stringifyJson } from "../../object/index.ts";
import {
  type ApplySetInventory,
  applySetId,
  faultOfParent,
  inventoryOf,
  isSameInventory,
  NO_INVENTORY,
  parentRefOf,
  parentTree,
  parseParent,
  unionOf,
} from "./applyset.ts";
import { APPLYSET_PART_OF_LABEL, type Membership, type SetNames } from "./identity.ts";
import { CONFIG_MAPS } from "./own-config-map.ts";

/** What {@link ApplySetKeeper} works with. */
export interface ApplySetPorts {
  readonly client: Pick<KubeClient, "get" | "apply">;
  readonly clock: Clock;
  readonly said: ChangeLog;
  readonly names: SetNames;
  /** Name and version of this program. */
  readonly tooling: string;
  /** {@link ApplySetKeeper.problem} is another one. Default: not told. */
  readonly onProblem?: () => void;
}

type Followed = Pick<Engine, "desired" | "records" | "status" | "isBusy">;

/** kubectl's own is `kubectl-applyset`. */
const MANAGER = "keelson-applyset";
/** The add-ons do not wait longer for their parent. */
const WRITE_WITHIN_MS = 5_000;
/** Each look walks over all objects. */
const LOOK_MS = 1_000;
const BACKOFF = { baseMs: 2_000, maxMs: 5 * 60_000 } as const;

/**
 * Keeps the parent of the set's ApplySet: before members are applied it names the kinds and namespaces of the old set and
 * of the new one, after convergence those of the members alone. Writes nothing where it says so already. A parent that is
 * another tool's is left as it is, and the set is no ApplySet until a restart; one that cannot be written keeps no add-on
 * waiting.
 */
export class ApplySetKeeper implements Membership {
  readonly id: string;
  readonly #ports: ApplySetPorts;
  readonly #ref: ObjectRef;
  readonly #backoff: Backoff;
  /** What the parent says; undefined: there is none, or an older release wrote it. */
  #written: ApplySetInventory | undefined;
  #known: ApplySetInventory = NO_INVENTORY;
  #problem: string | undefined;
  #isRefused = false;
  #engine: Followed | undefined;
  #signal: AbortSignal | undefined;
  /** The set that is about to come into force, or has. */
  #declaring: DesiredSet | undefined;
  /** The set whose members are exactly what the parent says. */
  #exactFor: DesiredSet | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isDue = false;

  constructor(ports: ApplySetPorts) {
    this.#ports = ports;
    this.#ref = parentRefOf(ports.names);
    this.id = applySetId(this.#ref);
    this.#backoff = new Backoff(BACKOFF, ports.clock);
  }

  /** Nothing is marked as a member. Once it is so, it stays so. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** What keeps the set from being an ApplySet, in words. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Reads the parent, before anything is judged by it. Rejects where the API server does not answer. */
  async open(signal: AbortSignal): Promise<void> {
    try {
      await this.#read(signal);
    } catch (error) {
      if (!isKeelsonError(error, "Forbidden")) throw error;
      this.#refuse(`it cannot be read: ${error.message}`);
    }
  }

  /** A term begins: the parent is read again, another leader may have written it, and names what the engine desires. */
  async begin(engine: Followed, signal: AbortSignal): Promise<void> {
    this.#engine = engine;
    this.#signal = signal;
    this.#exactFor = undefined;
    await this.#inTurn(async (soon) => {
      await this.#read(soon);
      const sets = [engine.desired, ...(this.#declaring === undefined ? [] : [this.#declaring])];
      await this.include(inventoryOf(sets.flatMap(membersOf)), soon);
    });
  }

  /** Another set comes into force when this resolves. */
  async declaring(desired: DesiredSet): Promise<void> {
    this.#declaring = desired;
    await this.#inTurn((soon) => this.include(inventoryOf(membersOf(desired)), soon));
  }

  /** Names these as well. Rejects where that fails; does nothing where the parent is another tool's. */
  async include(inventory: ApplySetInventory, signal: AbortSignal): Promise<void> {
    await this.#write(unionOf(this.#known, inventory), signal);
  }

  /** Something may have changed. */
  changed(): void {
    if (this.#engine === undefined || this.#engine.desired === this.#exactFor) return;
    this.#soon(LOOK_MS);
  }

  /** The parent names the members alone, if nothing is to be done any more. */
  async settled(): Promise<void> {
    await this.#inTurn((soon) => this.#narrow(soon));
  }

  #soon(delayMs: number): void {
    const signal = this.#signal;
    if (this.#isDue || this.#isRefused || signal === undefined || signal.aborted) return;
    this.#isDue = true;
    this.#ports.clock.after(delayMs, () => {
      this.#isDue = false;
      // Another term may have begun meanwhile: its signal counts.
      void this.settled();
    });
  }

  /** One write at a time, none outside a term; a failure is told and tried again. */
  #inTurn(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const signal = this.#signal;
    if (signal === undefined) return Promise.resolve();
    this.#turn = this.#turn.then(async () => {
      if (this.#isRefused || signal.aborted) return;
      try {
        await work(AbortSignal.any([signal, AbortSignal.timeout(WRITE_WITHIN_MS)]));
        this.#backoff.reset();
        if (!this.#isRefused) this.#say(undefined);
      } catch (error) {
        if (signal.aborted) return;
        const why = isAborted(error) ? `no answer within ${WRITE_WITHIN_MS / 1000} s` : messageOf(error);
        this.#say({ level: "warn", message: `${this.#name} cannot be written: ${why}; it is tried again` });
        this.#soon(this.#backoff.next());
      }
    });
    return this.#turn;
  }

  async #narrow(signal: AbortSignal): Promise<void> {
    const engine = this.#engine;
    if (engine === undefined || engine.isBusy) return;
    const { desired } = engine;
    const isComing = this.#declaring !== undefined && this.#declaring !== desired;
    // Of a directory that is missing nothing is known to have left.
    if (isComing || desired.isEmpty) return;
    const { isSynced, pending, waiting, failures, unavailable } = engine.status();
    if (!isSynced || pending + waiting.length + failures.size + unavailable.size > 0) {
      // What failed before may have been the parent itself.
      await this.include(inventoryOf(membersOf(desired)), signal);
      return;
    }
    const own = inventoryOf(membersOf(desired));
    // What prune holds is ours as long as it is there.
    const live = [...engine.records.values()].filter(({ hasApplyEntry }) => hasApplyEntry).map(({ ref }) => ref);
    const exact = unionOf(own, inventoryOf(live));
    await this.#write(exact, signal);
    if (isSameInventory(exact, own)) this.#exactFor = desired;
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const object = await this.#ports.client.get(CONFIG_MAPS, this.#ref, { signal, metadataOnly: true });
      const parent = parseParent(object);
      const { tooling } = this.#ports;
      const fault = faultOfParent(parent, { id: this.id, tooling });
      if (fault !== undefined) {
        this.#refuse(fault);
        return;
      }
      this.#known = { groupKinds: parent.groupKinds ?? [], namespaces: parent.namespaces };
      this.#written = parent.tooling === tooling && parent.groupKinds !== undefined ? this.#known : undefined;
    } catch (error) {
      if (!isKeelsonError(error, "NotFound")) throw error;
      this.#known = NO_INVENTORY;
      this.#written = undefined;
    }
  }

  async #write(inventory: ApplySetInventory, signal: AbortSignal): Promise<void> {
    if (this.#isRefused) return;
    const isNothing = inventory.groupKinds.length === 0 && this.#known.groupKinds.length === 0;
    if (isNothing || (this.#written !== undefined && isSameInventory(inventory, this.#written))) return;
    const { client, names, tooling } = this.#ports;
    const body = stringifyJson(parentTree(names, { tooling, inventory }));
    const options = { fieldManager: MANAGER, signal } as const;
    try {
      await client.apply(CONFIG_MAPS, this.#ref, body, { ...options, force: false });
    } catch (error) {
      if (!isKeelsonError(error, "Conflict")) throw error;
      // Somebody has written to it: if that was another tool, it is that tool's now.
      await this.#read(signal);
      if (this.#isRefused) return;
      await client.apply(CONFIG_MAPS, this.#ref, body, { ...options, force: true });
    }
    this.#known = inventory;
    this.#written = inventory;
  }

  get #name(): string {
    return `${this.#ref.namespace}/${this.#ref.name}`;
  }

  #refuse(why: string): void {
    this.#isRefused = true;
    const message = `${this.#name} is not touched: ${why}; the set is no ApplySet, no member gets the label ${APPLYSET_PART_OF_LABEL}`;
    this.#say({ level: "error", message });
  }

  #say(what: { readonly level: "warn" | "error"; readonly message: string } | undefined): void {
    const { said, onProblem } = this.#ports;
    if (what === undefined) said.clear("applyset");
    else said.report({ key: "applyset", ...what });
    if (what?.message === this.#problem) return;
    this.#problem = what?.message;
    onProblem?.();
  }
}

function membersOf({ objects }: DesiredSet): readonly ObjectRef[] {
  return [...objects.values()].filter(({ mode }) => mode !== "Absent").map(({ ref }) => ref);
}
