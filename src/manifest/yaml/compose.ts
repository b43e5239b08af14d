import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { Budget, type Cost } from "./budget.ts";
import { MappingBuilder } from "./mapping-builder.ts";
import { markPart, newPositions, type Positions } from "./positions.ts";
import { keyText, type Resolved, resolvePlain, resolveTagged } from "./resolve.ts";
import { CONTENT_BEHIND, Scanner } from "./scanner.ts";
import { TOKEN, type TokenKind, type TokenList } from "./tokens.ts";
import { YamlFault } from "./yaml-fault.ts";

/** One document's value; undefined where there is none (empty, or comments only). */
export interface Composed {
  readonly value: unknown;
  /** Where its first token stands. */
  readonly start: number;
  readonly positions: Positions;
}

/**
 * Reads one YAML document to a JSON value. Throws YamlFault.
 *
 * Stricter than kubectl in two things, both of which lose content silently there: a key that stands twice in a mapping,
 * and content behind the end of the document (`...`, or behind a closed `{}` at the top).
 */
export function composeDocument(text: string, options: { readonly withParts?: boolean } = {}): Composed {
  const tokens = new Scanner(text).scan();
  const positions = newPositions(options.withParts === true);
  const value = new Composer(tokens, positions).compose();
  return { value, start: tokens.kind(0) === TOKEN.documentStart ? tokens.offset(1) : tokens.offset(0), positions };
}

const MERGE_TAG = "tag:yaml.org,2002:merge";

type NodeKind = "scalar" | "sequence" | "mapping";

/** A node that an alias can name, with what an alias of it costs. */
interface Anchor {
  readonly kind: NodeKind;
  readonly value: unknown;
  readonly isFloat: boolean;
  readonly cost: Cost;
}

/** An anchor is known from its `&` on, but cannot be used before its node is complete. */
type AnchorState = Anchor | "open";

class Composer {
  readonly #tokens: TokenList;
  readonly #positions: Positions;
  readonly #anchors: Map<string, AnchorState> = new Map();
  readonly #budget: Budget = new Budget();
  #at = 0;
  /** What the node last composed was, for keys and merges. */
  #kind: NodeKind = "scalar";
  #isFloat = false;

  constructor(tokens: TokenList, positions: Positions) {
    this.#tokens = tokens;
    this.#positions = positions;
  }

  compose(): unknown {
    if (this.#peek() === TOKEN.end) return undefined;
    const isExplicit = this.#accept(TOKEN.documentStart);
    const next = this.#peek();
    const isEmpty = isExplicit && (next === TOKEN.end || next === TOKEN.documentEnd || next === TOKEN.documentStart);
    const value = isEmpty ? null : this.#finite(this.#node(true, false), 0);
    while (this.#accept(TOKEN.documentEnd));
    if (this.#peek() !== TOKEN.end) throw this.#fault(CONTENT_BEHIND);
    return value;
  }

  #peek(): TokenKind {
    return this.#tokens.kind(this.#at);
  }

  #accept(kind: TokenKind): boolean {
    if (this.#tokens.kind(this.#at) !== kind) return false;
    this.#at += 1;
    return true;
  }

  #fault(message: string, index: number = this.#at): YamlFault {
    return new YamlFault(message, this.#tokens.offset(index));
  }

  /** Composes one node. `mayBeIndentless`: a list at the indentation of its key is allowed. */
  #node(isBlock: boolean, mayBeIndentless: boolean, areItems = false): unknown {
    if (this.#peek() === TOKEN.alias) return this.#alias();
    const start = this.#at;
    const properties = this.#properties();
    if (properties === undefined) {
      this.#budget.count();
      return this.#content(isBlock, mayBeIndentless, areItems);
    }
    const { anchor, tag } = properties;
    if (anchor === undefined) {
      this.#budget.count();
      return this.#taggedContent(isBlock, mayBeIndentless, tag, start);
    }
    return this.#anchored(anchor, () => this.#taggedContent(isBlock, mayBeIndentless, tag, start));
  }

  /** Reads `&anchor` and `!tag`, in either order. */
  #properties(): { readonly anchor: string | undefined; readonly tag: string | undefined } | undefined {
    const first = this.#peek();
    if (first !== TOKEN.anchor && first !== TOKEN.tag) return undefined;
    const firstText = this.#tokens.text(this.#at);
    this.#at += 1;
    const other = first === TOKEN.anchor ? TOKEN.tag : TOKEN.anchor;
    const otherText = this.#peek() === other ? this.#tokens.text(this.#at) : undefined;
    if (otherText !== undefined) this.#at += 1;
    return first === TOKEN.anchor ? { anchor: firstText, tag: otherText } : { anchor: otherText, tag: firstText };
  }

  #anchored(name: string, compose: () => unknown): unknown {
    const mark = this.#budget.mark();
    this.#anchors.set(name, "open");
    this.#budget.count();
    const value = compose();
    const cost = this.#budget.costSince(mark);
    // Another anchor of that name inside the node came later, and counts from there on.
    if (this.#anchors.get(name) === "open") {
      this.#anchors.set(name, { kind: this.#kind, value, isFloat: this.#isFloat, cost });
    }
    return value;
  }

