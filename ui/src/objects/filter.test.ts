import { describe, expect, it } from "vitest";
import type { ObjectRow } from "../../../src/http/dashboard/types.ts";
import { choicesOf, type Filter, filterRows, kindKey } from "./filter.ts";

const all: Filter = { text: "", kind: "", namespace: "", state: "", file: "" };

function row(name: string, given: Partial<ObjectRow> = {}): ObjectRow {
  return {
    key: name,
    group: "",
    kind: "ConfigMap",
    namespace: "kube-system",
    name,
    state: "converged",
    readiness: "Current",
    ...given,
  };
}

const rows = [
  row("zebra"),
  row("dns", { kind: "Deployment", group: "apps", file: "dns.yaml", state: "failed", message: "Forbidden" }),
  row("admin", { kind: "ClusterRole", namespace: "", state: "held" }),
  row("agent", { kind: "DaemonSet", group: "apps", namespace: "net", readiness: "InProgress" }),
];
const names = (filter: Partial<Filter>): readonly string[] =>
  filterRows(rows, { ...all, ...filter }).map(({ name }) => name);

describe("filterRows", () => {
  it("puts what needs a look first", () => {
    expect(names({})).toEqual(["dns", "admin", "zebra", "agent"]);
  });

  it.each([
    ["all words, wherever they stand", { text: "dns  FORBIDDEN" }, ["dns"]],
    ["namespace and name together", { text: "kube-system/z" }, ["zebra"]],
    ["kind with its group", { kind: "Deployment.apps" }, ["dns"]],
    ["namespace", { namespace: "net" }, ["agent"]],
    ["one state", { state: "held" }, ["admin"]],
    ["trouble", { state: "trouble" }, ["dns", "admin"]],
    ["what is not ready", { state: "not-ready" }, ["agent"]],
    ["file", { file: "dns.yaml" }, ["dns"]],
    ["nothing that fits", { text: "nowhere" }, []],
  ])("filters by %s", (_, filter, found) => {
    expect(names(filter)).toEqual(found);
  });

  it("does not take a text for a pattern", () => {
    expect(names({ text: ".*" })).toEqual([]);
  });
});

describe("choicesOf", () => {
  it("counts in order, without the empty choice", () => {
    expect(choicesOf(rows, ({ namespace }) => namespace)).toEqual([
      ["kube-system", 2],
      ["net", 1],
    ]);
    expect(choicesOf(rows, kindKey).map(([kind]) => kind)).toEqual([
      "ClusterRole",
      "ConfigMap",
      "DaemonSet.apps",
      "Deployment.apps",
    ]);
  });
});
