import type { Clock } from "../../async/index.ts";
import { isKeelsonError, KeelsonError } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import type { SetNames } from "./identity.ts";
import { type OwnConfigMap, pollOwn, readOwn, writeOwn } from "./own-config-map.ts";

/** Annotations of the status ConfigMap. */
const INSTANCE = "keelson.dev/instance";
const CHALLENGE = "keelson.dev/challenge";
const ANSWER = "keelson.dev/answer";

/** How long a live owner may take to answer, and how often a challenger looks. */
const ANSWER_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 200;

/** What a guard works with. */
export interface GuardOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly names: SetNames;
  /** Unique to this process. */
  readonly instance: string;
}

/**
 * Keeps two instances apart that would both act: without an election nothing else does, and where the Lease of the
 * controller manager is followed, a single pass on the leader's host leads as well. The status ConfigMap names the
 * owner; a newcomer writes a challenge there, which a live owner, who watches that object, answers. In steady state
 * nothing is written.
 */
export class InstanceGuard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Throws `AnotherInstance` where a live owner answers; writes nothing where there is none. */
  async challenge(signal: AbortSignal): Promise<void> {
    const { client, clock, names, instance } = this.#options;
    const owner = ownerOf(await readOwn(client, names.statusConfigMap, signal));
    if (owner === undefined || owner === instance) return;
    await this.#annotate({ [CHALLENGE]: instance, [ANSWER]: null }, signal);
    const look = (own: OwnConfigMap | undefined): "gone" | "answered" | undefined => {
      if (own === undefined) return "gone";
      return own.annotations[ANSWER] === instance ? "answered" : undefined;
    };
    const poll = { name: names.statusConfigMap, look, everyMs: LOOK_EVERY_MS, withinMs: ANSWER_WITHIN_MS };
    if ((await pollOwn({ client, clock }, poll, signal)) !== "answered") return;
    const message = `instance ${owner} acts on this set and answers: this one refuses; stop one of the two, or give each a --set of its own`;
    throw new KeelsonError("AnotherInstance", message);
  }

  /** Challenges, and becomes the owner where nobody answers. */
  async claim(signal: AbortSignal): Promise<void> {
    await this.challenge(signal);
    await this.announce(signal);
  }

  /** Becomes the owner without asking: for who was elected, so that a single pass beside it finds whom to challenge. */
  async announce(signal: AbortSignal): Promise<void> {
    await this.#annotate({ [INSTANCE]: this.#options.instance, [CHALLENGE]: null, [ANSWER]: null }, signal);
  }

  /** Answers a challenger that the status ConfigMap names; tells `onLost` where another instance took over. */
  defend(own: OwnConfigMap, onLost: (error: KeelsonError) => void, signal: AbortSignal): void {
    const { instance } = this.#options;
    const owner = ownerOf(own);
    const challenger = own.annotations[CHALLENGE];
    if (owner !== undefined && owner !== instance) {
      onLost(new KeelsonError("AnotherInstance", `instance ${owner} took over while this one did not answer`));
    } else if (challenger !== undefined && challenger !== instance && own.annotations[ANSWER] !== challenger) {
      this.#annotate({ [ANSWER]: challenger, [CHALLENGE]: null }, signal).catch(() => {});
    }
  }

  /** Gives the ownership up, where it is still ours. */
  async release(signal: AbortSignal): Promise<void> {
    const { client, names, instance } = this.#options;
    try {
      const own = await readOwn(client, names.statusConfigMap, signal);
      if (ownerOf(own) === instance) await this.#annotate({ [INSTANCE]: null }, signal);
    } catch (error) {
      if (!isKeelsonError(error)) throw error;
    }
  }

  async #annotate(annotations: Readonly<Record<string, string | null>>, signal: AbortSignal): Promise<void> {
    const { client, names } = this.#options;
    await writeOwn(client, names.statusConfigMap, { annotations, manager: `${names.manager}-status`, signal });
  }
}

function ownerOf(own: OwnConfigMap | undefined): string | undefined {
  const owner = own?.annotations[INSTANCE];
  return owner === "" ? undefined : owner;
}
