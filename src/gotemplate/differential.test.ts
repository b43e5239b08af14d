import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEST_SEED } from "../../test/seed.ts";
import {
  buildOracle,
  missingGo,
  Oracle,
  type OracleAnswer,
  type OracleRequest,
} from "../../tools/gotemplate-oracle/oracle.ts";
import { DATA, FUNCTION_LINES, ODDITIES, PRELUDE, requests } from "../../tools/gotemplate-oracle/templates.ts";
import { valueRequests } from "../../tools/gotemplate-oracle/values.ts";
import { isKeelsonError } from "../errors/index.ts";
import { parseTemplate, type TemplateData } from "./index.ts";

/** KEELSON_TEMPLATES extends a run; KEELSON_SEED chooses other templates. */
const RUNS: number = Number(process.env.KEELSON_TEMPLATES ?? 4000);
/** What Go answers to the listed templates, for machines without Go. KEELSON_RECORD=1 writes it anew. */
const RECORDED: string = join(import.meta.dirname, "testdata/recorded.golden.json");

/** Renders as the oracle does: output, or error text. */
function render(request: OracleRequest): OracleAnswer {
  try {
    const options = { functions: request.functions, missingKey: request.missingkey };
    return { out: parseTemplate("t", request.template, options).execute(request.data as TemplateData) };
  } catch (error) {
    if (!isKeelsonError(error)) {
      throw error;
    }
    return { out: "", error: error.message };
  }
}

const absence = missingGo();
if (absence !== undefined) {
  console.warn(`skipped: ${absence}`);
}

describe.skipIf(absence !== undefined && process.env.CI !== "true")("against Go's text/template and sprig", () => {
  let oracle: Oracle;

  beforeAll(() => {
    oracle = new Oracle(buildOracle());
    console.info(`gotemplate: ${RUNS} templates, KEELSON_SEED=${TEST_SEED}`);
  }, 300_000);

  afterAll(() => oracle.close());

  const expectSameAnswers = (asked: fc.Arbitrary<OracleRequest>, numRuns: number) =>
    fc.assert(
      fc.asyncProperty(asked, async (request) => {
        expect(render(request)).toEqual(await oracle.render(request));
      }),
      { numRuns, seed: TEST_SEED },
    );

  it(`renders generated templates as Go does (seed ${TEST_SEED})`, { timeout: 600_000 }, async () => {
    await expectSameAnswers(requests(), RUNS);
  });

  it(`prints generated values as Go does (seed ${TEST_SEED})`, { timeout: 600_000 }, async () => {
    await expectSameAnswers(valueRequests(), Math.ceil(RUNS / 2));
  });

  it.each(["default", "zero", "error"] as const)(
    "treats odd templates as Go does with missingkey=%s",
    async (missingkey) => {
      const asked = listed().map((request) => ({ ...request, missingkey }));

      const answers = await Promise.all(asked.map((request) => oracle.render(request)));

      expect(asked.map(render)).toEqual(answers);
    },
  );

  it("records what Go answers to the listed templates", async () => {
    const asked = listed();

    const answers = await Promise.all(asked.map((request) => oracle.render(request)));

    const cases = asked.map(({ template, functions }, index) => {
      const { out, error } = answers[index] ?? { out: "" };
      return { functions, template: template.slice(PRELUDE.length), ...(error ? { error } : { output: out }) };
    });
    const recording = `${JSON.stringify({ data: DATA, prelude: PRELUDE, cases }, null, 1)}\n`;
    if (process.env.KEELSON_RECORD !== undefined) {
      writeFileSync(RECORDED, recording);
    }
    expect(readFileSync(RECORDED, "utf8")).toBe(recording);
  });
});

/** The templates that are kept in lists: odd ones, and calls of every function. */
function listed(): readonly OracleRequest[] {
  const request = (functions: OracleRequest["functions"]) => (template: string) =>
    ({ template: PRELUDE + template, data: DATA, functions, missingkey: "default" }) as const;
  return [...ODDITIES.map(request("builtin")), ...FUNCTION_LINES.map(request("sprig"))];
}
