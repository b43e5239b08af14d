import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listWindow, rowAfterKey, scrollToRow } from "./window.ts";

const geometry = { rows: 10_000, rowHeight: 40, scrollTop: 0, viewport: 600, overscan: 5 };

describe("listWindow", () => {
  it("draws what is seen and a little more", () => {
    expect(listWindow(geometry)).toEqual({ from: 0, to: 20, offset: 0, height: 400_000 });
    expect(listWindow({ ...geometry, scrollTop: 4000 })).toEqual({ from: 95, to: 120, offset: 3800, height: 400_000 });
  });

  it("draws the end where the list has become shorter than where it was scrolled to", () => {
    expect(listWindow({ ...geometry, rows: 30, scrollTop: 300_000 })).toEqual({
      from: 10,
      to: 30,
      offset: 400,
      height: 1200,
    });
  });

  it("is empty for an empty list", () => {
    expect(listWindow({ ...geometry, rows: 0, scrollTop: 500 })).toEqual({ from: 0, to: 0, offset: 0, height: 0 });
  });

  it("always covers what is seen and never draws more than a few rows", () => {
    fc.assert(
      fc.property(fc.nat(20_000), fc.nat(900_000), fc.integer({ min: 1, max: 2000 }), (rows, scrollTop, viewport) => {
        const { from, to, height } = listWindow({ ...geometry, rows, scrollTop, viewport });
        const top = Math.min(scrollTop, Math.max(0, height - viewport));

        expect(from * 40).toBeLessThanOrEqual(top);
        expect(Math.min(to * 40, height)).toBeGreaterThanOrEqual(Math.min(top + viewport, height));
        expect(to - from).toBeLessThanOrEqual(viewport / 40 + 12);
      }),
    );
  });
});

describe("scrollToRow", () => {
  const at = { rowHeight: 40, scrollTop: 400, viewport: 400 };

  it.each([
    ["one that is seen", 12, 400],
    ["one above", 3, 120],
    ["one below", 30, 840],
    ["the last one that is seen whole", 19, 400],
  ])("scrolls for %s", (_, row, top) => {
    expect(scrollToRow(row, at)).toBe(top);
  });
});

describe("rowAfterKey", () => {
  const list = { rows: 100, page: 10 };

  it.each([
    ["ArrowDown", 5, 6],
    ["ArrowDown", 99, 99],
    ["ArrowUp", 0, 0],
    ["k", 7, 6],
    ["PageDown", 5, 15],
    ["PageDown", 95, 99],
    ["PageUp", 5, 0],
    ["Home", 50, 0],
    ["End", 50, 99],
    ["x", 50, undefined],
  ])("leads by %s from %d to %s", (key, from, to) => {
    expect(rowAfterKey(key, from, list)).toBe(to);
  });

  it("stays in an empty list", () => {
    expect(rowAfterKey("End", 0, { rows: 0, page: 10 })).toBe(0);
  });
});
