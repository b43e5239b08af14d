import { describe, expect, it } from "vitest";
import { isLetter, isLower, isPrintable, toLowerCharacter, toUpperCharacter } from "./characters.ts";

// Expected: Go 1.26, whose package unicode is that of Unicode 15.0.
describe("characters that Unicode got after 15.0", () => {
  it.each([
    ["an ideographic description character of 15.1", "\u2ffc"],
    ["a Latin letter of 16.0", "\ua7cb"],
    ["a Garay letter of 16.0", "\u{10d50}"],
    ["an ideograph of 17.0", "\u{323b0}"],
  ])("%s is no letter, and not printable", (_, character) => {
    expect([isLetter(character), isPrintable(character)]).toEqual([false, false]);
  });

  it("have no case, nor do those they were made for", () => {
    expect(["\ua7cb", "\ua7dc"].map(toLowerCharacter)).toEqual(["\ua7cb", "\ua7dc"]);
    expect(["\u0264", "\u019b"].map(toUpperCharacter)).toEqual(["\u0264", "\u019b"]);
  });

  it("leave alone what was there before", () => {
    expect(["a", "\u00e9", "\u4e2d", "\u{1f600}", "\u{31350}"].map(isPrintable)).toEqual(Array(5).fill(true));
    expect([isLower("\u0295"), isLetter("\u0378")]).toEqual([true, false]);
  });
});
