import type { GroupKind, JsonObject } from "../object/index.ts";

/**
 * What makes a set of objects one set: how its objects are found in the cluster and how they are proven to be its own.
 * The add-ons and the operands of the SR-IOV operator are two such sets on the same engine.
 */
export interface SetIdentity {
  /** Field manager of every server-side apply; the proof of ownership for prune. At most 128 bytes. */
  readonly manager: string;
  /**
   * Label selectors that together find every object of the set, and look-alikes. Disjoint: no object matches two.
   * One watch each for every kind.
   */
  readonly selectors: readonly string[];
  /** The labels by which an object counts as one that may be pruned: their keys, as far as they are on the object; empty means not of the class. */
  readonly classLabels: (labels: Readonly<Record<string, string>>) => readonly string[];
  /** Label keys that a release takes off. */
  readonly releasedLabels: readonly string[];
  /**
   * Namespaced kinds are looked at in this namespace alone, for sets that live in one and whose rights end there.
   * Default: in all of them.
   */
  readonly namespace?: string;
  /**
   * The kind whose objects control the set's own: a controller owner reference to one of them keeps nothing from being
   * pruned, as any other one does.
   */
  readonly controller?: GroupKind;
  /**
   * Field managers of the program that kept this set before: what they own is folded into our entry before the first
   * apply, so that a field that leaves the set leaves the object.
   */
  readonly predecessors?: readonly string[];
  /** Which label says that an object is ensured rather than reconciled, where the set knows such objects. */
  readonly modeLabel: string | undefined;
  /** Changes an object before it is sent, for marks that every object of the set carries. */
  readonly decorate?: (object: JsonObject) => JsonObject;
}
