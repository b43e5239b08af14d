import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { OracleRequest } from "./oracle.ts";
import { BUILTIN_CALLS, isKind, type Kind, MADE, RIGHT, SPRIG_CALLS, WRONG } from "./vocabulary.ts";

/**
 * Templates by grammar: careful ones, which mostly render, and sloppy ones with unknown fields and arguments of the
 * wrong type or number; in one out of ten a character is missing or too many.
 *
 * Left out because Go itself is not deterministic there: the order of `keys` and `values`, addresses (`%p`), and all
 * that Keelson refuses. Counts stay small: Go would really repeat a text a billion times.
 */

type Text = fc.Arbitrary<string>;

/** The data that templates are rendered with. */
export const DATA: Readonly<Record<string, unknown>> = {
  name: "World",
  n: 3,
  f: 1.5,
  big: 321,
  neg: -7,
  tiny: 0.000001234,
  huge: 1e300,
  t: true,
  no: false,
  z: 0,
  e: "",
  nul: null,
  uni: "h\u00e9llo w\u00f6rld \u{1f600}",
  s: "a\nb",
  yaml: "yes",
  list: ["b", "a", "c"],
  ints: [3, 1, 2],
  mixed: [1, "two", 3.5, true, null, ["x"], { k: "v" }],
  empty: [],
  nothing: {},
  objs: [
    { name: "x", v: 1 },
    { name: "y", v: 2 },
  ],
  map: { b: 1, a: 2, c: { d: "deep", e: [1, 2] } },
  user: { name: "Al", tags: { k: "v" }, age: 42 },
};

/** Templates that are wrong, or look so. */
export const ODDITIES: readonly string[] = lines("oddities.txt");

/** Calls of each of sprig's functions, right and wrong. */
export const FUNCTION_LINES: readonly string[] = lines("functions.txt");

/** One template to a line, ⏎ for a line break. */
function lines(file: string): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, file), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll("⏎", "\n"));
}

interface Style {
  readonly functions: "builtin" | "sprig";
  readonly isSloppy: boolean;
}

/**
 * The grammar for one style. Each rule is built once: fast-check spends its time in building arbitraries,
 * not in drawing from them.
 */
class Grammar {
  private readonly style: Style;
  private readonly rules = new Map<string, Text>();

  constructor(style: Style) {
    this.style = style;
  }

