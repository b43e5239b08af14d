import { describe, expect, it } from "vitest";
import type { ObjectRow } from "../../http/index.ts";
import { addonsOf } from "./addons.ts";

function row(file: string | undefined, given: Partial<ObjectRow> = {}): ObjectRow {
  const name = { group: "", kind: "ConfigMap", namespace: "kube-system", name: "a" };
  const place = file === undefined ? {} : { file, line: 1 };
  return { ...name, key: "k", state: "converged", readiness: "Current", ...place, ...given };
}

describe("addonsOf", () => {
  it("tells the worst of a file's objects, and why", () => {
    const rows = [
      row("dns.yaml"),
      row("dns.yaml", { state: "failed", message: "Forbidden" }),
      row("dns.yaml", { readiness: "InProgress", message: "1 of 2 ready" }),
    ];

    expect(addonsOf(rows, [], [])).toEqual([
      {
        file: "dns.yaml",
        objects: 3,
        state: "failed",
        readiness: "InProgress",
        states: { converged: 2, failed: 1 },
        ready: 2,
        message: "Forbidden",
        problems: [],
      },
    ]);
  });

  it("tells why a converged file is not ready", () => {
    const rows = [row("dns.yaml", { readiness: "InProgress", message: "1 of 2 ready" })];

    expect(addonsOf(rows, [], [])[0]).toMatchObject({
      state: "converged",
      readiness: "InProgress",
      message: "1 of 2 ready",
    });
  });

  it("lists a file that yields no object at all", () => {
    const problem = { file: "broken.yaml", line: 3, message: "no YAML" };

    expect(addonsOf([], [problem], [])).toMatchObject([
      { file: "broken.yaml", objects: 0, state: "failed", readiness: "Unknown", problems: [problem] },
    ]);
  });

  it("leaves out what is in no file", () => {
    expect(addonsOf([row(undefined, { state: "held" })], [], [])).toEqual([]);
  });

  it("shows the pause of a file", () => {
    const pause = { target: { kind: "file", file: "dns.yaml" }, until: "2026-11-30T10:00:00Z" } as const;

    expect(addonsOf([row("dns.yaml"), row("net.yaml")], [], [pause]).map((addon) => addon.pause)).toEqual([
      pause,
      undefined,
    ]);
  });
});
