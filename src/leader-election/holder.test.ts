import { describe, expect, it } from "vitest";
import { isHolder } from "./holder.ts";

describe("isHolder", () => {
  it.each([
    ["cp-1", "cp-1", true],
    ["cp-1_5b1f4a52-0d4c-4c39-a5a4-0d4cc1f3a111", "cp-1", true],
    ["cp-1.example.com_5b1f", "cp-1", true],
    ["cp-10_5b1f", "cp-1", false],
    ["cp-1-b_5b1f", "cp-1", false],
    ["cp-1", "cp-1.example.com", false],
    ["CP-1_5b1f", "cp-1", false],
    ["", "cp-1", false],
    ["cp-1_5b1f", "", false],
  ])("says of holder %j on host %j: %j", (holder, hostname, expected) => {
    expect(isHolder(holder, hostname)).toBe(expected);
  });
});
