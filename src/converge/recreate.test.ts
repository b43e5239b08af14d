import { describe, expect, it } from "vitest";
import { trialName } from "./recreate.ts";

describe("trialName", () => {
  it.each([
    { name: "dns", expected: "dns-keelson-trial" },
    { name: "a".repeat(63), expected: `${"a".repeat(49)}-keelson-trial` },
    // Cut where the rest would end in a sign that no name may end with.
    { name: `${"a".repeat(48)}.example`, expected: `${"a".repeat(48)}-keelson-trial` },
    { name: `${"a".repeat(46)}.--example`, expected: `${"a".repeat(46)}-keelson-trial` },
  ])("of $name is a name of at most 63 characters", ({ name, expected }) => {
    expect(trialName(name)).toBe(expected);
    expect(trialName(name).length).toBeLessThanOrEqual(63);
  });
});
