import type { JsonPatch } from "./json-patch.ts";
import { replaceParentPatches } from "./replace-parent.ts";
import type { KubeObject } from "./types.ts";

/** From an item of a list in a container up to the pod template. */
const MOST_PATCHES = 6;

type Causes = readonly { readonly field?: string }[];

/**
 * Which parents a repair replaces next, from one refusal to the next. While the server refuses the patches themselves,
 * nothing was written, and wider ones are tried. Once one was accepted and the apply after it is refused, only what is
 * refused as it was at first is replaced by something wider: what others have is not taken for a fault elsewhere.
 */
export class ParentRepair {
  readonly #desired: KubeObject;
  readonly #known: ReadonlySet<string>;
  readonly #tried: Set<string> = new Set();
  #causes: Causes;
  #paths = "";

  /** `causes` are those of the refused apply. */
  constructor(desired: KubeObject, causes: Causes) {
    this.#desired = desired;
    this.#known = new Set(causes.map(withoutIndices));
    this.#causes = causes;
  }

  /** What the patch of the last {@link next} replaces. */
  get paths(): string {
    return this.#paths;
  }

  /** The narrowest patch that was not refused yet, guarded by the version of `live`; undefined where there is none. */
  next(live: KubeObject): JsonPatch | undefined {
    if (this.#tried.size === MOST_PATCHES) return undefined;
    const patches = replaceParentPatches(live, this.#desired, this.#causes);
    const patch = patches.find((each) => !this.#tried.has(pathsOf(each)));
    this.#paths = patch === undefined ? "" : pathsOf(patch);
    return patch;
  }

  patchRefused(causes: Causes): void {
    this.#tried.add(this.#paths);
    this.#causes = [...this.#causes, ...causes];
  }

  applyRefused(causes: Causes): void {
    this.#tried.add(this.#paths);
    this.#causes = causes.filter((cause) => cause.field !== undefined && this.#known.has(withoutIndices(cause)));
  }
}

/** The paths that a guarded patch replaces: its first operation is the guard. */
function pathsOf(patch: JsonPatch): string {
  return patch
    .slice(1)
    .map(({ path }) => path)
    .join(", ");
}

/** The index in a cause's path counts in a list that nobody has seen. */
function withoutIndices({ field = "" }: { readonly field?: string }): string {
  return field.replaceAll(/\[\d+\]/g, "[]");
}
