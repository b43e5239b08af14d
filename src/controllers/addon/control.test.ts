import { describe, expect, it } from "vitest";
import { confirmedDigest, NOTHING_SAID, parseControl, staleConfirmation } from "./control.ts";

const own = (data: Record<string, string>, writers: Record<string, string> = {}) => ({
  data,
  annotations: {},
  resourceVersion: "1",
  writers: new Map(Object.entries(writers)),
});

describe("parseControl", () => {
  it("reads a confirmation", () => {
    const text = '{"digest":"v1:ab","at":"2030-01-01T00:00:00.000Z"}';

    expect(parseControl(own({ "prune-confirm.json": text }))).toEqual({
      ...NOTHING_SAID,
      confirmation: { digest: "v1:ab", at: Date.UTC(2030, 0, 1), by: "unknown" },
    });
  });

  it("finds nothing in a ConfigMap without one, whatever else is in it", () => {
    expect(parseControl(own({ other: "{" }))).toEqual(NOTHING_SAID);
  });

  it.each([
    { name: "no JSON", text: "{" },
    { name: "no object", text: "[]" },
    { name: "no digest", text: "{}" },
    { name: "a digest that is no text", text: '{"digest":1,"at":"2030-01-01T00:00:00Z"}' },
    { name: "no time", text: '{"digest":"v1:ab"}' },
    { name: "a time that is none", text: '{"digest":"v1:ab","at":"soon"}' },
  ])("confirms nothing by $name, and says so", ({ text }) => {
    const { confirmation, faults } = parseControl(own({ "prune-confirm.json": text }));

    expect(confirmation).toBeUndefined();
    expect(faults).toHaveLength(1);
  });
});

describe("parseControl, of holds and pauses", () => {
  const at = "2030-01-01T00:00:00.000Z";
  const time = Date.UTC(2030, 0, 1);

  it("reads who rolled back to which revision, when and why", () => {
    const text = JSON.stringify({ revision: 7, by: "alice", at, reason: "broken" });

    expect(parseControl(own({ "hold.json": text })).hold).toEqual({
      revision: 7,
      by: "alice",
      at: time,
      reason: "broken",
    });
  });

  it("takes the field manager for who asked where the text does not say", () => {
    const control = parseControl(own({ "hold.json": '{"revision":7}' }, { "hold.json": "kubectl-edit" }));

    expect(control.hold).toEqual({ revision: 7, by: "kubectl-edit", at: 0, reason: undefined });
  });

  it("reads pauses of objects and of files", () => {
    const ref = { group: "apps", kind: "Deployment", namespace: "kube-system", name: "dns" };
    const said = { by: "bob", at, until: "2030-01-01T02:00:00.000Z" };
    const data = {
      "pause.1.json": JSON.stringify({ ...said, object: ref }),
      "pause.2.json": JSON.stringify({ ...said, file: "dns.yaml" }),
    };

    expect(parseControl(own(data)).pauses).toEqual([
      { target: { kind: "object", ref }, until: time + 7_200_000, by: "bob", at: time, reason: undefined },
      { target: { kind: "file", file: "dns.yaml" }, until: time + 7_200_000, by: "bob", at: time, reason: undefined },
    ]);
  });

  it.each([
    { key: "hold.json", text: '{"revision":"7"}' },
    { key: "hold.json", text: '{"revision":0}' },
    { key: "pause.1.json", text: '{"file":"dns.yaml"}' },
    { key: "pause.1.json", text: '{"until":"2030-01-01T00:00:00Z","object":{"kind":"ConfigMap"}}' },
  ])("says what is wrong with $key = $text, and follows the rest", ({ key, text }) => {
    const control = parseControl(own({ [key]: text, "resume.json": `{"by":"carol","at":"${at}"}` }));

    expect(control).toEqual({
      ...NOTHING_SAID,
      resumed: { by: "carol", at: time },
      faults: [expect.stringContaining(key)],
    });
  });
});

describe("confirmedDigest", () => {
  const control = { ...NOTHING_SAID, confirmation: { digest: "v1:ab", at: 1_000, by: "alice" } };

  it.each([
    { name: "at once", now: 1_000, digest: "v1:ab" },
    { name: "by a clock that is behind", now: 0, digest: "v1:ab" },
    { name: "within the hour", now: 3_600_999, digest: "v1:ab" },
    { name: "not after an hour", now: 3_601_000, digest: undefined },
  ])("counts $name", ({ now, digest }) => {
    expect(confirmedDigest(control, now)).toBe(digest);
  });

  it("is none without a confirmation", () => {
    expect(confirmedDigest(NOTHING_SAID, 0)).toBeUndefined();
  });
});

describe("staleConfirmation", () => {
  it.each([
    { current: "v1:new", text: /the held list is v1:new now/ },
    { current: undefined, text: /nothing is held/ },
  ])("refuses, and says how the list is now ($current)", ({ current, text }) => {
    const error = staleConfirmation("v1:old", current);

    expect(error.code).toBe("Refused");
    expect(error.message).toMatch(text);
  });
});
