import { dump, floatCoreTag, floatYaml11Tag, intCoreTag, intYaml11Tag, NOT_RESOLVED, YAML11_SCHEMA } from "js-yaml";
import pc from "picocolors";
import { assertNever } from "../errors/index.ts";
import { escapeControls } from "../log/index.ts";
import type { CliHost } from "./host.ts";

/** Colours, or none where the output is no terminal or NO_COLOR is set. */
export interface Paint {
  readonly added: (text: string) => string;
  readonly removed: (text: string) => string;
  readonly changed: (text: string) => string;
  readonly warned: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
}

/** A report, and how it reads as text. */
export interface PrintableReport<R> {
  readonly report: R;
  readonly print: (report: R, paint: Paint) => string;
}

/** Prints a report on stdout in the form that `-o` asks for. */
export function printReport<R>(
  host: CliHost,
  options: ReadonlyMap<string, string>,
  { report, print }: PrintableReport<R>,
): void {
  host.progress.clear();
  host.stdout.write(formatReport(options.get("output"), () => print(report, paintFor(host)), report));
}

/** The paint for the host's stdout. https://no-color.org: any value but the empty one turns colours off. */
export function paintFor(host: Pick<CliHost, "stdout" | "environment">): Paint {
  const { NO_COLOR = "", TERM } = host.environment;
  return createPaint(host.stdout.isTerminal && NO_COLOR === "" && TERM !== "dumb");
}

export function createPaint(coloured: boolean): Paint {
  const colours = pc.createColors(coloured);
  return {
    added: colours.green,
    removed: colours.red,
    changed: colours.yellow,
    warned: colours.magenta,
    faint: colours.dim,
    strong: colours.bold,
  };
}

function formatReport(format: string | undefined, text: () => string, report: unknown): string {
  const kind = format === "json" || format === "yaml" ? format : "table";
  switch (kind) {
    case "table":
      return text();
    case "json":
      return formatJson(report);
    case "yaml":
      return formatYaml(report);
    default:
      return assertNever(kind);
  }
}

/** Marks a bigint on its way through JSON.stringify, which knows none. */
const BIGINT_MARK = "\u0000bigint:";
const MARKED_BIGINT = /"\\u0000bigint:(-?\d+)"/g;

/** JSON on several lines; integers are exact, and no character acts on a terminal. */
export function formatJson(value: unknown): string {
  const replace = (_: string, field: unknown): unknown =>
    typeof field === "bigint" ? `${BIGINT_MARK}${field}` : field;
  const text = JSON.stringify(value, replace, 2).replace(MARKED_BIGINT, "$1");
  return `${text.split("\n").map(escapeControls).join("\n")}\n`;
}

/**
 * What any reader, of YAML 1.1 or 1.2, might take for a number is quoted where it is a string (a digest `12e34`), and a
 * bigint is written as the integer that it is.
 */
const schema = YAML11_SCHEMA.withTags(
  {
    ...intYaml11Tag,
    implicitFirstChars: null,
    resolve: (...text) => either(intYaml11Tag.resolve(...text), intCoreTag.resolve(...text)),
    identify: (value: unknown) => typeof value === "bigint" || intYaml11Tag.identify(value),
    represent: (value: unknown) => (typeof value === "bigint" ? value.toString() : intYaml11Tag.represent(value)),
  },
  {
    ...floatYaml11Tag,
    implicitFirstChars: null,
    resolve: (...text) => either(floatYaml11Tag.resolve(...text), floatCoreTag.resolve(...text)),
  },
);

function either<A, B>(first: A, second: B): A | B {
  return first === NOT_RESOLVED ? second : first;
}

/** YAML that YAML 1.1 readers such as kubectl read alike. */
export function formatYaml(value: unknown): string {
  return dump(withoutUndefined(value), { schema, lineWidth: -1, noRefs: true });
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries.map(([name, field]) => [name, withoutUndefined(field)]));
}
