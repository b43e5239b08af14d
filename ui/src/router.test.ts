import { describe, expect, it } from "vitest";
import { hrefOf, parseRoute } from "./router.ts";

describe("addresses", () => {
  it.each([
    ["", "overview"],
    ["#/", "overview"],
    ["#/objects", "objects"],
    ["#/objects?kind=Pod", "objects"],
    ["#/constructor", "unknown"],
    ["#/nowhere", "unknown"],
  ])("reads %j as the page %s", (hash, page) => {
    expect(parseRoute(hash).page).toBe(page);
  });

  it("carries a hostile key there and back", () => {
    const key = 'ClusterRole.rbac.authorization.k8s.io//<img src=x onerror="alert(1)">&#?\u202e';

    expect(parseRoute(hrefOf("object", { key })).params.get("key")).toBe(key);
  });

  it("leaves empty parameters out", () => {
    expect(hrefOf("objects", { q: "", kind: "Pod" })).toBe("#/objects?kind=Pod");
  });
});
