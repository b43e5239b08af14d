import { describe, expect, it } from "vitest";
import { heldDigest, heldReport } from "./held.ts";
import { kept } from "./samples.case.ts";

describe("heldDigest", () => {
  const list = [kept("a"), kept("b")];

  it("does not depend on the order", () => {
    expect(heldDigest([...list].reverse())).toBe(heldDigest(list));
  });

  it("covers only what can be confirmed, whatever the reason", () => {
    expect(heldDigest([...list, kept("c", { isConfirmable: false })])).toBe(heldDigest(list));
    expect(heldDigest(list.map((each) => ({ ...each, reason: "other", filter: "x" })))).toBe(heldDigest(list));
  });

  it.each([
    { name: "an object more", other: [...list, kept("c")] },
    { name: "an object less", other: [kept("a")] },
    { name: "another uid", other: [kept("a"), kept("b", { live: { ...kept("b").live, uid: "new" } })] },
    { name: "another kind", other: [kept("a"), kept("b", { live: { ...kept("b").live, key: "Secret/default/b" } })] },
  ])("differs for $name", ({ other }) => {
    expect(heldDigest(other)).not.toBe(heldDigest(list));
    expect(heldDigest(other)).toMatch(/^v1:[0-9a-f]{32}$/);
  });

  it("is none where nothing can be confirmed", () => {
    expect(heldDigest([])).toBeUndefined();
    expect(heldDigest([kept("a", { isConfirmable: false })])).toBeUndefined();
  });
});

describe("heldReport", () => {
  it("lists what can be confirmed first, with its uid and reason", () => {
    const report = heldReport([kept("stays", { isConfirmable: false, reason: "in use" }), kept("a")]);

    expect(
      report.objects.map(({ object, uid, reason, confirmable }) => [object.name, uid, reason, confirmable]),
    ).toEqual([
      ["a", "uid-a", "because", true],
      ["stays", "uid-stays", "in use", false],
    ]);
    expect(report.digest).toBe(heldDigest([kept("a")]));
  });

  it("has no digest where nothing can be confirmed", () => {
    expect(heldReport([kept("stays", { isConfirmable: false })])).not.toHaveProperty("digest");
  });

  it("shows 500 and covers all", () => {
    const many = Array.from({ length: 600 }, (_, at) => kept(`c${at}`));
    const report = heldReport(many);

    expect(report.objects).toHaveLength(500);
    expect(report.digest).not.toBe(heldDigest(many.slice(0, 500)));
  });
});
