/** The kinds of token. Small integers: a megabyte of YAML makes some 150,000 of them. */
export const TOKEN = {
  end: 0,
  documentStart: 1,
  documentEnd: 2,
  blockSequenceStart: 3,
  blockMappingStart: 4,
  blockEnd: 5,
  flowSequenceStart: 6,
  flowSequenceEnd: 7,
  flowMappingStart: 8,
  flowMappingEnd: 9,
  blockEntry: 10,
  flowEntry: 11,
  key: 12,
  value: 13,
  alias: 14,
  anchor: 15,
  tag: 16,
  plain: 17,
  quoted: 18,
} as const;

export type TokenKind = (typeof TOKEN)[keyof typeof TOKEN];

/** The tokens of one document, in three parallel arrays: an object for each token would double the time. */
export class TokenList {
  readonly #kinds: TokenKind[] = [];
  readonly #offsets: number[] = [];
  readonly #texts: string[] = [];

  get length(): number {
    return this.#kinds.length;
  }

  push(kind: TokenKind, offset: number, text = ""): void {
    this.#kinds.push(kind);
    this.#offsets.push(offset);
    this.#texts.push(text);
  }

  /** Puts a token before the one at `index`: a key is known as such only when its `:` comes. */
  insert(index: number, kind: TokenKind, offset: number): void {
    this.push(kind, offset);
    // The key is one or two tokens back: moving those is several times as fast as three splices.
    for (let at = this.#kinds.length - 1; at > index; at -= 1) {
      this.#kinds[at] = this.kind(at - 1);
      this.#offsets[at] = this.offset(at - 1);
      this.#texts[at] = this.text(at - 1);
    }
    this.#kinds[index] = kind;
    this.#offsets[index] = offset;
    this.#texts[index] = "";
  }

  kind(index: number): TokenKind {
    return this.#kinds[index] ?? TOKEN.end;
  }

  /** Where the token starts in the document's text. */
  offset(index: number): number {
    return this.#offsets[index] ?? 0;
  }

  /** The scalar's value, the anchor's name, or the full tag. */
  text(index: number): string {
    return this.#texts[index] ?? "";
  }
}
