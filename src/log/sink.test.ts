import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { descriptorSink } from "./sink.ts";

const build = fileURLToPath(new URL("./sink.ts", import.meta.url));

describe("descriptorSink", () => {
  it.skipIf(!existsSync("/dev/full"))("drops lines on a full disk and does not throw (needs /dev/full)", () => {
    const descriptor = openSync("/dev/full", "w");
    const sink = descriptorSink(descriptor);

    expect(sink.write("a\n")).toBe(false);
    expect(sink.write("b\n")).toBe(false);
    closeSync(descriptor);
  });

  it("does not throw on a descriptor that is closed", () => {
    const descriptor = openSync("/dev/null", "w");
    closeSync(descriptor);

    expect(descriptorSink(descriptor).write("a\n")).toBe(false);
  });

  it("drops lines after close", () => {
    const descriptor = openSync("/dev/null", "w");
    const sink = descriptorSink(descriptor);
    expect(sink.write("a\n")).toBe(true);

    sink.close();

    expect(sink.write("a\n")).toBe(false);
    closeSync(descriptor);
  });

  it("outlives the reader of its pipe", async () => {
    // The child writes to its stdout, whose reading end is closed, and then tells through its exit code that it lives.
    const script = `
      const { build } = await import(${JSON.stringify(import.meta.resolve("esbuild"))});
      const { outputFiles } = await build({ entryPoints: [${JSON.stringify(build)}], bundle: true, write: false, format: "esm", platform: "node" });
      const { descriptorSink } = await import("data:text/javascript," + encodeURIComponent(outputFiles[0].text));
      const sink = descriptorSink(1);
      process.stderr.write("ready");
      await new Promise((resolve) => process.stdin.once("data", resolve));
      const written = [1, 2, 3].map((n) => sink.write(n + "\\n"));
      process.exit(written.includes(true) ? 1 : 42);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "pipe"] });
    await new Promise((resolve) => child.stderr.once("data", resolve));
    child.stdout.destroy();
    await new Promise((resolve) => child.stdout.once("close", resolve));

    child.stdin.write("go");
    const code = await new Promise((resolve) => child.once("exit", resolve));

    expect(code).toBe(42);
  });
});
