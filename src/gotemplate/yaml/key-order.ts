import { isDigit, isLetter } from "../go/characters.ts";

/**
 * go-yaml's order of map keys: numbers within them by value (`a2` before `a10`), letters after everything else.
 */
export function compareKeys(left: string, right: string): number {
  const lefts = [...left];
  const rights = [...right];
  const length = Math.min(lefts.length, rights.length);
  for (let index = 0; index < length; index += 1) {
    if (lefts[index] !== rights[index]) {
      return compareAt(lefts, rights, index);
    }
  }
  return lefts.length - rights.length;
}

function compareAt(lefts: readonly string[], rights: readonly string[], index: number): number {
  const left = lefts[index] ?? "";
  const right = rights[index] ?? "";
  const byCode = (left.codePointAt(0) ?? 0) - (right.codePointAt(0) ?? 0);
  if (isLetter(left) || isLetter(right)) {
    return isLetter(left) && isLetter(right) ? byCode : isLetter(right) ? -1 : 1;
  }
  // A zero within a number counts as a digit; at its start it does not.
  const isInNumber = (left === "0" || right === "0") && followsNonZeroDigit(lefts, index);
  const leftNumber = numberAt(lefts, index, isInNumber);
  const rightNumber = numberAt(rights, index, isInNumber);
  if (leftNumber.value !== rightNumber.value) {
    return leftNumber.value < rightNumber.value ? -1 : 1;
  }
  return leftNumber.end === rightNumber.end ? byCode : leftNumber.end - rightNumber.end;
}

function followsNonZeroDigit(characters: readonly string[], index: number): boolean {
  for (let at = index - 1; at >= 0 && isDigit(characters[at] ?? ""); at -= 1) {
    if (characters[at] !== "0") {
      return true;
    }
  }
  return false;
}

function numberAt(
  characters: readonly string[],
  index: number,
  isInNumber: boolean,
): { readonly value: bigint; readonly end: number } {
  let value = isInNumber ? 1n : 0n;
  let end = index;
  while (isDigit(characters[end] ?? "")) {
    const digit = (characters[end]?.codePointAt(0) ?? 48) - 48;
    value = BigInt.asIntN(64, value * 10n + BigInt(digit));
    end += 1;
  }
  return { value, end };
}
