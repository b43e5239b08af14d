import { isKeelsonError, messageOf } from "../errors/index.ts";
import { fromGo, type TemplateData, toGo } from "./data.ts";
import { BUILTINS } from "./exec/builtins.ts";
import { type FoundFunction, type MissingKey, type Session, State } from "./exec/state.ts";
import { walkList } from "./exec/walk.ts";
import { repairText } from "./go/bytes.ts";
import { failure } from "./go/failure.ts";
import { quote } from "./go/quote.ts";
import { ANY, type GoFunction, type GoType, unbox, type Value } from "./go/values.ts";
import type { ParsedText, Tree } from "./parse/nodes.ts";
import { parseText } from "./parse/parser.ts";
import { SPRIG } from "./sprig/index.ts";

/** A function that the caller adds to a template's own. */
export interface ExtraFunction {
  /** Go types of the parameters, such as `string`, `int` or `interface {}`: they decide Go's error texts. */
  readonly params: readonly GoType[];
  /** The element type of a variadic last parameter. */
  readonly rest?: GoType;
  /** What it throws becomes `error calling NAME: MESSAGE`. */
  readonly call: (...args: readonly TemplateData[]) => TemplateData;
}

export interface ParseOptions {
  /** Go's own functions only, or sprig's and the manifest functions besides. Default `builtin`. */
  readonly functions?: "builtin" | "sprig";
  /** What a map key that is not there means: `<no value>`, the element's zero value, or an error. Default `default`. */
  readonly missingKey?: MissingKey;
  /** Functions of the caller's; one of an existing name replaces it. */
  readonly extra?: Readonly<Record<string, ExtraFunction>>;
}

/** What Go gives up at; here the stack of the JavaScript engine ends earlier. */
const MAX_DEPTH = 100_000;

/** A parsed template with those that its text defines; immutable, executions do not see each other. */
export class Template {
  readonly name: string;
  private readonly tree: Tree;
  private readonly source: ParsedText;
  private readonly functions: FunctionTable;

  constructor(tree: Tree, source: ParsedText, functions: FunctionTable) {
    this.name = tree.name;
    this.tree = tree;
    this.source = source;
    this.functions = functions;
  }

  /** The names that the text defines, this template's included. */
  names(): readonly string[] {
    return [...this.source.trees.keys()];
  }

  /** The template that `{{define}}` or `{{block}}` gave this name. */
  lookup(name: string): Template | undefined {
    const tree = this.source.trees.get(name);
    return tree === undefined ? undefined : new Template(tree, this.source, this.functions);
  }

  /**
   * Renders the template with `data` as dot.
   *
   * @throws KeelsonError InvalidTemplate with Go's text; its object is NAME:LINE
   */
  execute(data: TemplateData): string {
    const session = this.session();
    try {
      return repairText(run(session, this.tree, toGo(data)));
    } catch (error) {
      if (error instanceof RangeError) {
        return failTooDeep(session, this.name);
      }
      throw error;
    }
  }

  private session(): Session {
    const session: Session = {
      source: this.source,
      missingKey: this.functions.missingKey,
      findFunction: (name) => this.functions.table.get(name),
      scope: { render: (name, data) => this.include(session, name, data) },
      out: [],
      deepest: undefined,
    };
    return session;
  }

  private include(session: Session, name: string, data: Value): string {
    const tree = this.source.trees.get(name);
    if (tree === undefined) {
      throw failure(`template: no template ${quote(name)} associated with template ${quote(this.name)}`);
    }
    const outer = session.out;
    session.out = [];
    const text = run(session, tree, data);
    session.out = outer;
    return text;
  }
}

/** A template's functions by name, and its options. */
interface FunctionTable {
  readonly table: ReadonlyMap<string, FoundFunction>;
  readonly missingKey: MissingKey;
}

/**
 * Parses a template with Go's text/template syntax.
 *
 * @param name What error texts call it, usually a file's path.
 * @throws KeelsonError InvalidTemplate `template: NAME:LINE: …`, Go's text; its object is NAME:LINE
 */
export function parseTemplate(name: string, text: string, options: ParseOptions = {}): Template {
  const table = functionTable(options);
  const source = parseText(name, text, (word) => table.has(word));
  const tree = source.trees.get(name) ?? { name, root: { kind: "list", at: 0, nodes: [] } };
  return new Template(tree, source, { table, missingKey: options.missingKey ?? "default" });
}

function run(session: Session, tree: Tree, data: Value): string {
  walkList(new State(session, tree, data), data, tree.root);
  return session.out.join("");
}

function failTooDeep(session: Session, name: string): never {
  const message = `exceeded maximum template depth (${MAX_DEPTH})`;
  if (session.deepest === undefined) {
    throw failure(`template: ${name}: ${message}`);
  }
  session.deepest.state.at(session.deepest.node);
  return session.deepest.state.fail(message);
}

function functionTable(options: ParseOptions): ReadonlyMap<string, FoundFunction> {
  const table = options.functions === "sprig" ? SPRIG_TABLE : BUILTIN_TABLE;
  const extra = Object.entries(options.extra ?? {});
  return extra.length === 0
    ? table
    : new Map([...table, ...extra.map(([name, spec]) => [name, found(extraFunction(spec), false)] as const)]);
}

function found(spec: GoFunction, isBuiltin: boolean): FoundFunction {
  return { spec, isBuiltin };
}

const BUILTIN_TABLE: ReadonlyMap<string, FoundFunction> = new Map(
  [...BUILTINS].map(([name, spec]) => [name, found(spec, true)]),
);
/** sprig's `slice` takes the place of Go's. */
const SPRIG_TABLE: ReadonlyMap<string, FoundFunction> = new Map([
  ...BUILTIN_TABLE,
  ...[...SPRIG].map(([name, spec]) => [name, found(spec, false)] as const),
]);

function extraFunction(extra: ExtraFunction): GoFunction {
  return {
    params: extra.params,
    ...(extra.rest === undefined ? {} : { rest: extra.rest }),
    result: ANY,
    call: (args) => {
      try {
        return toGo(extra.call(...args.map((arg) => fromGo(unbox(arg)))));
      } catch (error) {
        throw isKeelsonError(error) ? error : failure(messageOf(error));
      }
    },
  };
}
