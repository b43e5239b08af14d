import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { OracleRequest } from "./oracle.ts";

/** Templates that print their data in some way. */
const PRINTERS: readonly string[] = readFileSync(join(import.meta.dirname, "printers.txt"), "utf8")
  .trimEnd()
  .split("\n");

/** Text that YAML, JSON, numbers or letter case make awkward. */
const AWKWARD: readonly string[] = [
  ...["", " ", "~", "null", "true", "y", "No", "on", "1", "-1", "1.5", "1e3", "0x1f", "0o7", "017", "1_000", ".5", "."],
  ...["+.inf", ".NaN", "1:30", "12:30:45.5", "2001-01-01", "2001-02-30", "2001-1-1T1:1:1Z", "2001-12-14 21:59:43.10"],
  ...[
    "<<",
    "=",
    "-",
    "- a",
    "? b",
    ": c",
    "a: b",
    "a:b",
    "a #b",
    "a#b",
    "#c",
    "*d",
    "&e",
    "!f",
    "%g",
    "@h",
    "`i",
    "|j",
  ],
  ...[">k", "{l", "[m", "]n", "}o", ",p", "'q'", '"r"', "\\s", "a\tb", "\tc", "d\t", "e\n", "\nf", "g\n\n", " h", "i "],
  ...["a\n b", "a \nb", "j\r\nk", "\u0000", "\u001b", "\u007f", "\u00a0", "\u2028", "\ufeff", "\u00e9", "\u{1f600}"],
  ...["HTTPServer", "fooBar2Baz", "A_B-c d", "x1y22z", "---", "a--b", "0b1", "0b12", "1e", "1e400", "a10", "a9", "a09"],
  ...["1h30m", "-1.5h", "100d", "9000s", "../a//b/", "/", "YQ==", "MFRGG===", "a1b", "\u01c6x", "\u00df", "\u0130"],
];

/** Data of any shape, and a template that prints all of it. */
export function valueRequests(): fc.Arbitrary<OracleRequest> {
  const awkward = fc.constantFrom(...AWKWARD);
  const drawnText = fc.oneof(
    awkward,
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.string({ maxLength: 90 }),
    fc.array(fc.oneof(awkward, fc.lorem({ maxCount: 12 })), { maxLength: 4 }).map((parts) => parts.join(" ")),
    fc.array(fc.oneof(awkward, fc.lorem({ maxCount: 3 })), { maxLength: 4 }).map((parts) => parts.join("\n")),
  );
  // The library behind the word functions takes U+FFFD for a sign of broken text, and moves it about.
  const text = drawnText.map((drawn) => drawn.replaceAll("\ufffd", ""));
  // go-yaml's order of keys is no order where digits and letters mix: 7 < 12 < 1e < 7. Its sort is then a lottery.
  const key = fc.oneof(
    text.map((drawn) => drawn.replaceAll(/[0-9]/g, "")),
    fc.nat({ max: 120 }).map((drawn) => `x${drawn}`),
  );
  const number = fc.oneof(
    fc.integer(),
    fc.integer({ min: -20, max: 20 }),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
  );
  const { data } = fc.letrec<{ data: unknown }>((tie) => ({
    data: fc.oneof(
      { maxDepth: 4, depthIdentifier: "data" },
      text,
      number,
      fc.constantFrom(true, false, null),
      fc.array(tie("data"), { maxLength: 4, depthIdentifier: "data" }),
      fc.dictionary(key, tie("data"), { maxKeys: 4, depthIdentifier: "data", noNullPrototype: true }),
    ),
  }));
  return fc
    .tuple(data, fc.constantFrom(...PRINTERS))
    .map(([value, template]) => ({ template, data: value, functions: "sprig", missingkey: "default" }));
}
