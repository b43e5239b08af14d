import {
  type Addon,
  OBJECT_STATES,
  type ObjectRow,
  type ObjectState,
  type Pause,
  type Problem,
  type Readiness,
} from "../../http/index.ts";

/** From the worst to the best. */
const READINESS: readonly Readiness[] = ["Failed", "NotFound", "Terminating", "InProgress", "Unknown", "Current"];

/** The files of the directory with what their objects come to, by path. Pure. */
export function addonsOf(
  rows: readonly ObjectRow[],
  problems: readonly Problem[],
  pauses: readonly Pause[],
): readonly Addon[] {
  const rowsOfFile = new Map<string, ObjectRow[]>();
  const listOf = (file: string): ObjectRow[] => {
    const list = rowsOfFile.get(file) ?? [];
    rowsOfFile.set(file, list);
    return list;
  };
  for (const row of rows) if (row.file !== undefined) listOf(row.file).push(row);
  for (const { file } of problems) if (file !== "") listOf(file);
  return [...rowsOfFile]
    .map(([file, own]) =>
      addonOf(file, own, {
        problems: problems.filter((problem) => problem.file === file),
        pause: pauses.find(({ target }) => target.kind === "file" && target.file === file),
      }),
    )
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

function addonOf(
  file: string,
  rows: readonly ObjectRow[],
  more: { readonly problems: readonly Problem[]; readonly pause: Pause | undefined },
): Addon {
  const { problems, pause } = more;
  const states: Partial<Record<ObjectState, number>> = {};
  for (const { state } of rows) states[state] = (states[state] ?? 0) + 1;
  const state =
    problems.length > 0
      ? "failed"
      : worst(
          OBJECT_STATES,
          rows.map((row) => row.state),
        );
  const readiness =
    rows.length === 0
      ? "Unknown"
      : worst(
          READINESS,
          rows.map((row) => row.readiness),
        );
  const troubled =
    rows.find((row) => row.state === state && row.state !== "converged") ??
    rows.find((row) => row.readiness === readiness && readiness !== "Current");
  return {
    file,
    objects: rows.length,
    state,
    readiness,
    states,
    ready: rows.filter((row) => row.readiness === "Current").length,
    ...(troubled?.message === undefined ? {} : { message: troubled.message }),
    problems,
    ...(pause === undefined ? {} : { pause }),
  };
}

function worst<T>(order: readonly T[], found: readonly T[]): T {
  const present = new Set(found);
  return order.find((each) => present.has(each)) ?? (order.at(-1) as T);
}
