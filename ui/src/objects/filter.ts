import { OBJECT_STATES, type ObjectRow, type ObjectState } from "../../../src/http/dashboard/types.ts";

/** What the objects page shows; an empty text filters nothing. */
export interface Filter {
  /** Words that must all occur in kind, namespace, name, file or message. */
  readonly text: string;
  /** `Deployment.apps`. */
  readonly kind: string;
  readonly namespace: string;
  /** A state, or `trouble`, or `not-ready`. */
  readonly state: string;
  readonly file: string;
}

const RANK: ReadonlyMap<ObjectState, number> = new Map(OBJECT_STATES.map((state, rank) => [state, rank]));
const TROUBLE: ReadonlySet<ObjectState> = new Set(["failed", "fighting", "blocked", "held"]);

/** How soon somebody should look at a state: 0 is first. */
export function rankOf(state: ObjectState): number {
  return RANK.get(state) ?? 0;
}

/** `Deployment.apps`, as the kind filter names it. */
export function kindKey({ kind, group }: Pick<ObjectRow, "kind" | "group">): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** The rows that a filter lets through, what needs a look first, then by namespace, kind and name. */
export function filterRows(rows: Iterable<ObjectRow>, filter: Filter): readonly ObjectRow[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found: ObjectRow[] = [];
  for (const row of rows) if (passes(row, filter, words)) found.push(row);
  return found.sort(compareRows);
}

function passes(row: ObjectRow, filter: Filter, words: readonly string[]): boolean {
  if (filter.kind !== "" && kindKey(row) !== filter.kind) return false;
  if (filter.namespace !== "" && row.namespace !== filter.namespace) return false;
  if (filter.file !== "" && row.file !== filter.file) return false;
  if (!isInState(row, filter.state)) return false;
  if (words.length === 0) return true;
  const text = `${row.kind} ${row.namespace}/${row.name} ${row.file ?? ""} ${row.message ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function isInState(row: ObjectRow, state: string): boolean {
  if (state === "") return true;
  if (state === "trouble") return TROUBLE.has(row.state);
  if (state === "not-ready") return row.readiness !== "Current" && row.readiness !== "Unknown";
  return row.state === state;
}

function compareRows(a: ObjectRow, b: ObjectRow): number {
  return (
    rankOf(a.state) - rankOf(b.state) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.kind, b.kind) ||
    compareText(a.name, b.name)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The choices of a filter with how often each occurs, in order. */
export function choicesOf(
  rows: Iterable<ObjectRow>,
  choice: (row: ObjectRow) => string,
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = choice(row);
    if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => compareText(a, b));
}
