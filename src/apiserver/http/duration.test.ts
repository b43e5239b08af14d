import { expect, it } from "vitest";
import { ageOf, humanDuration } from "./duration.ts";

it.each([
  [0, "0s"],
  [119, "119s"],
  [120, "2m"],
  [601, "10m"],
  [150, "2m30s"],
  [3 * 3600 + 120, "3h2m"],
  [9 * 3600, "9h"],
  [3 * 86400 + 3600, "3d1h"],
  [30 * 86400, "30d"],
  [800 * 86400, "2y70d"],
  [-5, "<invalid>"],
])("shows %d seconds as %s", (seconds, text) => {
  expect(humanDuration(seconds)).toBe(text);
});

it("says when there is no time", () => {
  expect(ageOf(undefined, 0)).toBe("<unknown>");
});
