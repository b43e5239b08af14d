import { expect, it } from "vitest";
import { sortPolicies } from "./policies.ts";

it("puts the higher number first, and equal ones in the order of their names", () => {
  const ranks = [
    { name: "b", priority: 10 },
    { name: "c", priority: 99 },
    { name: "a", priority: 10 },
  ];

  expect(sortPolicies(ranks)).toEqual(["c", "a", "b"]);
});
