import { describe, expect, it } from "vitest";
import { DEFAULT_PRUNE_LIST, defaultPruneList, parsePruneList, prunableKinds } from "./settings-prune-list.ts";

describe("parsePruneList", () => {
  it("reads kinds separated by any blanks, with core for the empty group", () => {
    expect(parsePruneList("core/v1/Pod\n apps/v1/Deployment\t storage.k8s.io/v1/StorageClass ")).toEqual({
      kind: "ok",
      value: [
        { group: "", version: "v1", kind: "Pod" },
        { group: "apps", version: "v1", kind: "Deployment" },
        { group: "storage.k8s.io", version: "v1", kind: "StorageClass" },
      ],
    });
  });

  it("reads blanks as an empty list", () => {
    expect(parsePruneList(" \n")).toEqual({ kind: "ok", value: [] });
  });

  it.each([
    "Pod",
    "v1/Pod",
    "apps/v1/",
    "apps//Deployment",
    "/v1/Pod",
    "apps/v1/Deployment/x",
    "apps/v1/De-ploy",
    "core/v1/Pod,core/v1/Secret",
  ])("refuses %s and names it", (entry) => {
    expect(parsePruneList(`core/v1/Secret ${entry}`)).toEqual({
      kind: "malformed",
      why: `"${entry}" is not group/version/Kind`,
    });
  });
});

describe("the default list", () => {
  it("is the original's sixteen kinds", () => {
    expect(defaultPruneList()).toHaveLength(16);
    expect(defaultPruneList()).toHaveLength(DEFAULT_PRUNE_LIST.length);
  });
});

describe("prunableKinds", () => {
  it("joins both lists, each group-kind once", () => {
    const kinds = prunableKinds({
      pruneList: [{ group: "batch", version: "v1", kind: "CronJob" }],
      extraPrune: [
        { group: "batch", version: "v1beta1", kind: "CronJob" },
        { group: "", version: "v1", kind: "LimitRange" },
      ],
    });

    expect(kinds.map(({ kind, version }) => `${kind} ${version}`)).toEqual(["CronJob v1", "LimitRange v1"]);
  });
});