  /** Text and actions, with control structures nested up to a depth. */
  block(nesting: number): Text {
    return this.rule(`block ${nesting}`, () => {
      const pieces: fc.WeightedArbitrary<string>[] = [
        { weight: 9, arbitrary: plainText() },
        { weight: 18, arbitrary: this.action() },
        { weight: 3, arbitrary: fc.constantFrom("{{/* note */}}", "{{- /* note */ -}}", '{{template "two"}}') },
        { weight: 3, arbitrary: this.operand("any", 2).map((dot) => `{{template "one" ${dot}}}`) },
      ];
      if (this.style.isSloppy) {
        const misplaced = [
          "{{break}}",
          "{{continue}}",
          "{{else}}",
          '{{template "none" .}}',
          "{{template .}}",
          "{{end}}",
        ];
        pieces.push({ weight: 1, arbitrary: fc.constantFrom(...misplaced) });
        pieces.push({ weight: 2, arbitrary: fc.constantFrom(...ODDITIES) });
      }
      if (nesting > 0) {
        pieces.push({ weight: 12, arbitrary: this.control(nesting - 1) });
      }
      return fc.array(fc.oneof(...pieces), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
    });
  }

  private rule(name: string, build: () => Text): Text {
    const known = this.rules.get(name);
    if (known !== undefined) {
      return known;
    }
    const built = build();
    this.rules.set(name, built);
    return built;
  }

  /** A value; parentheses nest up to a depth. */
  private operand(kind: Kind, depth: number): Text {
    return this.rule(`operand ${kind} ${depth}`, () => {
      const made = this.style.functions === "sprig" ? (MADE[kind] ?? []) : [];
      // Below a range or with, dot is something else, and a path only leads somewhere from $.
      const rooted = RIGHT[kind].map((word) => (this.style.isSloppy ? word : word.replace(/^\.(?=\w)/, "$.")));
      const right = fc.constantFrom(...rooted, ...made);
      const wrong = fc.constantFrom(...WRONG[kind], ...Object.keys(DATA).map((name) => `.${name}`));
      const simple = this.style.isSloppy
        ? fc.oneof({ weight: 7, arbitrary: right }, { weight: 1, arbitrary: wrong })
        : right;
      if (depth <= 0 || kind === "count" || kind === "pattern" || kind === "format") {
        return simple;
      }
      const inner = this.pipeline(depth - 1, kind);
      const field = fc.constantFrom(".name", ".v", ".c.d", ".Major");
      return fc.oneof(
        { weight: 9, arbitrary: simple },
        { weight: 2, arbitrary: inner.map((text) => `(${text})`) },
        {
          weight: kind === "any" || this.style.isSloppy ? 1 : 0,
          arbitrary: fc
            .tuple(this.operand("map", 0), field)
            .map(([text, name]) => `(${text} | print)${name}`.replace(" | print", "")),
        },
      );
    });
  }

  private call(depth: number): Text {
    return this.rule(`call ${depth}`, () => fc.oneof(...this.specs().map((spec) => this.callOf(spec, depth))));
  }

  private specs(): readonly string[] {
    return this.style.functions === "sprig" ? [...BUILTIN_CALLS, ...SPRIG_CALLS] : BUILTIN_CALLS;
  }

  private callOf(spec: string, depth: number): Text {
    return this.rule(`call ${spec} ${depth}`, () => {
      const [name = "", ...kinds] = spec.split(" ");
      const words = kinds.map((kind) => this.argument(kind, depth));
      const luck = this.style.isSloppy ? fc.integer({ min: 0, max: 24 }) : fc.constant(24);
      return fc.tuple(luck, ...words).map(([drawn, ...args]) => [name, ...misfortune(args, drawn)].join(" "));
    });
  }

  /** A word of a specification that is no kind stands for itself. */
  private argument(kind: string, depth: number): Text {
    return isKind(kind) ? this.operand(kind, depth) : fc.constant(kind);
  }

  /** A value that goes through one function or two; in a sloppy template through any, whatever it wants. */
  private pipeline(depth: number, kind: Kind = "any"): Text {
    return this.rule(`pipeline ${kind} ${depth}`, () => {
      const plain = fc.oneof(
        { weight: 3, arbitrary: this.call(depth) },
        { weight: 2, arbitrary: this.operand(kind, 0) },
      );
      const fed = fc.oneof(...this.specs().flatMap((spec) => this.fedPipeline(spec, depth)));
      if (!this.style.isSloppy) {
        return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: fed });
      }
      const pipeable = this.specs().filter((spec) => !spec.endsWith(" count"));
      const piped = fc.oneof(...pipeable.map((spec) => this.callOf(spec.replace(/ [^ ]+$/, ""), 0)));
      const chain = fc.tuple(plain, fc.array(piped, { maxLength: 2 }));
      return fc.oneof(
        fed,
        chain.map(([first, rest]) => [first, ...rest].join(" | ")),
      );
    });
  }

  /** `last | function first…`: the function's last argument comes from the pipeline. */
  private fedPipeline(spec: string, depth: number): readonly Text[] {
    const words = spec.split(" ");
    const last = words.at(-1) ?? "";
    if (words.length < 2 || !isKind(last) || last === "count") {
      return [];
    }
    const head = this.operand(last, 0);
    return [fc.tuple(head, this.callOf(words.slice(0, -1).join(" "), depth)).map(([from, to]) => `${from} | ${to}`)];
  }

  private action(): Text {
    return this.rule("action", () =>
      fc
        .tuple(
          this.pipeline(2),
          fc.constantFrom("", "", "", "", "- "),
          fc.constantFrom("", "", "", "", " -"),
          fc.constantFrom("", "", "", "", "$x := ", "$x = ", "$y := "),
        )
        .map(([inner, left, right, declaration]) => `{{${left}${declaration}${inner}${right}}}`),
    );
  }

  private control(nesting: number): Text {
    const body = this.block(nesting);
    const pipe = this.pipeline(2);
    const otherwise = fc.oneof(
      fc.constant(""),
      body.map((text) => `{{else}}${text}`),
    );
    const over = fc.oneof(this.operand("list", 2), this.operand("map", 2), this.operand("int", 2), pipe);
    const variables = fc.constantFrom("", "", "$x := ", "$y, $x := ", "$x = ");
    return fc.oneof(
      fc.tuple(pipe, body, otherwise).map(([test, yes, no]) => `{{if ${test}}}${yes}${no}{{end}}`),
      fc
        .tuple(pipe, body, pipe, body)
        .map(([test, yes, second, no]) => `{{if ${test}}}${yes}{{else if ${second}}}${no}{{end}}`),
      fc.tuple(pipe, body, otherwise).map(([value, yes, no]) => `{{with ${value}}}${yes}${no}{{end}}`),
      fc
        .tuple(pipe, body, pipe, body)
        .map(([value, yes, second, no]) => `{{with $x := ${value}}}${yes}{{else with ${second}}}${no}{{end}}`),
      fc
        .tuple(over, body, otherwise, variables)
        .map(([value, each, none, names]) => `{{range ${names}${value}}}${each}${none}{{end}}`),
      fc
        .tuple(over, body, pipe)
        .map(([value, each, stop]) => `{{range ${value}}}${each}{{if ${stop}}}{{break}}{{end}}|{{end}}`),
      fc
        .tuple(pipe, body, fc.integer({ min: 0, max: 9 }))
        .map(([dot, inner, number]) => `{{block "own ${number}" ${dot}}}${inner}{{end}}`),
    );
  }
}

