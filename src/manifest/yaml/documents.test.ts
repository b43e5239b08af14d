import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../object/index.ts";
import { lineAt, readDocuments } from "./index.ts";

interface GoldenCase {
  readonly name: string;
  readonly yaml: string;
  readonly objects?: readonly unknown[];
  readonly error?: true;
}

const golden = JSON.parse(readFileSync(new URL("../testdata/kubectl-yaml.golden.json", import.meta.url), "utf8")) as {
  readonly cases: readonly GoldenCase[];
};

/** Where we are stricter on purpose, because kubectl loses content without a word. */
const STRICTER = new Map([
  ["dup-top", "a key stands twice"],
  ["json", "a key stands twice"],
  ["doc-end", "content behind ..."],
]);

/** Lists flattened, and big integers as the JSON of the golden file has them. */
function comparable(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(comparable);
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, comparable(part)]))
    : value;
}

const flat = (value: unknown): unknown[] => (isJsonObject(value) && Array.isArray(value.items) ? value.items : [value]);

function read(text: string | Uint8Array) {
  const documents = readDocuments(text);
  return {
    values: documents.flatMap((document) => (document.kind === "value" ? flat(document.value) : [])),
    faults: documents.flatMap((document) =>
      document.kind === "fault" ? [{ message: document.message, line: lineAt(document, document.start) }] : [],
    ),
  };
}

/** The value of `v` in a document `v: TEXT`. */
function valueIn(text: string): unknown {
  const { values, faults } = read(`v: ${text}\n`);
  expect(faults).toEqual([]);
  return isJsonObject(values[0]) ? values[0].v : undefined;
}

describe("readDocuments, on what kubectl makes of each text", () => {
  it("has all of the golden cases", () => {
    expect(golden.cases).toHaveLength(92);
  });

  for (const { name, yaml, objects, error } of golden.cases) {
    const stricter = STRICTER.get(name);
    it(`reads ${JSON.stringify(name)} ${stricter === undefined ? "alike" : `more strictly: ${stricter}`}`, () => {
      const { values, faults } = read(yaml);

      if (error === true || stricter !== undefined) expect(faults.length).toBeGreaterThan(0);
      else {
        expect(faults).toEqual([]);
        expect(values.map(comparable)).toEqual(objects);
      }
    });
  }
});

