/** Where the parts of a document stand, for error messages. Offsets are in UTF-16 units of the document's text. */
export interface Positions {
  /** Of each mapping that is an item of a list under `items`: its first character. */
  readonly items: Map<object, number>;
  /** Of each collection: the offset of each key, or of each item. Filled only where asked for. */
  readonly parts: Map<object, Map<string | number, number>> | undefined;
}

export function newPositions(withParts: boolean): Positions {
  return { items: new Map(), parts: withParts ? new Map() : undefined };
}

/** A key of a mapping or an index of a list, and where it starts. */
export interface Part {
  readonly key: string | number;
  readonly offset: number;
}

/** Notes where a key or an item stands. */
export function markPart(positions: Positions, container: object, part: Part): void {
  if (positions.parts === undefined) return;
  const known = positions.parts.get(container) ?? new Map<string | number, number>();
  known.set(part.key, part.offset);
  positions.parts.set(container, known);
}
