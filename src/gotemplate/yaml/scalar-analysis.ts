/** Which ways of writing a scalar are open to it, by libyaml's rules. */
export interface ScalarAnalysis {
  readonly isMultiline: boolean;
  readonly allowsPlain: boolean;
  readonly allowsSingleQuoted: boolean;
  readonly allowsBlock: boolean;
}

const EMPTY: ScalarAnalysis = {
  isMultiline: false,
  allowsPlain: true,
  allowsSingleQuoted: true,
  allowsBlock: false,
};

export function isBreak(character: string | undefined): boolean {
  return character !== undefined && /[\r\n\u0085\u2028\u2029]/.test(character);
}

/** What go-yaml writes as it is; characters beyond the basic plane it escapes. */
export function isPrintableInYaml(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (
    code === 0x0a ||
    (code >= 0x20 && code <= 0x7e) ||
    (code >= 0xa0 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff)
  );
}

export function analyzeScalar(text: string): ScalarAnalysis {
  if (text === "") {
    return EMPTY;
  }
  const characters = [...text];
  const isMultiline = characters.some(isBreak);
  const isSpecial = characters.some((character) => !isPrintableInYaml(character));
  const isSpaceBeforeBreak = hasPair(characters, (left, right) => left === " " && isBreak(right));
  const isBreakBeforeSpace = hasPair(characters, (left, right) => isBreak(left) && right === " ");
  const isBlankEnded = isSpaceOrBreak(characters[0]) || isSpaceOrBreak(characters.at(-1));
  const isUnquotable = isBreakBeforeSpace || isSpaceBeforeBreak || isSpecial;
  return {
    isMultiline,
    allowsPlain: !(isBlankEnded || isUnquotable || isMultiline || hasIndicator(characters)),
    allowsSingleQuoted: !isUnquotable,
    allowsBlock: !(characters.at(-1) === " " || isSpaceBeforeBreak || isSpecial),
  };
}

function hasPair(characters: readonly string[], test: (left: string, right: string) => boolean): boolean {
  return characters.some((character, index) => index > 0 && test(characters[index - 1] ?? "", character));
}

function isSpaceOrBreak(character: string | undefined): boolean {
  return character === " " || isBreak(character);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}

/** Characters that mean something where they stand: at the start, or next to a blank. */
function hasIndicator(characters: readonly string[]): boolean {
  const [first = ""] = characters;
  const start = characters.slice(0, 3).join("");
  if ("#,[]{}&*!|>'\"%@`".includes(first) || start === "---" || start === "...") {
    return true;
  }
  return characters.some((character, index) => {
    const next = characters[index + 1];
    const isBeforeBlank = next === undefined || isBlank(next);
    if (index === 0) {
      return "?:-".includes(character) && isBeforeBlank;
    }
    const previous = characters[index - 1];
    const isAfterBlank = isBlank(previous) || isBreak(previous) || previous === "\0";
    return (character === ":" && isBeforeBlank) || (character === "#" && isAfterBlank);
  });
}
