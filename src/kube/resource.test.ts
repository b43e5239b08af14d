import { describe, expect, test } from "vitest";
import { collectionPath, objectPath } from "./resource.ts";
import { configMaps, deployments, namespaces } from "./test-server.case.ts";

describe("paths", () => {
  test.each([
    [objectPath(configMaps, { namespace: "a", name: "x" }), "/api/v1/namespaces/a/configmaps/x"],
    [
      objectPath(deployments, { namespace: "a", name: "x" }, "status"),
      "/apis/apps/v1/namespaces/a/deployments/x/status",
    ],
    [objectPath(namespaces, { namespace: "", name: "a" }), "/api/v1/namespaces/a"],
    [collectionPath(configMaps, ""), "/api/v1/configmaps"],
    [collectionPath(configMaps, "a"), "/api/v1/namespaces/a/configmaps"],
    [objectPath(namespaces, { namespace: "", name: "system:x" }), "/api/v1/namespaces/system%3Ax"],
  ])("%s", (path, expected) => {
    expect(path).toBe(expected);
  });

  test.each([
    ["an empty name, which would address the collection", { namespace: "a", name: "" }],
    ["a name that leaves the path", { namespace: "a", name: ".." }],
    ["a name with a slash", { namespace: "a", name: "x/status" }],
    ["an empty namespace", { namespace: "", name: "x" }],
    ["a namespace that leaves the path", { namespace: "..", name: "x" }],
  ])("refuses %s", (_, target) => {
    expect(() => objectPath(configMaps, target)).toThrow(expect.objectContaining({ code: "BadRequest" }));
  });
});
