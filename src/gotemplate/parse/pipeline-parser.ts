import { isKeelsonError } from "../../errors/index.ts";
import { quote, unquote } from "../go/quote.ts";
import { nodeText } from "./node-text.ts";
import type { ChainNode, CommandNode, OperandNode, PipeNode, VariableNode } from "./nodes.ts";
import { parseConstant } from "./number-constant.ts";
import type { TokenStream } from "./token-stream.ts";
import type { Token, TokenType } from "./tokens.ts";

/** What the enclosing parser lends: which functions there are, and how errors name their place. */
export interface PipelineHost {
  readonly hasFunction: (name: string) => boolean;
  readonly fail: (message: string) => never;
  readonly unexpected: (token: Token, place: string) => never;
}

const OPERAND_STARTS: ReadonlySet<TokenType> = new Set<TokenType>([
  "bool",
  "charConstant",
  "complex",
  "dot",
  "field",
  "identifier",
  "number",
  "nil",
  "rawString",
  "string",
  "variable",
  "leftParen",
]);

/** Only the first command of a pipeline may be a plain value. */
const NOT_EXECUTABLE: ReadonlySet<OperandNode["kind"]> = new Set<OperandNode["kind"]>([
  "bool",
  "dot",
  "nil",
  "number",
  "string",
]);

/** Parses pipelines, and knows which variables they may use. */
export class PipelineParser {
  private readonly tokens: TokenStream;
  private readonly host: PipelineHost;
  /** The variables in scope, innermost last. */
  private variables: string[] = ["$"];

  constructor(tokens: TokenStream, host: PipelineHost) {
    this.tokens = tokens;
    this.host = host;
  }

  /** Marks the variables of the enclosing scope; {@link release} drops those declared since. */
  mark(): number {
    return this.variables.length;
  }

  release(mark: number): void {
    this.variables.length = mark;
  }

  /** Parses up to the token that ends the pipeline, and takes that token too. */
  pipeline(place: string, end: TokenType): PipeNode {
    const at = this.tokens.peekNonSpace().at;
    const { declared, isAssign } = this.declarations(place);
    const commands: CommandNode[] = [];
    for (;;) {
      const token = this.tokens.nextNonSpace();
      if (token.type === end) {
        this.check(commands, place);
        return { kind: "pipe", at, isAssign, declared, commands };
      }
      if (!OPERAND_STARTS.has(token.type)) {
        this.host.unexpected(token, place);
      }
      this.tokens.backup();
      commands.push(this.command());
    }
  }

