import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isKeelsonError, messageOf } from "../errors/index.ts";
import { type MissingKey, parseTemplate, type Template, type TemplateData } from "../gotemplate/index.ts";
import { stringifyJson } from "../object/index.ts";
import { compareBytes } from "./build-snapshot.ts";
import { loadText, MAX_FILE_BYTES } from "./load-text.ts";
import { buildProblem, contentDigest } from "./problem.ts";
import type { ManifestObject, Problem } from "./snapshot.ts";

/** How templates are read. The defaults are those of operators that render their manifests. */
export interface RenderOptions {
  /** Go's own functions only, or sprig's, `getOr`, `isSet`, `toYaml` and `include` besides; default `sprig`. */
  readonly functions?: "builtin" | "sprig";
  /** What a variable that is not there means; default `error`. */
  readonly missingKey?: MissingKey;
}

/** What a folder of templates renders to. A broken file is a problem, and hides no other. */
export interface RenderedFolder {
  /** Files in lexical order. `origin.line` counts in the rendered text. */
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly Problem[];
}

/** One file's rendered text, or why there is none. */
export type RenderedText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "problem"; readonly problem: Problem };

interface ParsedFile {
  readonly file: string;
  readonly digest: string;
  readonly parsed: Template | Problem;
}

/**
 * A folder of Go templates, rendered as the SR-IOV operator's `RenderDir` does: `.yml`, `.yaml` and `.json` files in
 * every folder below, in lexical order; blank results and empty documents are skipped, documents without a kind are
 * faults. Files are read at each rendering, parsed when they have changed.
 */
export class TemplateFolder {
  readonly root: string;
  readonly #options: RenderOptions;
  readonly #parsed: Map<string, ParsedFile> = new Map();
  /** What each folder last rendered to: the same files and values render to the same. */
  readonly #rendered: Map<string, { readonly key: string; readonly rendered: RenderedFolder }> = new Map();

  constructor(root: string, options: RenderOptions = {}) {
    this.root = root;
    this.#options = options;
  }

  /** Renders every template of `folder`, relative to the root, or the one file that it names. */
  render(data: TemplateData, folder = ""): RenderedFolder {
    const found = filesOf(this.root, folder);
    if ("code" in found) return { objects: [], problems: [found] };
    const files = found.map((file) => this.#parse(file));
    const key = [stringifyJson(data), ...files.map(({ file, digest }) => `${file}@${digest}`)].join(" ");
    const last = this.#rendered.get(folder);
    if (last?.key === key) return last.rendered;
    const rendered = renderFiles(files, data);
    this.#rendered.set(folder, { key, rendered });
    return rendered;
  }

  /** The rendered text of one file, as it is. */
  renderText(file: string, data: TemplateData): RenderedText {
    return renderFile(this.#parse(file), data);
  }

  /** What is wrong with the templates themselves, without rendering them. */
  lint(folder = ""): readonly Problem[] {
    const found = filesOf(this.root, folder);
    if ("code" in found) return [found];
    return found.flatMap((file) => {
      const { parsed } = this.#parse(file);
      return "code" in parsed ? [parsed] : [];
    });
  }

  #parse(file: string): ParsedFile {
    const text = readTemplate(join(this.root, file), file);
    if (typeof text !== "string") return { file, digest: text.digest, parsed: text };
    const digest = contentDigest(text);
    const known = this.#parsed.get(file);
    if (known?.digest === digest) return known;
    const parsed = { file, digest, parsed: parse(file, text, this.#options) };
    this.#parsed.set(file, parsed);
    return parsed;
  }
}

function renderFiles(files: readonly ParsedFile[], data: TemplateData): RenderedFolder {
  const objects: ManifestObject[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const rendered = renderFile(file, data);
    if (rendered.kind === "problem") {
      problems.push(rendered.problem);
      continue;
    }
    const loaded = loadText(rendered.text, file.file);
    objects.push(...loaded.objects);
    problems.push(...loaded.problems.map(ofRenderedText));
  }
  return { objects, problems };
}

function renderFile({ file, parsed }: ParsedFile, data: TemplateData): RenderedText {
  if ("code" in parsed) return { kind: "problem", problem: parsed };
  try {
    return { kind: "text", text: parsed.execute(data) };
  } catch (error) {
    return { kind: "problem", problem: templateProblem(file, error) };
  }
}

function parse(file: string, text: string, options: RenderOptions): Template | Problem {
  const { functions = "sprig", missingKey = "error" } = options;
  try {
    return parseTemplate(file, text, { functions, missingKey });
  } catch (error) {
    return templateProblem(file, error);
  }
}

function readTemplate(path: string, file: string): string | Problem {
  try {
    if (statSync(path).size > MAX_FILE_BYTES) {
      const message = `the template is larger than ${MAX_FILE_BYTES} bytes: split it`;
      return buildProblem({ code: "LimitExceeded", message, file, holds: true, digest: "size" });
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    return unreadable(file, error);
  }
}

/** In the order of Go's filepath.Walk. What starts with `..` is a ConfigMap volume's own layout. */
function filesOf(root: string, folder: string): readonly string[] | Problem {
  try {
    if (!statSync(join(root, folder)).isDirectory()) return [folder];
    return walk(root, folder);
  } catch (error) {
    return unreadable(folder, error);
  }
}

function walk(root: string, folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".."))
    .sort((a, b) => compareBytes(a.name, b.name));
  return entries.flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return walk(root, path);
    return /\.(?:ya?ml|json)$/.test(entry.name) ? [path] : [];
  });
}

function unreadable(file: string, error: unknown): Problem {
  const message = `it cannot be read: ${messageOf(error)}`;
  return buildProblem({ code: "Unreadable", message, file, holds: true, digest: "unreadable" });
}

/** Go's text stands in the message; the line is that of the template. */
function templateProblem(file: string, error: unknown): Problem {
  if (!isKeelsonError(error)) throw error;
  const line = Number(/:(\d+)$/.exec(error.object ?? "")?.[1]);
  return buildProblem({
    code: "InvalidTemplate",
    message: error.message,
    file,
    line: Number.isSafeInteger(line) ? line : undefined,
    holds: true,
    digest: contentDigest(error.message),
  });
}

/** A fault of the text that a template rendered to: its line counts there, and that has to be said. */
function ofRenderedText(problem: Problem): Problem {
  return { ...problem, message: `in what it renders to: ${problem.message}` };
}
