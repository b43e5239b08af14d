import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

interface Verdict {
  readonly violations: readonly Violation[];
  readonly totalCruised: number;
}

/** Cruises the src/ of a directory with the project's own rules. */
async function cruise(directory: string): Promise<Verdict> {
  const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [program, "--config", join(root, ".dependency-cruiser.cjs"), "--output-type", "json", "src"];
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { cwd: directory, maxBuffer: 64 * 1024 * 1024 }, (error, out, errors) => {
      if (out === "") reject(error ?? new TypeError(errors));
      else resolve(out);
    });
  });
  return (JSON.parse(stdout) as { summary: Verdict }).summary;
}

const constant = "export const a = 1;\n";
const uses = (path: string): string => `import { a } from "${path}";\nexport const b = a;\n`;

/** Claim, file, its content, and the rule that it breaks. Every case has a file of its own, so that one cruise does. */
const cases: readonly (readonly [claim: string, file: string, content: string, rule: string | undefined])[] = [
  ["let a folder import a lower one", "kube/lower.ts", uses("../object/index.ts"), undefined],
  ["let a folder import itself", "kube/own.ts", uses("./lower.ts").replace("{ a }", "{ b as a }"), undefined],
  ["refuse a higher folder", "object/higher.ts", uses("../kube/index.ts"), "layer-object"],
  ["refuse the client the embedded API server", "kube/oracle.ts", uses("../apiserver/index.ts"), "layer-kube"],
  ["refuse the embedded API server the client", "apiserver/client.ts", uses("../kube/index.ts"), "layer-apiserver"],
  [
    "refuse one controller another",
    "controllers/addon/other.ts",
    uses("../sriov-operator-config/index.ts"),
    "layer-controllers-addon",
  ],
  ["refuse the daemon the command line", "daemon/cli.ts", uses("../cli/index.ts"), "layer-daemon"],
  ["refuse a neighbour of the same layer", "manifest/neighbour.ts", uses("../kube/index.ts"), "layer-manifest"],
  ["refuse the probes' server the client", "http/client.ts", uses("../kube/index.ts"), "layer-http"],
  [
    "count imports of types alone",
    "object/type-only.ts",
    'import type { A } from "../kube/types.ts";\nexport type B = A;\n',
    "layer-object",
  ],
  [
    "count dynamic imports",
    "daemon/dynamic.ts",
    'export const load = () => import("../cli/index.ts");\n',
    "layer-daemon",
  ],
  ["refuse to reach past a folder's index", "kube/deep.ts", uses("../object/lower.ts"), "index-only-object"],
  [
    "refuse cycles, also of types",
    "object/cycle-a.ts",
    'import type { B } from "./cycle-b.ts";\nexport type A = B | 1;\n',
    "no-cycles",
  ],
  ["refuse a folder that the table does not know", "misc/index.ts", uses("../object/index.ts"), "known-folder"],
  ["refuse imports that lead nowhere", "object/nowhere.ts", uses("./gone.ts"), "no-unresolvable"],
  ["refuse test code in the program", "object/tested.ts", uses("./memory.case.ts"), "no-test-code"],
];

const targets: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["object", "kube", "apiserver", "controllers/sriov-operator-config", "cli"].map((folder) => [
      `src/${folder}/index.ts`,
      constant,
    ]),
  ),
  "src/kube/types.ts": "export interface A { readonly a: 1 }\n",
  "src/object/lower.ts": constant,
  "src/object/memory.case.ts": constant,
  "src/object/cycle-b.ts": 'import type { A } from "./cycle-a.ts";\nexport type B = A | 2;\n',
  "tsconfig.json": '{ "compilerOptions": { "allowImportingTsExtensions": true, "noEmit": true } }',
};

describe("the layer rules", () => {
  let directory: string;
  let violations: readonly Violation[];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "keelson-layers-"));
    const files = { ...targets, ...Object.fromEntries(cases.map(([, file, content]) => [`src/${file}`, content])) };
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), content);
    }
    ({ violations } = await cruise(directory));
  }, 60_000);

  afterAll(() => rmSync(directory, { recursive: true }));

  it.each(cases)("%s", (_, file, __, rule) => {
    const broken = violations.filter(({ from }) => from === `src/${file}`).map((violation) => violation.rule.name);

    // Past the index of another folder is past the layers too; what counts is that the rule speaks.
    if (rule === undefined) expect(broken).toEqual([]);
    else expect(broken).toContain(rule);
  });

  it("see every source file of the project", { timeout: 60_000 }, async () => {
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
    const { totalCruised } = await cruise(root);

    expect(totalCruised).toBeGreaterThanOrEqual(sources.filter((path) => path.endsWith(".ts")).length);
  });
});
