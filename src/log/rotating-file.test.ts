import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../async/index.ts";
import { rotatingFileSink } from "./rotating-file.ts";

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-log-"));
  path = join(directory, "keelson.log");
});

afterEach(() => rmSync(directory, { recursive: true }));

const read = (name: string): string => readFileSync(join(directory, name), "utf8");

describe("rotatingFileSink", () => {
  it("appends to what is there", () => {
    writeFileSync(path, "before\n");

    rotatingFileSink({ path }).write("after\n");

    expect(read("keelson.log")).toBe("before\nafter\n");
  });

  it("makes missing directories", () => {
    rotatingFileSink({ path: join(directory, "a/b/c.log") }).write("x\n");

    expect(read("a/b/c.log")).toBe("x\n");
  });

  it("names the file that it cannot open", () => {
    mkdirSync(path);

    expect(() => rotatingFileSink({ path })).toThrow(
      expect.objectContaining({ code: "Unreadable", message: expect.stringContaining(path) as string }),
    );
  });

  it("keeps as many files as told, none much larger than told, and no line in two parts", () => {
    const sink = rotatingFileSink({ path, maxBytes: 30, files: 3 });

    for (let line = 0; line < 20; line += 1) sink.write(`line ${String(line).padStart(2, "0")}\n`);

    expect(readdirSync(directory).sort()).toEqual(["keelson.log", "keelson.log.1", "keelson.log.2"]);
    expect(read("keelson.log.2")).toBe("line 12\nline 13\nline 14\n");
    expect(read("keelson.log.1")).toBe("line 15\nline 16\nline 17\n");
    expect(read("keelson.log")).toBe("line 18\nline 19\n");
  });

  it("counts bytes, not characters", () => {
    const sink = rotatingFileSink({ path, maxBytes: 10 });

    sink.write("鍵鍵鍵\n");
    sink.write("x\n");

    expect(read("keelson.log.1")).toBe("鍵鍵鍵\n");
  });

  it("follows when somebody else has moved the file", async () => {
    const clock = new ManualClock();
    const sink = rotatingFileSink({ path, clock });
    sink.write("old\n");
    renameSync(path, `${path}-yesterday`);
    await clock.advance(1000);

    sink.write("new\n");

    expect(read("keelson.log")).toBe("new\n");
    expect(read("keelson.log-yesterday")).toBe("old\n");
  });

  it("goes on in the same file where it cannot be renamed", () => {
    const sink = rotatingFileSink({ path, maxBytes: 10 });
    // A directory in the place of keelson.log.1 makes the rename fail, as a mount point does.
    mkdirSync(join(directory, "keelson.log.1/x"), { recursive: true });
    mkdirSync(join(directory, "keelson.log.2/x"), { recursive: true });

    const written = ["first\n", "second\n", "third\n"].map((line) => sink.write(line));

    expect(written).toEqual([true, true, true]);
    expect(read("keelson.log")).toBe("first\nsecond\nthird\n");
  });

  it("drops lines after close, without an error", () => {
    const sink = rotatingFileSink({ path });

    sink.close();

    expect(sink.write("x\n")).toBe(false);
    expect(existsSync(path)).toBe(true);
  });
});
