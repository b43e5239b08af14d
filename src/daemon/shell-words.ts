import { malformed, ok, type Parsed } from "./settings-values.ts";

/** The next piece of a shell line: blanks, '…', "…", an escaped character, or a run of plain ones. */
const PIECE = /(\s+)|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y;
/** Inside double quotes a backslash only escapes what would be special there. */
const ESCAPED_IN_QUOTES = /\\(["\\$`])/g;

/** Splits a line as a POSIX shell does, without expansions: blanks separate words, quotes and backslashes join. */
export function splitShellWords(line: string): Parsed<readonly string[]> {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at = PIECE.lastIndex) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(line);
    if (piece === null) return malformed(line.charAt(at) === "\\" ? "it ends in a backslash" : "a quote is not closed");
    const [, blank, single, double, escaped, plain] = piece;
    if (blank === undefined) {
      word = (word ?? "") + (single ?? double?.replace(ESCAPED_IN_QUOTES, "$1") ?? escaped ?? plain ?? "");
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return ok(word === undefined ? words : [...words, word]);
}
