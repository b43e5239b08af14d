import { isBreak, isPrintableInYaml } from "./scalar-analysis.ts";

/** Longer lines are folded at their next blank. */
const BEST_WIDTH = 80;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\0", "\\0"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\x1b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\u0085", "\\N"],
  ["\u00a0", "\\_"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

/** Writes YAML's block style character by character, with the bookkeeping of libyaml's emitter. */
export class YamlWriter {
  /** The column that lines start at; -1 before the root. */
  indent = -1;
  /** Only indentation and indicators stand on the line so far: `- - a` needs no break between. */
  isIndention = true;
  private out = "";
  private column = 0;
  private endsInBlank = true;

  /** All that was written. */
  text(): string {
    return this.out;
  }

  /** Goes to the current indent, on a new line unless this one holds nothing else. */
  writeIndent(): void {
    const indent = Math.max(this.indent, 0);
    if (!this.isIndention || this.column > indent || (this.column === indent && !this.endsInBlank)) {
      this.breakLine();
    }
    while (this.column < indent) {
      this.put(" ");
    }
    this.endsInBlank = true;
    this.isIndention = true;
  }

  /** An indicator such as `-`, `:` or `{}`. */
  indicator(indicator: string, needs: { readonly blank: boolean; readonly keepsIndention?: boolean }): void {
    if (needs.blank && !this.endsInBlank) {
      this.put(" ");
    }
    this.put(indicator);
    this.endsInBlank = false;
    this.isIndention = this.isIndention && needs.keepsIndention === true;
  }

  plain(text: string, allowsFolding: boolean): void {
    if (!this.endsInBlank) {
      this.put(" ");
    }
    this.folded(text, { allowsFolding, write: (character) => this.put(character), isQuoted: false });
    this.endsInBlank = false;
    this.isIndention = false;
  }

  singleQuoted(text: string, allowsFolding: boolean): void {
    this.indicator("'", { blank: true });
    const write = (character: string): void => this.put(character === "'" ? "''" : character);
    this.folded(text, { allowsFolding, write, isQuoted: true });
    this.indicator("'", { blank: false });
  }

  doubleQuoted(text: string, allowsFolding: boolean): void {
    this.indicator('"', { blank: true });
    const characters = [...text];
    // go-yaml looks for a byte order mark at the text's start while it writes each character.
    const escapesAll = text.startsWith("\ufeff");
    let isAfterSpace = false;
    characters.forEach((character, index) => {
      const isInside = index > 0 && index < characters.length - 1;
      if (escapesAll) {
        this.put(escaped(character));
      } else if (character === " " && allowsFolding && !isAfterSpace && this.column > BEST_WIDTH && isInside) {
        this.writeIndent();
        this.putIf(characters[index + 1] === " ", "\\");
      } else {
        this.put(needsEscape(character) ? escaped(character) : character);
      }
      isAfterSpace = character === " ";
    });
    this.indicator('"', { blank: false });
  }

  /** `|`, with the hints that leading blanks and the number of trailing breaks ask for. */
  literal(text: string): void {
    this.indicator("|", { blank: true });
    const first = text[0];
    this.putIf(first === " " || isBreak(first), "2");
    this.put(chompingHint(text));
    this.breakLine();
    this.isIndention = true;
    this.endsInBlank = true;
    let isAfterBreak = true;
    for (const character of text) {
      if (isBreak(character)) {
        this.writeBreak(character);
        this.isIndention = true;
        isAfterBreak = true;
        continue;
      }
      if (isAfterBreak) {
        this.writeIndent();
      }
      this.put(character);
      this.isIndention = false;
      isAfterBreak = false;
    }
  }

  finishLine(): void {
    this.indent = -1;
    this.writeIndent();
  }

  private folded(
    text: string,
    style: {
      readonly allowsFolding: boolean;
      readonly write: (character: string) => void;
      readonly isQuoted: boolean;
    },
  ): void {
    const characters = [...text];
    let isAfterSpace = false;
    let isAfterBreak = false;
    characters.forEach((character, index) => {
      if (character === " ") {
        const isEnd = style.isQuoted && (index === 0 || index === characters.length - 1);
        const isFolded = style.allowsFolding && !isAfterSpace && this.column > BEST_WIDTH && !isEnd;
        if (isFolded && characters[index + 1] !== " ") {
          this.writeIndent();
        } else {
          style.write(character);
        }
        isAfterSpace = true;
        return;
      }
      if (isBreak(character)) {
        if (!isAfterBreak && character === "\n") {
          this.breakLine();
        }
        this.writeBreak(character);
        this.isIndention = true;
        isAfterBreak = true;
        return;
      }
      if (isAfterBreak) {
        this.writeIndent();
      }
      style.write(character);
      this.isIndention = false;
      isAfterSpace = false;
      isAfterBreak = false;
    });
  }

  private put(text: string): void {
    this.out += text;
    this.column += [...text].length;
  }

  private putIf(condition: boolean, text: string): void {
    if (condition) {
      this.put(text);
    }
  }

  private breakLine(): void {
    this.out += "\n";
    this.column = 0;
  }

  private writeBreak(character: string): void {
    this.out += character;
    this.column = 0;
  }
}

/** How many breaks at the end belong to the text: none, one, or all. */
function chompingHint(text: string): string {
  if (!isBreak(text.at(-1))) {
    return "-";
  }
  return text.length === 1 || isBreak(text.at(-2)) ? "+" : "";
}

function needsEscape(character: string): boolean {
  return !isPrintableInYaml(character) || isBreak(character) || character === '"' || character === "\\";
}

function escaped(character: string): string {
  const fixed = ESCAPES.get(character);
  if (fixed !== undefined) {
    return fixed;
  }
  const code = character.codePointAt(0) ?? 0;
  const [letter, width] = code <= 0xff ? ["x", 2] : code <= 0xffff ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).toUpperCase().padStart(Number(width), "0")}`;
}
