import { describe, expect, it } from "vitest";
import { UidIndex } from "./uid-index.ts";

describe("the index of uids", () => {
  it("knows a uid as long as an object of the set resolves to it", () => {
    const index = new UidIndex();
    index.set("Ingress.extensions/a/x", "u1");
    index.set("Ingress.networking.k8s.io/a/x", "u1");

    index.set("Ingress.extensions/a/x", undefined);
    expect(index.has("u1")).toBe(true);
    index.set("Ingress.networking.k8s.io/a/x", "u2");

    expect([index.has("u1"), index.has("u2")]).toEqual([false, true]);
  });
});