describe("scalars", () => {
  it.each([
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n],
    ["18446744073709551615", 18446744073709551615n],
    ["-9223372036854775809", -(2 ** 63)],
    ["0777", 511],
    ["0b-101", -5],
    ["0o8", "0o8"],
    ["1_000", 1000],
    [".5_0", 0.5],
    [".5__0", ".5__0"],
    ["-0.0", 0],
    ["1e-400", 0],
    ["!!float 3", 3],
    ["!!int '0x10'", 16],
    ["!!str", ""],
    ["!!null ''", null],
    ["!!bool 'yes'", true],
    ["! ~", "~"],
    ["!!timestamp 2001-01-01", "2001-01-01"],
    ["!!binary '////'", "\ufffd\ufffd\ufffd"],
    ["a\u2028 b", "a\u2028b"],
    ["a?b", "a?b"],
  ])("reads %s as %s", (text, value) => {
    expect(valueIn(text)).toEqual(value);
  });

  it.each([
    "!!int x",
    "!!bool 1",
    "!!null x",
    "!!binary '?'",
    "!!timestamp x",
    "!!float x",
    "[.inf]",
    "- .nan",
    "&a [*a]",
  ])("refuses %s", (text) => {
    expect(read(`v: ${text}\n`).faults).toHaveLength(1);
  });

  it.each([
    ["1.5", "1.5"],
    ["1e6", "1e+06"],
    ["1000000", "1000000"],
    ["0.00001", "1e-05"],
    ["0.1", "0.1"],
    ["-0.0", "-0"],
    ["-0", "0"],
    ["123456789.0", "1.2345679e+08"],
    ["yes", "true"],
    [".inf", ".inf"],
    ["0x10", "16"],
  ])("spells the key %s as %s", (key, text) => {
    expect(read(`${key}: v\n`).values).toEqual([{ [text]: "v" }]);
  });

  it.each(["~", "18446744073709551615", "[a]", "{a: b}"])("refuses the key %s", (key) => {
    expect(read(`? ${key}\n: v\n`).faults).toHaveLength(1);
  });

  it("keeps __proto__ as a key like any other", () => {
    const { values } = read('__proto__: 1\n---\n{"__proto__": {"polluted": true}}\n');

    expect(values.map((value) => Object.keys(value as object))).toEqual([["__proto__"], ["__proto__"]]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("merges and anchors", () => {
  it.each([
    ["a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\n", { k: 3, l: 2 }],
    ["a: &x {k: 1, l: 2}\nb: {k: 3, <<: *x}\n", { k: 1, l: 2 }],
    ["a: &x {k: 1}\nc: &y {k: 2, m: 3}\nb:\n  <<: [*x, *y]\n", { k: 1, m: 3 }],
    ["b:\n  <<: {k: 1}\n", { k: 1 }],
    ["b: {'<<': 1}\n", { "<<": 1 }],
  ])("merges %j as Go does", (text, merged) => {
    expect(read(text).values[0]).toMatchObject({ b: merged });
  });

  it.each(["b: {<<: 1}\n", "a: &x [1]\nb: {<<: *x}\n", "b: {<<: [1]}\n"])("refuses to merge %j", (text) => {
    expect(read(text).faults).toHaveLength(1);
  });

  it("takes a key that is written again behind a merge for a repetition", () => {
    expect(read("a: &x {k: 1}\nb: {k: 2, <<: *x, k: 3}\n").faults).toMatchObject([{ line: 2 }]);
  });

  it("does not carry anchors from one document to the next", () => {
    expect(read("a: &x 1\n---\nb: *x\n")).toMatchObject({ values: [{ a: 1 }], faults: [{ line: 3 }] });
  });

  it("refuses a document that aliases blow up, in time that does not", () => {
    const levels = Array.from({ length: 30 }, (_, level) => {
      const items = Array.from({ length: 10 }, () => (level === 0 ? "x" : `*l${level - 1}`));
      return `l${level}: &l${level} [${items.join(", ")}]`;
    });
    const before = performance.now();

    const { faults } = read(`${levels.join("\n")}\n`);

    expect(faults).toHaveLength(1);
    expect(performance.now() - before).toBeLessThan(1_000);
  });

  it("refuses aliases that stand for too much text", () => {
    const text = `a: &a "${"x".repeat(1_000_000)}"\nb: [${Array.from({ length: 30 }, () => "*a").join(", ")}]\n`;

    expect(read(text).faults[0]?.message).toContain("characters");
  });

  it.each([
    ["flow", `${"[".repeat(2_000)}${"]".repeat(2_000)}`],
    ["json", `{"a":${"[".repeat(2_000)}${"]".repeat(2_000)}}`],
    ["blocks", Array.from({ length: 2_000 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join("")],
    ["indentless", `a:\n${"- ".repeat(2_000)}x`],
  ])("refuses %s nested thousands of levels deep", (_, text) => {
    expect(read(text).faults[0]?.message).toContain("levels of nesting");
  });
});

describe("documents", () => {
  it("breaks only the document with the fault, and names its line in the file", () => {
    const { values, faults } = read("a: 1\n---\nb: [\n---\nc: 3\n--- text\nd: 4\n---\ne: 5\n");

    expect(values).toEqual([{ a: 1 }, { c: 3 }, { e: 5 }]);
    expect(faults.map(({ line }) => line)).toEqual([4, 6]);
  });

  it("splits at a line that starts with --- wherever it stands, as kubectl does", () => {
    expect(read('a: "x\n---\ny"\n')).toMatchObject({ values: ['y"'], faults: [{ line: 1 }] });
  });

  it.each([
    ["twice the same key", "a: 1\nb:\n  c: 1\n  c: 2\n", 4],
    ["a bad escape", 'a: 1\nb: "\\/"\n', 2],
    ["a tab as indentation", "a:\n\tb: 1\n", 2],
    ["a control character", "a: 1\nb: \u0001\n", 2],
    ["a missing colon", "a: 1\nb\nc: 2\n", 2],
    ["content behind the end", "a: 1\n...\nb: 2\n", 3],
    ["content behind a closed mapping", "{a: 1}\nb: 2\n", 2],
    ["a directive", "# x\n%YAML 1.1\n", 2],
    ["CRLF before the fault", "a: 1\r\nb: [\r\nc: 1\r\n", 4],
    ["CR before the fault", "a: 1\rb: @\r", 2],
    ["JSON in which a key stands twice", '{"a": 1,\n"b": 2,\n"a": 3}\n', 3],
  ])("names the line of %s", (_, text, line) => {
    expect(read(text).faults).toMatchObject([{ line }]);
  });

  it("reads a stream of JSON, and YAML behind it", () => {
    expect(read('{"a":1}{"b":2}\n{"c":"\\/\\ud83d\\ude00"}\n---\nd: yes\n')).toEqual({
      values: [{ a: 1 }, { b: 2 }, { c: "/😀" }, { d: true }],
      faults: [],
    });
  });

  it("reads what only looks like JSON as YAML", () => {
    expect(read("{a: 1, b: yes, }\n---\n{c: 2}\n").values).toEqual([{ a: 1, b: true }, { c: 2 }]);
  });

  it("keeps the integers of JSON exact", () => {
    expect(read('{"a":9007199254740993,"b":-0,"c":1.0,"d":1e2,"e":99999999999999999999}').values).toEqual([
      { a: 9007199254740993n, b: 0, c: 1, d: 100, e: 1e20 },
    ]);
  });

  it("reads UTF-16 behind a byte order mark, and UTF-8 with one before each document", () => {
    const text = "a: é\n";
    const little = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    const big = Buffer.from(little).swap16();

    expect([read(little), read(big)].flatMap(({ values }) => values)).toEqual([{ a: "é" }, { a: "é" }]);
    expect(read(Buffer.from("\ufeffa: 1\n---\n\ufeffb: 2\n")).values).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it("breaks only the document with bytes that are no UTF-8", () => {
    const { values, faults } = read(Buffer.from("a: 1\n---\nx: y\nb: \xe9\n---\nc: \xc3\xa9\n", "latin1"));

    expect(values).toEqual([{ a: 1 }, { c: "é" }]);
    expect(faults).toEqual([{ message: expect.stringContaining("UTF-8"), line: 4 }]);
  });

  it.each([
    ["a: 1\nimage: {{ .Values.image }}\n", 2],
    ["{{- if .x }}\na: 1\n{{- end }}\n", 1],
    ["a: 1\nb: @__NAME__\n", 2],
  ])("takes %j for an unrendered template", (text, line) => {
    const [document] = readDocuments(text);

    expect(document).toMatchObject({ kind: "fault", code: "UnrenderedTemplate" });
    expect(document === undefined ? 0 : lineAt(document, document.start)).toBe(line);
  });

  it("reads a long key only up to 1024 characters, counted as characters", () => {
    expect(read(`${"k".repeat(1_000)}: 1\n`).faults).toEqual([]);
    expect(read(`${"😀".repeat(1_000)}: 1\n`).faults).toEqual([]);
    expect(read(`${"k".repeat(1_100)}: 1\n`).faults).toHaveLength(1);
  });
});
