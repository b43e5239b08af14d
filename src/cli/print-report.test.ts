import { describe, expect, it } from "vitest";
import { formatJson, formatYaml } from "./print-report.ts";

describe("formatJson", () => {
  it("keeps integers exact", () => {
    expect(formatJson({ a: 12345678901234567890n, b: -1n, c: 1.5 })).toBe(
      '{\n  "a": 12345678901234567890,\n  "b": -1,\n  "c": 1.5\n}\n',
    );
  });

  it("lets no character act on a terminal, and stays JSON", () => {
    const value = { a: "\u001b[31m\u009b\u202e\n" };

    const text = formatJson(value);

    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe("formatYaml", () => {
  it("keeps integers exact and leaves undefined out", () => {
    expect(formatYaml({ a: 12345678901234567890n, b: undefined, c: [1] })).toBe("a: 12345678901234567890\nc:\n  - 1\n");
  });

  it.each(["yes", "on", "0644", "1:30", "2030-01-01", "null", "1e3"])(
    "quotes the string %j for older readers",
    (text) => {
      expect(formatYaml({ a: text })).toBe(`a: '${text}'\n`);
    },
  );
});
