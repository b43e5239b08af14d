import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { EngineState } from "../../converge/index.ts";
import { decodeState, encodeState } from "./state.ts";

const state: EngineState = {
  missing: {
    broken: ["a.yaml@1"],
    wasEmpty: false,
    missing: [{ key: "ConfigMap/default/ä", knownBroken: ["b.yaml@2"], sinceEmpty: true }],
  },
  kinds: ["Deployment.apps"],
  confirmed: ["uid-1"],
};

const packed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");

describe("the state of the engine as text", () => {
  it("comes back as it was", () => {
    expect(decodeState(encodeState(state))).toEqual(state);
  });

  it("is the same text for the same state", () => {
    expect(encodeState(structuredClone(state))).toBe(encodeState(state));
  });

  it("stays far below the limit of a ConfigMap with 20,000 held objects", () => {
    const missing = Array.from({ length: 20_000 }, (_, at) => ({
      key: `Deployment.apps/kube-system/some-rather-long-name-${at}`,
      knownBroken: ["broken.yaml@0123456789abcdef0123456789abcdef"],
      sinceEmpty: true,
    }));

    expect(encodeState({ ...state, missing: { ...state.missing, missing } }).length).toBeLessThan(400_000);
  });

  it.each([
    { name: "nothing", text: undefined },
    { name: "an empty text", text: "" },
    { name: "no base64", text: "***" },
    { name: "no gzip", text: Buffer.from("plain").toString("base64") },
    { name: "half of it", text: encodeState(state).slice(0, 40) },
    { name: "no JSON", text: gzipSync("{").toString("base64") },
    { name: "another shape", text: packed([]) },
    { name: "a missing part", text: packed({ ...state, kinds: undefined }) },
    { name: "kinds that are no texts", text: packed({ ...state, kinds: [1] }) },
    { name: "confirmed that is no list", text: packed({ ...state, confirmed: "uid" }) },
    { name: "no wasEmpty", text: packed({ ...state, missing: { broken: [], missing: [] } }) },
    {
      name: "a hold without its flag",
      text: packed({ ...state, missing: { ...state.missing, missing: [{ key: "a", knownBroken: [] }] } }),
    },
  ])("is unknown where it is $name", ({ text }) => {
    expect(decodeState(text)).toBeUndefined();
  });

  it("ignores parts that a later version may add", () => {
    expect(decodeState(packed({ ...state, later: 1 }))).toMatchObject(state);
  });

  it("does not unpack more than it could have written", () => {
    const bomb = gzipSync(Buffer.alloc(65 << 20)).toString("base64");

    expect(decodeState(bomb)).toBeUndefined();
  });
});