  /** Runs what may fail without knowing its place, and adds the place. */
  located<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!isKeelsonError(error)) {
        throw error;
      }
      return this.host.fail(error.message);
    }
  }

  private check(commands: readonly CommandNode[], place: string): void {
    if (commands.length === 0) {
      this.host.fail(`missing value for ${place}`);
    }
    commands.forEach((command, index) => {
      if (index > 0 && NOT_EXECUTABLE.has(command.args[0].kind)) {
        this.host.fail(`non executable command in pipeline stage ${index + 1}`);
      }
    });
  }

  /** `$x :=`, `$x =` and, in a range, `$i, $x :=`; anything else that starts with a variable is a command. */
  private declarations(place: string): {
    readonly declared: readonly VariableNode[];
    readonly isAssign: boolean;
  } {
    const declared: VariableNode[] = [];
    while (this.tokens.peekNonSpace().type === "variable") {
      const variable = this.tokens.next();
      // A blank is a token: `$x foo` must be given back with it, or `$x` and `foo` would be one operand.
      const following = this.tokens.peek();
      const next = this.tokens.peekNonSpace();
      if (next.type === "assign" || next.type === "declare") {
        this.tokens.nextNonSpace();
        this.declare(variable, declared);
        return { declared, isAssign: next.type === "assign" };
      }
      if (next.type !== "char" || next.text !== ",") {
        this.giveBack(variable, following);
        break;
      }
      this.tokens.nextNonSpace();
      this.declare(variable, declared);
      this.expectSecond(declared.length, place);
    }
    return { declared, isAssign: false };
  }

  private giveBack(variable: Token, following: Token): void {
    const next = this.tokens.next();
    if (following.type === "space") {
      this.tokens.giveBack(variable, following, next);
    } else {
      this.tokens.giveBack(variable, next);
    }
  }

  private declare(token: Token, declared: VariableNode[]): void {
    declared.push(variableNode(token));
    this.variables.push(token.text);
  }

  private expectSecond(count: number, place: string): void {
    if (place !== "range" || count >= 2) {
      this.host.fail(`too many declarations in ${place}`);
    }
    const type = this.tokens.peekNonSpace().type;
    if (type !== "variable" && type !== "rightDelim" && type !== "rightParen") {
      this.host.fail("range can only initialize variables");
    }
  }

  private command(): CommandNode {
    const at = this.tokens.peekNonSpace().at;
    const args: OperandNode[] = [];
    for (;;) {
      this.tokens.peekNonSpace();
      const operand = this.operand();
      if (operand !== undefined) {
        args.push(operand);
      }
      const token = this.tokens.next();
      if (token.type === "space") {
        continue;
      }
      if (token.type === "rightDelim" || token.type === "rightParen") {
        this.tokens.backup();
      } else if (token.type !== "pipe") {
        this.host.unexpected(token, "operand");
      }
      const [first, ...others] = args;
      return first === undefined ? this.host.fail("empty command") : { kind: "command", at, args: [first, ...others] };
    }
  }

  /** A term with the fields that follow it without a blank. */
  private operand(): OperandNode | undefined {
    const node = this.term();
    const at = this.tokens.peek().at;
    if (node === undefined || this.tokens.peek().type !== "field") {
      return node;
    }
    const names: string[] = [];
    while (this.tokens.peek().type === "field") {
      names.push(this.tokens.next().text.slice(1));
    }
    return this.withFields(node, { kind: "chain", at, operand: node, names });
  }

  private withFields(node: OperandNode, chain: ChainNode): OperandNode {
    switch (node.kind) {
      case "field":
        return { kind: "field", at: chain.at, names: [...node.names, ...chain.names] };
      case "variable":
        return { kind: "variable", at: chain.at, name: node.name, fields: [...node.fields, ...chain.names] };
      case "bool":
      case "string":
      case "number":
      case "nil":
      case "dot":
        return this.host.fail(`unexpected . after term ${quote(nodeText(node))}`);
      default:
        return chain;
    }
  }

  private term(): OperandNode | undefined {
    const token = this.tokens.nextNonSpace();
    const at = token.at;
    switch (token.type) {
      case "identifier":
        return this.host.hasFunction(token.text)
          ? { kind: "identifier", at, name: token.text }
          : this.host.fail(`function ${quote(token.text)} not defined`);
      case "dot":
        return { kind: "dot", at };
      case "nil":
        return { kind: "nil", at };
      case "variable":
        return this.usedVariable(token);
      case "field":
        return { kind: "field", at, names: [token.text.slice(1)] };
      case "bool":
        return { kind: "bool", at, value: token.text === "true" };
      case "leftParen":
        return this.pipeline("parenthesized pipeline", "rightParen");
      case "number":
      case "complex":
      case "charConstant":
      case "string":
      case "rawString":
        return this.literal(token, token.type);
      default:
        this.tokens.backup();
        return undefined;
    }
  }

  private literal(token: Token, type: "number" | "complex" | "charConstant" | "string" | "rawString"): OperandNode {
    return this.located((): OperandNode => {
      if (type === "string" || type === "rawString") {
        return { kind: "string", at: token.at, quoted: token.text, text: unquote(token.text) };
      }
      return { kind: "number", at: token.at, text: token.text, constant: parseConstant(token.text, type) };
    });
  }

  private usedVariable(token: Token): VariableNode {
    const node = variableNode(token);
    return this.variables.includes(node.name) ? node : this.host.fail(`undefined variable ${quote(node.name)}`);
  }
}

function variableNode(token: Token): VariableNode {
  return { kind: "variable", at: token.at, name: token.text, fields: [] };
}
