import { MAX_DEPTH } from "./scanner.ts";
import { YamlFault } from "./yaml-fault.ts";

/** How much text the aliases of one document may stand for, in characters: the size limit of a file. */
const MAX_EXPANDED = 20 * 1024 * 1024;

/** What one more use of a node costs. */
export interface Cost {
  /** Nodes in it, aliases resolved. */
  readonly nodes: number;
  readonly characters: number;
  /** Levels of nesting below it. */
  readonly height: number;
}

/** A place to measure a node's cost from. */
export interface Mark {
  readonly nodes: number;
  readonly characters: number;
  readonly deepest: number;
}

/**
 * Keeps a document from costing more than its size: nesting is limited, and so is what aliases blow up. Counts nodes as
 * Go's library does, so that what it takes is taken.
 */
export class Budget {
  #nodes = 0;
  #aliasedNodes = 0;
  #characters = 0;
  #depth = 0;
  /** Greatest depth since the innermost mark. */
  #deepest = 0;

  count(): void {
    this.#nodes += 1;
  }

  read(characters: number): void {
    this.#characters += characters;
  }

  enter(offset: number): void {
    this.#depth += 1;
    if (this.#depth > this.#deepest) this.#deepest = this.#depth;
    this.#refuseDepth(this.#depth, offset);
  }

  leave(): void {
    this.#depth -= 1;
  }

  mark(): Mark {
    const mark = { nodes: this.#nodes, characters: this.#characters, deepest: this.#deepest };
    this.#deepest = this.#depth;
    return mark;
  }

  costSince(mark: Mark): Cost {
    const height = this.#deepest - this.#depth;
    this.#deepest = Math.max(this.#deepest, mark.deepest);
    return { nodes: this.#nodes - mark.nodes, characters: this.#characters - mark.characters, height };
  }

  /** An alias stands for a node of this cost. */
  spend(cost: Cost, offset: number): void {
    this.#nodes += 1 + cost.nodes;
    this.#aliasedNodes += cost.nodes;
    this.#characters += cost.characters;
    const depth = this.#depth + cost.height;
    this.#deepest = Math.max(this.#deepest, depth);
    this.#refuseDepth(depth, offset);
    if (this.#characters > MAX_EXPANDED) {
      throw new YamlFault(`aliases stand for more than ${MAX_EXPANDED} characters`, offset, "LimitExceeded");
    }
    const share = this.#aliasedNodes / this.#nodes;
    if (this.#aliasedNodes > 100 && this.#nodes > 1000 && share > allowedShare(this.#nodes)) {
      throw new YamlFault("nearly all of the document comes from aliases", offset, "LimitExceeded");
    }
  }

  #refuseDepth(depth: number, offset: number): void {
    if (depth > MAX_DEPTH) throw new YamlFault(`more than ${MAX_DEPTH} levels of nesting`, offset, "LimitExceeded");
  }
}

/** How much of a document may come from aliases: Go's guard against exponential documents. */
function allowedShare(nodes: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (nodes <= low) return 0.99;
  if (nodes >= high) return 0.1;
  return 0.99 - 0.89 * ((nodes - low) / (high - low));
}
