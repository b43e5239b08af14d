import { describe, expect, it } from "vitest";
import { ManualClock } from "../async/index.ts";
import type { LogFormat, LogLevel } from "./line.ts";
import { createLogger, type Logger, silentLogger } from "./logger.ts";
import { NOT_LEADER_MESSAGE, startMessage } from "./text-format.ts";

function logTo(lines: string[], format: LogFormat = "text", level: LogLevel = "debug"): Logger {
  const sink = { write: (line: string) => lines.push(line) > 0, close: () => {} };
  return createLogger({ sink, format, level, clock: new ManualClock() });
}

describe("text lines", () => {
  it("have the original's shape", () => {
    const lines: string[] = [];
    const log = logTo(lines);

    log.debug("one");
    log.info("two");
    log.warn("three");
    log.error("four");

    expect(lines).toEqual(["DBG: == one ==\n", "INFO: == two ==\n", "WRN: == three ==\n", "ERR: == four ==\n"]);
  });

  it("carry fields inside", () => {
    const lines: string[] = [];

    logTo(lines).info("created", { object: "ConfigMap kube-system/dns", file: "dns.yaml:12", n: 3, list: ["a", 1] });

    expect(lines).toEqual([
      'INFO: == created object="ConfigMap kube-system/dns" file=dns.yaml:12 n=3 list=["a",1] ==\n',
    ]);
  });

  it("quote values so that they can be told apart", () => {
    const lines: string[] = [];

    logTo(lines).info("m", { a: 'say "hi"', b: "", c: "x=y" });

    expect(lines).toEqual(['INFO: == m a="say \\"hi\\"" b="" c="x=y" ==\n']);
  });

  it("print the original's sleeping line exactly", () => {
    const lines: string[] = [];

    logTo(lines).info(NOT_LEADER_MESSAGE, { holder: "cp-2" });

    expect(lines).toEqual(["INFO: Not elected leader, going back to sleep.\n"]);
  });

  it("print the original's start line", () => {
    const lines: string[] = [];

    logTo(lines).info(startMessage(Date.UTC(2030, 0, 2, 3, 4, 5, 678), 60_000));

    expect(lines).toEqual([
      "INFO: == Kubernetes addon manager started at 2030-01-02T03:04:05+00:00 with ADDON_CHECK_INTERVAL_SEC=60 ==\n",
    ]);
  });

  it("are one line each, whatever the message holds", () => {
    const lines: string[] = [];

    logTo(lines).info("a\nINFO: == forged ==", { b: "c\nd" });

    expect(lines.join("").split("\n")).toHaveLength(2);
  });
});

describe("JSON lines", () => {
  it("carry time, level, message and fields", () => {
    const lines: string[] = [];

    logTo(lines, "json").warn("three\u001b", { object: "ConfigMap a/b", token: "s3cret" });

    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        time: "2030-01-01T00:00:00.000Z",
        level: "warn",
        msg: "three\\u001b",
        fields: { object: "ConfigMap a/b", token: "[redacted]" },
      },
    ]);
  });

  it("leave fields out where there are none", () => {
    const lines: string[] = [];

    logTo(lines, "json").info("m");

    expect(JSON.parse(lines[0] ?? "")).toEqual({ time: "2030-01-01T00:00:00.000Z", level: "info", msg: "m" });
  });
});

describe("createLogger", () => {
  it.each([
    ["debug", 4],
    ["info", 3],
    ["warn", 2],
    ["error", 1],
  ] as const)("writes at level %s %i of four lines, in both formats", (level, count) => {
    for (const format of ["text", "json"] as const) {
      const lines: string[] = [];
      const log = logTo(lines, format, level);

      log.debug("1");
      log.info("2");
      log.warn("3");
      log.error("4");

      expect(lines).toHaveLength(count);
    }
  });

  it("gives children their fields, which the call's own override", () => {
    const lines: string[] = [];

    logTo(lines).child({ a: 1, b: 1 }).child({ b: 2, c: 2 }).info("m", { c: 3 });

    expect(lines).toEqual(["INFO: == m a=1 b=2 c=3 ==\n"]);
  });

  it.each(["text", "json"] as const)("says in %s how many lines were lost, once one gets through", (format) => {
    const lines: string[] = [];
    let full = false;
    const sink = { write: (line: string) => !full && lines.push(line) > 0, close: () => {} };
    const log = createLogger({ sink, format, clock: new ManualClock() });

    full = true;
    log.info("lost");
    log.info("lost too");
    full = false;
    log.info("there");
    log.info("there again");

    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain("2 log lines lost");
    if (format === "json") expect(() => lines.map((line) => JSON.parse(line) as unknown)).not.toThrow();
  });
});

describe("silentLogger", () => {
  it("takes everything and says nothing", () => {
    expect(() => silentLogger.child({ a: 1 }).error("x")).not.toThrow();
  });
});
