import { byteLength, byteSlice, toBytes } from "../go/bytes.ts";
import type { GoFunction } from "../go/values.ts";
import { fn, int, text } from "./signature.ts";

/** sprig's functions that fit text into a width. */
export const LAYOUT_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  abbrev: fn([int, text], text, (width, str) => (width < 4n ? str : abbreviated(str, 0, Number(width)))),
  abbrevboth: fn([int, int, text], text, (left, right, str) =>
    right < 4n || (left > 0n && right < 7n) ? str : abbreviated(str, Number(left), Number(right)),
  ),
  wrap: fn([int, text], text, (width, str) => wrapped(str, { width: Number(width), newLine: "", cutsWords: false })),
  wrapWith: fn([int, text, text], text, (width, newLine, str) =>
    wrapped(str, { width: Number(width), newLine, cutsWords: true }),
  ),
};

/** The library's AbbreviateFull, in bytes: an ellipsis at one or both ends. */
function abbreviated(str: string, from: number, width: number): string {
  const length = byteLength(str);
  if (length <= width) {
    return str;
  }
  const latest = length - (width - 3);
  const offset = Math.min(Math.min(from, length), latest);
  if (offset <= 4) {
    return `${byteSlice(str, 0, width - 3)}...`;
  }
  if (width < 7) {
    return "";
  }
  if (offset + width - 3 < length) {
    const rest = byteSlice(str, offset, length);
    return `...${width - 3 < 4 ? "" : abbreviated(rest, 0, width - 3)}`;
  }
  return `...${byteSlice(str, length - (width - 3), length)}`;
}

interface Wrapping {
  readonly width: number;
  readonly newLine: string;
  readonly cutsWords: boolean;
}

/** The library's WrapCustom, in bytes: breaks lines at blanks, and words only where asked to. */
function wrapped(str: string, wrapping: Wrapping): string {
  const width = Math.max(wrapping.width, 1);
  const newLine = wrapping.newLine === "" ? "\n" : wrapping.newLine;
  const length = byteLength(str);
  let offset = 0;
  let result = "";
  while (length - offset > width) {
    const rest = byteSlice(str, offset, length);
    if (rest.startsWith(" ")) {
      offset += 1;
      continue;
    }
    const line = lineLength(rest, width, wrapping.cutsWords);
    if (line === undefined) {
      result += rest;
      offset = length;
      break;
    }
    result += byteSlice(rest, 0, line.length) + newLine;
    offset += line.length + (line.isAtBlank ? 1 : 0);
  }
  return result + byteSlice(str, offset, length);
}

function lineLength(
  rest: string,
  width: number,
  cutsWords: boolean,
): { readonly length: number; readonly isAtBlank: boolean } | undefined {
  const bytes = toBytes(rest);
  const blank = bytes.lastIndexOf(0x20, width);
  if (blank >= 0) {
    return { length: blank, isAtBlank: true };
  }
  if (cutsWords) {
    return { length: width, isAtBlank: false };
  }
  const next = bytes.indexOf(0x20, width);
  return next < 0 ? undefined : { length: next, isAtBlank: true };
}
