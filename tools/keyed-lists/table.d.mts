/** The table that `table.mjs` describes. */
export interface KeyedListTable {
  readonly kinds: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export function keyedLists(documents: readonly unknown[]): KeyedListTable;
