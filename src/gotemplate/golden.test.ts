import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ParseOptions, parseTemplate, type TemplateData } from "./index.ts";

/** Templates and what Go 1.26 with sprig 3.3 makes of them. */
interface Golden {
  readonly data: TemplateData;
  /** Stands before each template. */
  readonly prelude?: string;
  readonly cases: readonly {
    readonly template: string;
    readonly functions: NonNullable<ParseOptions["functions"]>;
    readonly missingkey?: NonNullable<ParseOptions["missingKey"]>;
    readonly output?: string;
    readonly error?: string;
  }[];
}

function load(name: string): Golden {
  return JSON.parse(readFileSync(join(import.meta.dirname, "testdata", name), "utf8")) as Golden;
}

describe.each(["go-template.golden.json", "recorded.golden.json"])("the templates of %s", (file) => {
  const golden = load(file);

  it.each(golden.cases)("render as Go does: $template", ({ template, functions, missingkey, output, error }) => {
    const text = (golden.prelude ?? "") + template;
    const render = () =>
      parseTemplate("t", text, { functions, missingKey: missingkey ?? "default" }).execute(golden.data);

    if (error === undefined) {
      expect(render()).toBe(output);
    } else {
      expect(render).toThrow(expect.objectContaining({ message: error, code: "InvalidTemplate", disposition: "user" }));
    }
  });
});