  #alias(): unknown {
    const name = this.#tokens.text(this.#at);
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) throw this.#fault(`the alias *${name} names no anchor`);
    if (anchor === "open") throw this.#fault(`the anchor &${name} contains itself`);
    this.#budget.spend(anchor.cost, this.#tokens.offset(this.#at));
    this.#at += 1;
    this.#kind = anchor.kind;
    this.#isFloat = anchor.isFloat;
    return anchor.value;
  }

  #taggedContent(isBlock: boolean, mayBeIndentless: boolean, tag: string | undefined, start: number): unknown {
    const kind = this.#peek();
    if (kind === TOKEN.plain || kind === TOKEN.quoted) return this.#scalar(tag);
    if (this.#isCollectionStart(isBlock, mayBeIndentless)) return this.#content(isBlock, mayBeIndentless, false);
    // Properties alone are an empty scalar.
    return this.#resolved(tag === undefined ? resolvePlain("") : this.#tagged(tag, "", start));
  }

  #isCollectionStart(isBlock: boolean, mayBeIndentless: boolean): boolean {
    const kind = this.#peek();
    if (kind === TOKEN.flowSequenceStart || kind === TOKEN.flowMappingStart) return true;
    if (kind === TOKEN.blockEntry) return mayBeIndentless;
    return isBlock && (kind === TOKEN.blockSequenceStart || kind === TOKEN.blockMappingStart);
  }

  #content(isBlock: boolean, mayBeIndentless: boolean, areItems: boolean): unknown {
    const kind = this.#peek();
    if (kind === TOKEN.plain || kind === TOKEN.quoted) return this.#scalar(undefined);
    if (!this.#isCollectionStart(isBlock, mayBeIndentless))
      throw this.#fault("a value is missing or stands in a wrong place");
    this.#budget.enter(this.#tokens.offset(this.#at));
    const value = this.#collection(kind, areItems);
    this.#budget.leave();
    return value;
  }

  #collection(kind: TokenKind, areItems: boolean): unknown {
    switch (kind) {
      case TOKEN.blockMappingStart:
        return this.#blockMapping();
      case TOKEN.flowMappingStart:
        return this.#flowMapping();
      case TOKEN.flowSequenceStart:
        return this.#flowSequence(areItems);
      default:
        return this.#blockSequence(kind === TOKEN.blockEntry, areItems);
    }
  }

  #scalar(tag: string | undefined): unknown {
    const index = this.#at;
    const text = this.#tokens.text(index);
    this.#at += 1;
    this.#budget.read(text.length);
    if (tag !== undefined) return this.#resolved(this.#tagged(tag, text, index));
    this.#kind = "scalar";
    this.#isFloat = false;
    if (this.#tokens.kind(index) === TOKEN.quoted) return text;
    return this.#resolved(resolvePlain(text));
  }

  #resolved({ value, isFloat }: Resolved): unknown {
    this.#kind = "scalar";
    this.#isFloat = isFloat;
    return value;
  }

  #tagged(tag: string, text: string, index: number): Resolved {
    const resolved = resolveTagged(tag, text);
    if (resolved === undefined) throw this.#fault(`the value does not fit its tag ${tag}`, index);
    return resolved;
  }

  #blockSequence(isIndentless: boolean, areItems: boolean): unknown[] {
    if (!isIndentless) this.#at += 1;
    const list: unknown[] = [];
    for (;;) {
      const start = this.#at;
      if (!this.#accept(TOKEN.blockEntry)) break;
      this.#mark(list, list.length, start);
      const next = this.#peek();
      const isEmpty =
        next === TOKEN.blockEntry ||
        next === TOKEN.blockEnd ||
        (isIndentless && (next === TOKEN.key || next === TOKEN.value));
      list.push(isEmpty ? this.#empty() : this.#item(true, areItems));
    }
    if (!isIndentless && !this.#accept(TOKEN.blockEnd)) {
      throw this.#fault('a list entry ("- ") is expected here: check the indentation');
    }
    this.#kind = "sequence";
    return list;
  }

  #flowSequence(areItems: boolean): unknown[] {
    this.#at += 1;
    const list: unknown[] = [];
    while (!this.#accept(TOKEN.flowSequenceEnd)) {
      if (list.length > 0) {
        if (!this.#accept(TOKEN.flowEntry)) throw this.#fault('"," or "]" is missing');
        if (this.#accept(TOKEN.flowSequenceEnd)) break;
      }
      this.#mark(list, list.length, this.#at);
      list.push(this.#peek() === TOKEN.key ? this.#singlePair() : this.#item(false, areItems));
    }
    this.#kind = "sequence";
    return list;
  }

  #item(isBlock: boolean, areItems: boolean): unknown {
    const offset = this.#tokens.offset(this.#at);
    const value = this.#finite(this.#node(isBlock, false), this.#at - 1);
    if (areItems && typeof value === "object" && value !== null) this.#positions.items.set(value, offset);
    return value;
  }

  /** `[a: 1]`: a mapping of one pair. */
  #singlePair(): JsonObject {
    this.#at += 1;
    this.#budget.count();
    const mapping = new MappingBuilder();
    this.#flowPair(mapping, TOKEN.flowSequenceEnd);
    this.#kind = "mapping";
    return mapping.value;
  }

  #flowMapping(): JsonObject {
    this.#at += 1;
    const mapping = new MappingBuilder();
    for (let isFirst = true; !this.#accept(TOKEN.flowMappingEnd); isFirst = false) {
      if (!isFirst && !this.#accept(TOKEN.flowEntry)) throw this.#fault('"," or "}" is missing');
      if (!isFirst && this.#accept(TOKEN.flowMappingEnd)) break;
      if (this.#accept(TOKEN.key)) this.#flowPair(mapping, TOKEN.flowMappingEnd);
      else {
        // `{a, b}`: keys without values.
        const index = this.#at;
        const key = this.#key(false);
        this.#put(mapping, { key, value: this.#empty(), index });
      }
    }
    this.#kind = "mapping";
    return mapping.value;
  }

  #flowPair(mapping: MappingBuilder, end: TokenKind): void {
    const index = this.#at;
    const key = this.#key(false);
    const hasValue = this.#accept(TOKEN.value) && this.#peek() !== TOKEN.flowEntry && this.#peek() !== end;
    const isAlias = this.#peek() === TOKEN.alias;
    const value = hasValue ? this.#node(false, false, key === "items") : this.#empty();
    this.#put(mapping, { key, value, index, isAlias });
  }

  #blockMapping(): JsonObject {
    this.#at += 1;
    const mapping = new MappingBuilder();
    while (this.#accept(TOKEN.key)) {
      const index = this.#at;
      const key = this.#key(true);
      const hasValue = this.#accept(TOKEN.value) && !this.#isAtPairEnd();
      const isAlias = this.#peek() === TOKEN.alias;
      const value = hasValue ? this.#node(true, true, key === "items") : this.#empty();
      this.#put(mapping, { key, value, index, isAlias });
    }
    if (!this.#accept(TOKEN.blockEnd)) throw this.#fault("a key is expected here: check the indentation");
    this.#kind = "mapping";
    return mapping.value;
  }

  #isAtPairEnd(): boolean {
    const next = this.#peek();
    return next === TOKEN.key || next === TOKEN.value || next === TOKEN.blockEnd;
  }

  #empty(): null {
    this.#budget.count();
    this.#kind = "scalar";
    this.#isFloat = false;
    return null;
  }

  /** Composes a key and gives its text; undefined for `<<`. */
  #key(isBlock: boolean): string | undefined {
    const index = this.#at;
    const isMerge = this.#isAtMergeKey();
    const isMissing = isBlock ? this.#isAtPairEnd() : this.#peek() === TOKEN.value || this.#peek() === TOKEN.flowEntry;
    if (isMissing) throw this.#fault("a key is missing", index);
    const value = this.#node(isBlock, isBlock);
    if (isMerge) return undefined;
    if (this.#kind !== "scalar") throw this.#fault("a list or mapping cannot be a key: quote it", index);
    const text = keyText({ value, isFloat: this.#isFloat });
    if (text === undefined) throw this.#fault("null and integers beyond 64 bits cannot be keys: quote it", index);
    return text;
  }

  #isAtMergeKey(): boolean {
    let index = this.#at;
    let tag: string | undefined;
    for (; index < this.#at + 2; index += 1) {
      const kind = this.#tokens.kind(index);
      if (kind === TOKEN.tag) tag = this.#tokens.text(index);
      else if (kind !== TOKEN.anchor) break;
    }
    if (this.#tokens.text(index) !== "<<") return false;
    const kind = this.#tokens.kind(index);
    if (kind === TOKEN.plain && tag === undefined) return true;
    return (kind === TOKEN.plain || kind === TOKEN.quoted) && (tag === "!" || tag === MERGE_TAG);
  }

  #put(mapping: MappingBuilder, pair: Pair): void {
    const { key, value, index } = pair;
    if (key === undefined) {
      this.#merge(mapping, pair);
      return;
    }
    if (!mapping.set(key, this.#finite(value, index)))
      throw this.#fault(`the key "${key}" stands twice in this mapping`, index);
    this.#mark(mapping.value, key, index);
  }

  /** Infinities and NaN are fine as keys, which become text, and impossible as values; `-0` loses its sign in JSON. */
  #finite(value: unknown, index: number): unknown {
    if (value === 0) return 0;
    if (typeof value !== "number" || Number.isFinite(value)) return value;
    throw this.#fault(`${value} has no form in JSON: quote it`, index);
  }

  /** `<<`: in this dialect a merge overrides the keys before it; of several sources the first wins. */
  #merge(mapping: MappingBuilder, { value, index, isAlias }: Pair): void {
    const sources = Array.isArray(value) && isAlias !== true ? value.toReversed() : [value];
    for (const source of sources) {
      if (!isJsonObject(source)) throw this.#fault('"<<" needs a mapping, or a list of mappings', index);
      mapping.merge(source);
    }
  }

  #mark(container: object, part: string | number, index: number): void {
    if (this.#positions.parts === undefined) return;
    markPart(this.#positions, container, { key: part, offset: this.#tokens.offset(index) });
  }
}

interface Pair {
  /** undefined for `<<`. */
  readonly key: string | undefined;
  readonly value: unknown;
  /** The key's token. */
  readonly index: number;
  readonly isAlias?: boolean;
}
