import { describe, expect, it } from "vitest";
import { parseTemplate } from "./index.ts";

/** The template's output for the data. */
function render(text: string, data: Parameters<ReturnType<typeof parseTemplate>["execute"]>[0] = {}): string {
  return parseTemplate("t", text, { functions: "sprig" }).execute(data);
}

describe("parseTemplate", () => {
  it("names the file and line of a syntax error", () => {
    expect(() => parseTemplate("a/b.yaml", "x\n{{if}}")).toThrow(
      expect.objectContaining({
        code: "InvalidTemplate",
        disposition: "user",
        object: "a/b.yaml:2",
        message: "template: a/b.yaml:2: missing value for if",
      }),
    );
  });

  it("does not know sprig's functions unless asked for them", () => {
    expect(() => parseTemplate("t", "{{upper .}}")).toThrow('template: t:1: function "upper" not defined');
    expect(parseTemplate("t", "{{upper .}}", { functions: "sprig" }).execute("a")).toBe("A");
  });

  it("refuses nesting that no stack can hold", () => {
    const text = `{{${"(".repeat(50_000)}1${")".repeat(50_000)}}}`;

    expect(() => parseTemplate("t", text)).toThrow("template: t:1: max expression depth exceeded");
  });

  it("keeps the definitions of its text", () => {
    const template = parseTemplate("t", '{{define "part"}}<{{.}}>{{end}}main');

    expect(template.names()).toEqual(["part", "t"]);
    expect(template.lookup("part")?.execute(1)).toBe("<1>");
    expect(template.lookup("other")).toBeUndefined();
  });

  it("lets a definition of its own name stand in for a blank text", () => {
    expect(parseTemplate("t", '{{define "t"}}root{{end}}\n').execute(null)).toBe("root");
  });
});

describe("Template.execute", () => {
  it("names the file and line of a failure, and the variable in its text", () => {
    const template = parseTemplate("ds.yaml", "a\nimage: {{ .Image }}", { missingKey: "error" });

    expect(() => template.execute({})).toThrow(
      expect.objectContaining({
        object: "ds.yaml:2",
        message: 'template: ds.yaml:2:10: executing "ds.yaml" at <.Image>: map has no entry for key "Image"',
      }),
    );
  });

  it("counts columns in bytes", () => {
    expect(() => parseTemplate("t", "é{{.a.b}}").execute({ a: 1 })).toThrow("template: t:1:6: ");
  });

  it("can be repeated with other data", () => {
    const template = parseTemplate("t", "{{$x := .}}{{range .}}{{$x}}{{end}}");

    expect(template.execute(["a"])).toBe("[a]");
    expect(template.execute(["b", "c"])).toBe("[b c][b c]");
  });

  it("never changes the caller's data", () => {
    const data = { map: { a: 1 }, list: [1] };

    expect(render('{{$_ := set .map "b" 2}}{{$_ := merge .map (dict "c" 3)}}{{.map}}', data)).toBe("map[a:1 b:2 c:3]");
    expect(data).toEqual({ map: { a: 1 }, list: [1] });
  });

  it("ends an endless recursion with Go's error", () => {
    expect(() => parseTemplate("t", '{{define "r"}}{{template "r" .}}{{end}}{{template "r" .}}').execute(1)).toThrow(
      'template: t:1:25: executing "r" at <{{template "r" .}}>: exceeded maximum template depth (100000)',
    );
  });

  it("recurses hundreds of levels deep", () => {
    const text = '{{define "r"}}{{if .}}{{template "r" (slice . 1)}}{{end}}{{end}}{{template "r" .}}done';

    expect(parseTemplate("t", text).execute("x".repeat(500))).toBe("done");
  });

  it.each([
    [1, "int"],
    [1.5, "float64"],
    [-0, "int"],
    [9007199254740993n, "int"],
    [2 ** 62, "int"],
    [2 ** 64, "float64"],
    ["a", "string"],
    [true, "bool"],
    [null, "<nil>"],
    [[], "[]interface {}"],
    [{}, "map[string]interface {}"],
  ])("takes %s for a Go %s", (value, type) => {
    expect(render("{{typeOf .}}", value)).toBe(type);
  });

  it("keeps integers exact beyond JavaScript's numbers", () => {
    expect(render("{{.}} {{add . 1}}", 9007199254740993n)).toBe("9007199254740993 9007199254740994");
  });

  it("takes an undefined property for an absent one", () => {
    expect(parseTemplate("t", "{{len .}}").execute({ a: undefined, b: 1 })).toBe("1");
  });

  it("joins characters that were cut in half, and replaces what stays broken", () => {
    expect(parseTemplate("t", "{{slice . 0 1}}{{slice . 1 2}}|{{slice . 1}}").execute("é")).toBe("é|\ufffd");
  });
});

describe("a caller's functions", () => {
  const extra = {
    fname: { params: [], call: () => "value" },
    double: { params: ["int"], call: (value: unknown) => Number(value) * 2 },
    join: {
      params: ["string"],
      rest: "interface {}",
      call: (...words: readonly unknown[]) => words.slice(1).join(String(words[0])),
    },
    upper: { params: ["string"], call: () => "mine" },
    broken: {
      params: [],
      call: () => {
        throw new RangeError("out of luck");
      },
    },
  };
  const call = (text: string) => parseTemplate("t", text, { functions: "sprig", extra }).execute({ n: 4 });

  it.each([
    ["{{fname}}", "value"],
    ["{{double .n}} {{3 | double}}", "8 6"],
    ['{{join "-" 1 "a" .n}}', "1-a-4"],
    ['{{upper "a"}}', "mine"],
  ])("renders %s", (text, output) => {
    expect(call(text)).toBe(output);
  });

  it.each([
    ["{{double}}", 'executing "t" at <double>: wrong number of args for double: want 1 got 0'],
    ['{{double "a"}}', 'executing "t" at <"a">: expected integer; found "a"'],
    ["{{broken}}", 'executing "t" at <broken>: error calling broken: out of luck'],
  ])("fails at %s as at a function of Go's", (text, message) => {
    expect(() => call(text)).toThrow(message);
  });
});

describe("sprig's functions", () => {
  it.each(["env", "now", "randAlpha", "genCA", "getHostByName", "urlParse"])(
    "refuses %s, but only when it is called",
    (name) => {
      expect(render(`{{if false}}{{${name} "x"}}{{end}}ok`)).toBe("ok");
      expect(() => render(`{{${name} "x"}}`)).toThrow(
        expect.objectContaining({
          code: "InvalidTemplate",
          message: expect.stringMatching(`error calling ${name}: ${name} is refused: .*; pass the value in as data`),
        }),
      );
    },
  );

  it("gives keys and values in the order of the keys", () => {
    expect(render("{{keys .}} {{values .}}", { b: 1, a: 2, c: 3 })).toBe("[a b c] [2 1 3]");
  });

  it.each([
    ['{{repeat 1000000000000 "x"}}', "strings: Repeat output length overflow"],
    ["{{until 1000000000}}", "a sequence of more than 10000000 numbers is refused"],
  ])("refuses results that would not fit into memory: %s", (text, message) => {
    expect(() => render(text)).toThrow(message);
  });
});
