import { expect, it } from "vitest";
import { canonicalQuantity, quantityValue } from "./quantity.ts";

it.each([
  ["1000m", "1"],
  ["1024Mi", "1Gi"],
  ["1.5Gi", "1536Mi"],
  ["0.1", "100m"],
  ["100M", "100M"],
  ["1500k", "1500k"],
  ["1000k", "1M"],
  ["0", "0"],
  ["0Gi", "0"],
  ["512", "512"],
  ["1e3", "1e3"],
  ["100Ki", "100Ki"],
  ["0.5Ki", "512"],
  ["-1", "-1"],
  ["1.1Ki", "1126400m"],
])("writes %s as %s", (text, canonical) => {
  expect(canonicalQuantity(text)).toBe(canonical);
});

it.each(["", "x", "1.2.3", "Gi", "1 Gi", "1Zi"])("refuses %j", (text) => {
  expect(canonicalQuantity(text)).toBeUndefined();
});

it("gives a value to compare", () => {
  expect(quantityValue("1Ki")).toBe(1024);
  expect(quantityValue("500m")).toBeCloseTo(0.5);
  expect(quantityValue("x")).toBeNaN();
});
