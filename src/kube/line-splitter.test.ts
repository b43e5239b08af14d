import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

function split(chunks: readonly Buffer[]): readonly string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), 1 << 20);
  for (const chunk of chunks) splitter.push(chunk);
  return lines;
}

describe("LineSplitter", () => {
  test("yields the same lines wherever the bytes are cut, characters of several bytes included", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", " "));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end));

        expect(split(chunks)).toEqual(lines.filter((text) => text !== ""));
      }),
    );
  });

  test("yields the same lines when every byte comes alone", () => {
    const bytes = Buffer.from('{"a":"ü€😀"}\n\n{"b":2}\nrest');

    expect(split([...bytes].map((byte) => Buffer.from([byte])))).toEqual(['{"a":"ü€😀"}', '{"b":2}']);
  });

  test("tells how much of a line is still open", () => {
    const splitter = new LineSplitter(() => {}, 100);

    splitter.push(Buffer.from("abc\nde"));

    expect(splitter.pendingBytes).toBe(2);
  });

  test("refuses a line beyond the limit before its end has come", () => {
    const splitter = new LineSplitter(() => {}, 10);
    splitter.push(Buffer.from("12345678"));

    expect(() => splitter.push(Buffer.from("9012"))).toThrow("longer than 10 bytes");
  });

  test("takes a line of many chunks in time that grows with its length, not with its square", () => {
    const chunk = Buffer.alloc(1_000, "x");
    const time = (count: number): number => {
      const splitter = new LineSplitter(() => {}, 1 << 30);
      const start = performance.now();
      for (let i = 0; i < count; i += 1) splitter.push(chunk);
      splitter.push(Buffer.from("\n"));
      return performance.now() - start;
    };
    time(1_000);

    // 64 MB: quadratic concatenation would copy two terabytes.
    expect(time(64_000)).toBeLessThan(5_000);
  });
});
