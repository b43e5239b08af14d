/** A value that does not fit its type: where (`.spec.ports`), and why, in the API server's words. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

/** Values that do not fit their schema: what the API server answers with HTTP 500 and no reason. */
export class SchemaMismatch extends Error {
  readonly problems: readonly SchemaProblem[];

  constructor(problems: readonly SchemaProblem[]) {
    super(describeProblems(problems));
    this.name = "SchemaMismatch";
    this.problems = problems;
  }
}

function describeProblems(problems: readonly SchemaProblem[]): string {
  const lines = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return lines.length === 1 ? (lines[0] ?? "") : ["errors:", ...lines.map((line) => `  ${line}`)].join("\n");
}
