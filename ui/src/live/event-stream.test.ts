import { describe, expect, it } from "vitest";
import { EventStreamParser } from "./event-stream.ts";

describe("EventStreamParser", () => {
  it("reads events, whichever way the text is cut", () => {
    const text = 'event: rows\ndata: {"a":1}\n\n: heartbeat\n\nevent: reload\r\ndata: {}\r\n\r\n';
    const whole = new EventStreamParser().push(text);

    for (let at = 0; at < text.length; at += 1) {
      const parser = new EventStreamParser();
      expect([...parser.push(text.slice(0, at)), ...parser.push(text.slice(at))], `cut at ${at}`).toEqual(whole);
    }
    expect(whole).toEqual([
      { event: "rows", data: '{"a":1}' },
      { event: "reload", data: "{}" },
    ]);
  });

  it("joins lines of data", () => {
    expect(new EventStreamParser().push("data: a\ndata: b\n\n")).toEqual([{ event: "message", data: "a\nb" }]);
  });

  it("yields nothing for comments and for events without data", () => {
    expect(new EventStreamParser().push(": still here\n\nevent: rows\n\n")).toEqual([]);
  });
});
