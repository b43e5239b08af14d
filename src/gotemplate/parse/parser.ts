import { KeelsonError } from "../../errors/index.ts";
import { repairText } from "../go/bytes.ts";
import { quote, unquote } from "../go/quote.ts";
import { Lexer } from "./lexer.ts";
import {
  type BranchNode,
  isEmptyList,
  type ListNode,
  type ParsedText,
  type PipeNode,
  type StatementNode,
  type TemplateNode,
  type Tree,
} from "./nodes.ts";
import { PipelineParser } from "./pipeline-parser.ts";
import { TokenStream } from "./token-stream.ts";
import { type Token, type TokenType, tokenText } from "./tokens.ts";

/** What ends a list of statements. */
type EndNode = { readonly kind: "end"; readonly at: number } | { readonly kind: "else"; readonly at: number };

type Parsed = StatementNode | EndNode;

/** What all definitions of one text share while it is parsed. */
interface ParseContext {
  readonly name: string;
  readonly lexer: Lexer;
  readonly hasFunction: (name: string) => boolean;
  readonly trees: Map<string, Tree>;
}

/**
 * Parses a template's text. The last non-empty definition of a name wins; two of them are an error.
 *
 * @throws KeelsonError InvalidTemplate `template: NAME:LINE: …`, Go's text
 */
export function parseText(name: string, text: string, hasFunction: (name: string) => boolean): ParsedText {
  const lexer = new Lexer(text, {
    isBreakFunction: hasFunction("break"),
    isContinueFunction: hasFunction("continue"),
  });
  const context: ParseContext = { name, lexer, hasFunction, trees: new Map() };
  const parser = new TreeParser(context, name);
  parser.parseTop();
  return { name, text, trees: context.trees };
}

/** Parses the body of one template. */
class TreeParser {
  private readonly context: ParseContext;
  private name: string;
  private readonly tokens: TokenStream;
  private readonly pipelines: PipelineParser;
  private rangeDepth = 0;
  /** The line on which the current action starts; 0 between actions. */
  private actionLine = 0;

  constructor(context: ParseContext, name: string) {
    this.context = context;
    this.name = name;
    this.tokens = new TokenStream(context.lexer);
    this.pipelines = new PipelineParser(this.tokens, {
      hasFunction: context.hasFunction,
      fail: (message) => this.fail(message),
      unexpected: (token, place) => this.unexpected(token, place),
    });
  }

  parseTop(): void {
    this.reportingErrors(() => {
      const at = this.tokens.peek().at;
      const nodes: StatementNode[] = [];
      while (this.tokens.peek().type !== "eof") {
        if (this.skipDefinition()) {
          continue;
        }
        const node = this.textOrAction();
        if (node.kind === "end" || node.kind === "else") {
          this.fail(`unexpected {{${node.kind}}}`);
        }
        nodes.push(node);
      }
      this.add({ kind: "list", at, nodes });
    });
  }

  /** Parses `{{define "name"}}…{{end}}` where one comes next. */
  private skipDefinition(): boolean {
    if (this.tokens.peek().type !== "leftDelim") {
      return false;
    }
    const delimiter = this.tokens.next();
    const word = this.tokens.nextNonSpace();
    if (word.type !== "define") {
      this.tokens.giveBack(delimiter, word);
      return false;
    }
    new TreeParser(this.context, "definition").parseDefinition();
    return true;
  }

  private parseDefinition(): void {
    const place = "define clause";
    this.name = this.templateName(this.tokens.nextNonSpace(), place);
    this.expect("rightDelim", place);
    this.parseBody(place, this);
  }

  /** The body up to its end; what else ends it is the fault of the parser that met the definition. */
  private parseBody(place: string, blamed: TreeParser): void {
    const { list, end } = this.itemList();
    if (end.kind !== "end") {
      blamed.fail(`unexpected {{${end.kind}}} in ${place}`);
    }
    this.add(list);
  }

  private add(root: ListNode): void {
    const existing = this.context.trees.get(this.name);
    if (existing === undefined || isEmptyList(existing.root)) {
      this.context.trees.set(this.name, { name: this.name, root });
      return;
    }
    if (!isEmptyList(root)) {
      this.fail(`template: multiple definition of template ${quote(this.name)}`);
    }
  }

  private itemList(): { readonly list: ListNode; readonly end: EndNode } {
    const at = this.tokens.peekNonSpace().at;
    const nodes: StatementNode[] = [];
    while (this.tokens.peekNonSpace().type !== "eof") {
      const node = this.textOrAction();
      if (node.kind === "end" || node.kind === "else") {
        return { list: { kind: "list", at, nodes }, end: node };
      }
      nodes.push(node);
    }
    return this.fail("unexpected EOF");
  }

