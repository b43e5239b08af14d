import { describe, expect, test } from "vitest";
import { impersonationHeaders, retryAfterOf, warningsOf } from "./headers.ts";

describe("retryAfterOf", () => {
  const now = Date.parse("2030-01-01T00:00:00Z");

  test.each([
    [undefined, undefined],
    ["2", 2_000],
    ["0", 0],
    ["3600", 60_000],
    ["Tue, 01 Jan 2030 00:00:05 GMT", 5_000],
    ["Tue, 01 Jan 2029 00:00:05 GMT", 0],
    ["later", undefined],
  ])("reads %o as %o ms", (text, ms) => {
    expect(retryAfterOf({ ...(text !== undefined && { "retry-after": text }) }, now)).toBe(ms);
  });
});

describe("warningsOf", () => {
  test.each([
    [undefined, []],
    ['299 - "v1 Endpoints is deprecated"', ["v1 Endpoints is deprecated"]],
    ['299 - "one, with a comma", 299 - "two \\"quoted\\" \\\\"', ["one, with a comma", 'two "quoted" \\']],
    ['299 - "dated" "Tue, 01 Jan 2030 00:00:05 GMT"', ["dated"]],
    ['199 - "not from the API server"', []],
    ["nonsense", []],
  ])("reads %o", (text, warnings) => {
    expect(warningsOf({ ...(text !== undefined && { warning: text }) })).toEqual(warnings);
  });

  test("decodes UTF-8, which Node hands out as latin1", () => {
    const header = Buffer.from('299 - "größer"', "utf8").toString("latin1");

    expect(warningsOf({ warning: header })).toEqual(["größer"]);
  });
});

describe("impersonationHeaders", () => {
  test("is empty where nobody is impersonated", () => {
    expect(impersonationHeaders(undefined)).toEqual({});
  });

  test("sends user, uid, every group and every extra value", () => {
    const headers = impersonationHeaders({
      user: "jane",
      uid: "u-1",
      groups: ["a", "b"],
      extra: { "Acme.io/Project 1": ["x", "y"] },
    });

    expect(headers).toEqual({
      "impersonate-user": "jane",
      "impersonate-uid": "u-1",
      "impersonate-group": ["a", "b"],
      "impersonate-extra-acme.io%2Fproject%201": ["x", "y"],
    });
  });
});
