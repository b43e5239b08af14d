import type { KeelsonError } from "../../errors/index.ts";
import { Reflector } from "../../kube/index.ts";
import { fieldOf } from "../../object/index.ts";
import { POLICIES } from "./identity.ts";
import type { ConfigWatchOptions } from "./watches.ts";

/** A SriovNetworkNodePolicy as far as its order needs. */
export interface PolicyRank {
  readonly name: string;
  readonly priority: number;
}

/** What a watch of the policies tells. Called synchronously; must not throw. */
export interface PolicyListener {
  /** They cannot be read; undefined: they can be again. */
  onAvailability(error: KeelsonError | undefined): void;
}

/** The namespace's policies, kept current until `signal` fires: a watch costs less than a list at each reconcile. */
export class PolicyWatch {
  readonly #reflector: Reflector<PolicyRank>;

  constructor({ client, clock, namespace }: ConfigWatchOptions, listener: PolicyListener) {
    this.#reflector = new Reflector<PolicyRank>({
      client,
      clock,
      resource: POLICIES,
      namespace,
      project: ({ metadata, spec }) => ({
        name: metadata.name ?? "",
        priority: Number(fieldOf(spec, "priority") ?? 0),
      }),
      onEvent: (event) => {
        if (event.kind === "synced") listener.onAvailability(undefined);
        else if (event.kind === "unavailable") listener.onAvailability(event.error);
      },
    });
  }

  run(signal: AbortSignal): Promise<never> {
    return this.#reflector.run(signal);
  }

  /** Names in the order in which the policies count. */
  names(): readonly string[] {
    return sortPolicies([...this.#reflector.entries()].map(([, rank]) => rank));
  }
}

/**
 * The higher priority number first; equal ones in the order of their names, so that nothing restarts because a list came
 * otherwise. Pure.
 */
export function sortPolicies(ranks: readonly PolicyRank[]): readonly string[] {
  return ranks.toSorted((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1)).map(({ name }) => name);
}