  private textOrAction(): Parsed {
    const token = this.tokens.nextNonSpace();
    if (token.type === "text") {
      return { kind: "text", at: token.at, text: token.text };
    }
    if (token.type !== "leftDelim") {
      return this.unexpected(token, "input");
    }
    this.actionLine = token.line;
    const node = this.action();
    this.actionLine = 0;
    return node;
  }

  private action(): Parsed {
    const token = this.tokens.nextNonSpace();
    switch (token.type) {
      case "block":
        return this.block();
      case "break":
      case "continue":
        return this.loopExit(token, token.type);
      case "else":
        return this.elseClause();
      case "end":
        return { kind: "end", at: this.expect("rightDelim", "end").at };
      case "if":
      case "range":
      case "with":
        return this.branch(token.type);
      case "template":
        return this.templateCall();
      default: {
        this.tokens.backup();
        const at = this.tokens.peek().at;
        return { kind: "action", at, pipe: this.pipelines.pipeline("command", "rightDelim") };
      }
    }
  }

  private loopExit(token: Token, kind: "break" | "continue"): StatementNode {
    const next = this.tokens.nextNonSpace();
    if (next.type !== "rightDelim") {
      this.unexpected(next, `{{${kind}}}`);
    }
    if (this.rangeDepth === 0) {
      this.fail(`{{${kind}}} outside {{range}}`);
    }
    return { kind, at: token.at };
  }

  private branch(kind: BranchNode["kind"]): BranchNode {
    const mark = this.pipelines.mark();
    const pipe = this.pipelines.pipeline(kind, "rightDelim");
    this.rangeDepth += kind === "range" ? 1 : 0;
    const { list, end } = this.itemList();
    this.rangeDepth -= kind === "range" ? 1 : 0;
    const elseList = end.kind === "else" ? this.elseBranch(kind, end) : undefined;
    this.pipelines.release(mark);
    return { kind, at: pipe.at, pipe, list, elseList };
  }

  /** `{{else if}}` and `{{else with}}` are read as a branch of their own, whose end closes both. */
  private elseBranch(kind: BranchNode["kind"], end: EndNode): ListNode {
    if ((kind === "if" || kind === "with") && this.tokens.peek().type === kind) {
      this.tokens.next();
      return { kind: "list", at: end.at, nodes: [this.branch(kind)] };
    }
    const otherwise = this.itemList();
    if (otherwise.end.kind !== "end") {
      this.fail(`expected end; found {{${otherwise.end.kind}}}`);
    }
    return otherwise.list;
  }

  private elseClause(): EndNode {
    const next = this.tokens.peekNonSpace();
    if (next.type === "if" || next.type === "with") {
      return { kind: "else", at: next.at };
    }
    return { kind: "else", at: this.expect("rightDelim", "else").at };
  }

  /** A block is a definition and a call in one. */
  private block(): TemplateNode {
    const place = "block clause";
    const token = this.tokens.nextNonSpace();
    const name = this.templateName(token, place);
    const pipe = this.pipelines.pipeline(place, "rightDelim");
    new TreeParser(this.context, name).parseBody(place, this);
    return { kind: "template", at: token.at, name, pipe };
  }

  private templateCall(): TemplateNode {
    const place = "template clause";
    const token = this.tokens.nextNonSpace();
    const name = this.templateName(token, place);
    let pipe: PipeNode | undefined;
    if (this.tokens.nextNonSpace().type !== "rightDelim") {
      this.tokens.backup();
      pipe = this.pipelines.pipeline(place, "rightDelim");
    }
    return { kind: "template", at: token.at, name, pipe };
  }

  private templateName(token: Token, place: string): string {
    if (token.type !== "string" && token.type !== "rawString") {
      return this.unexpected(token, place);
    }
    return this.pipelines.located(() => unquote(token.text));
  }

  private expect(type: TokenType, place: string): Token {
    const token = this.tokens.nextNonSpace();
    return token.type === type ? token : this.unexpected(token, place);
  }

  private unexpected(token: Token, place: string): never {
    if (token.type !== "error") {
      this.fail(`unexpected ${tokenText(token)} in ${place}`);
    }
    if (this.actionLine === 0 || this.actionLine === token.line) {
      this.fail(token.text);
    }
    const started = `started at ${this.context.name}:${this.actionLine}`;
    this.fail(`${token.text}${token.text.endsWith(" action") ? "" : " in action"} ${started}`);
  }

  private fail(message: string): never {
    const place = `${this.context.name}:${this.tokens.line}`;
    throw new KeelsonError("InvalidTemplate", repairText(`template: ${place}: ${message}`), { object: place });
  }

  /** Nesting too deep for the stack is the text's fault: Go gives up on it as well, at a depth of 10,000. */
  private reportingErrors(parse: () => void): void {
    try {
      parse();
    } catch (error) {
      if (error instanceof RangeError) {
        this.fail("max expression depth exceeded");
      }
      throw error;
    }
  }
}
