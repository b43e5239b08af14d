import { KeelsonError } from "../../errors/index.ts";
import { byteLength, repairText } from "../go/bytes.ts";
import { quote } from "../go/quote.ts";
import type { CallScope, GoFunction, Ref } from "../go/values.ts";
import { nodeText } from "../parse/node-text.ts";
import type { Node, ParsedText, TemplateNode, Tree } from "../parse/nodes.ts";

/** What a map key that is not there means: nothing, the element type's zero value, or an error. */
export type MissingKey = "default" | "zero" | "error";

/** A function by its name; a builtin that is not shadowed has rules of its own (`and`, `or`, `call`). */
export interface FoundFunction {
  readonly spec: GoFunction;
  readonly isBuiltin: boolean;
}

/** What all templates of one execution share. */
export interface Session {
  readonly source: ParsedText;
  readonly missingKey: MissingKey;
  readonly findFunction: (name: string) => FoundFunction | undefined;
  readonly scope: CallScope;
  /** Output so far; `include` puts its own in place while it runs. */
  out: string[];
  /** The template call entered last: what an exhausted stack is reported at. */
  deepest: { readonly state: State; readonly node: TemplateNode } | undefined;
}

interface Variable {
  readonly name: string;
  value: Ref;
}

/** The state of one running template: its variables, and the node that an error would be reported at. */
export class State {
  readonly session: Session;
  readonly tree: Tree;
  private node: Node | undefined;
  private readonly variables: Variable[];

  constructor(session: Session, tree: Tree, dot: Ref) {
    this.session = session;
    this.tree = tree;
    this.variables = [{ name: "$", value: dot }];
  }

  /** Says which node is being worked on: Go's errors name the last one, whatever it was. */
  at(node: Node): void {
    this.node = node;
  }

  mark(): number {
    return this.variables.length;
  }

  pop(mark: number): void {
    this.variables.length = mark;
  }

  declare(name: string, value: Ref): void {
    this.variables.push({ name, value });
  }

  /** Overwrites the nth variable from the top: a range's own, at each iteration. */
  setFromTop(nth: number, value: Ref): void {
    const variable = this.variables.at(-nth);
    if (variable !== undefined) {
      variable.value = value;
    }
  }

  assign(name: string, value: Ref): void {
    this.find(name).value = value;
  }

  variable(name: string): Ref {
    return this.find(name).value;
  }

  private find(name: string): Variable {
    return this.variables.findLast((variable) => variable.name === name) ?? this.fail(`undefined variable: ${name}`);
  }

  /** Ends the execution with Go's text: where, in which template, at what. */
  fail(message: string, cause?: unknown): never {
    const name = this.tree.name;
    if (this.node === undefined) {
      throw new KeelsonError("InvalidTemplate", `template: ${name}: ${message}`, { object: name, cause });
    }
    const { location, place } = locate(this.session.source, this.node.at);
    const context = nodeText(this.node);
    throw new KeelsonError(
      "InvalidTemplate",
      repairText(`template: ${location}: executing ${quote(name)} at <${context}>: ${message}`),
      { object: place, cause },
    );
  }
}

/** NAME:LINE:COLUMN as Go counts: lines from 1, columns from 0 and in bytes. */
function locate(source: ParsedText, at: number): { readonly location: string; readonly place: string } {
  const before = source.text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  const place = `${source.name}:${line}`;
  return { location: `${place}:${byteLength(before.slice(lineStart))}`, place };
}