function plainText(): Text {
  return fc.constantFrom("", " ", "\n", "text", "a: ", "  \n  ", "- ", "\u00e9", "}} { ", "\t");
}

/** Now and then a call has an argument too few or too many. */
function misfortune(args: readonly string[], luck: number): readonly string[] {
  return luck === 0 ? args.slice(1) : luck === 1 ? [...args, "1"] : args;
}

/** Two variables and two templates to use, then the body. */
export const PRELUDE: string =
  '{{$x := 1}}{{$y := "why"}}{{define "one"}}<{{.}}{{$}}>{{end}}{{define "two"}}[{{.}}]{{end}}';

/** A whole request: builtins or sprig, careful or sloppy; in one out of ten sloppy ones the text is damaged. */
export function requests(): fc.Arbitrary<OracleRequest> {
  return fc.oneof(
    { weight: 1, arbitrary: requestsOf({ functions: "builtin", isSloppy: false }) },
    { weight: 1, arbitrary: requestsOf({ functions: "builtin", isSloppy: true }) },
    { weight: 3, arbitrary: requestsOf({ functions: "sprig", isSloppy: false }) },
    { weight: 2, arbitrary: requestsOf({ functions: "sprig", isSloppy: true }) },
  );
}

function requestsOf(style: Style): fc.Arbitrary<OracleRequest> {
  return fc
    .record({
      body: new Grammar(style).block(2),
      damage: fc.integer({ min: 0, max: 9 }),
      place: fc.nat(),
      addition: fc.constantFrom("", "", "{", "}", '"', "(", ")", "|", ".", " ", "$", "\n", "'", "`", "end", ":="),
      missingkey: fc.constantFrom<OracleRequest["missingkey"]>("default", "default", "zero", "error"),
    })
    .map(({ body, damage, place, addition, missingkey }) => {
      const template = style.isSloppy && damage === 0 ? damaged(body, place, addition) : body;
      return { template: PRELUDE + template, data: DATA, functions: style.functions, missingkey };
    });
}

/** The text with something put in, or a character taken out. */
function damaged(text: string, place: number, addition: string): string {
  const at = place % (text.length + 1);
  return text.slice(0, at) + addition + text.slice(addition === "" ? at + 1 : at);
}
