import type { Lexer } from "./lexer.ts";
import type { Token } from "./tokens.ts";

/**
 * A view on the lexer with three tokens of look-ahead: `$x foo` needs them to tell an argument from a declaration.
 *
 * Each definition within a text has a stream of its own on the shared lexer, because the line that a parse error names
 * is that of the token this stream read last.
 */
export class TokenStream {
  private readonly lexer: Lexer;
  /** Tokens given back, the next one last. */
  private readonly pending: Token[] = [];
  private latest: Token = { type: "eof", at: 0, text: "", line: 0 };
  private taken: Token = this.latest;

  constructor(lexer: Lexer) {
    this.lexer = lexer;
  }

  /** The line of the token that was read from the lexer last. */
  get line(): number {
    return this.latest.line;
  }

  next(): Token {
    const token = this.pending.pop();
    if (token !== undefined) {
      this.taken = token;
      return token;
    }
    this.latest = this.lexer.next();
    this.taken = this.latest;
    return this.latest;
  }

  /** Gives back the token that next() returned last. */
  backup(): void {
    this.pending.push(this.taken);
  }

  /** Gives back these tokens, which were read in this order. */
  giveBack(...tokens: readonly Token[]): void {
    for (const token of tokens.toReversed()) {
      this.pending.push(token);
    }
  }

  peek(): Token {
    const token = this.next();
    this.backup();
    return token;
  }

  nextNonSpace(): Token {
    for (;;) {
      const token = this.next();
      if (token.type !== "space") {
        return token;
      }
    }
  }

  /** The next token that is no blank; the blanks before it are gone. */
  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.backup();
    return token;
  }
}
