import { describe, expect, test } from "vitest";
import { RecordStore } from "./record-store.ts";

const a = { namespace: "n", name: "a" };
const b = { namespace: "", name: "b" };
const stored = (resourceVersion: string) => ({ uid: "u", resourceVersion, record: resourceVersion });

describe("RecordStore", () => {
  test("returns what a list did not show, and forgets it", () => {
    const store = new RecordStore<string>();
    store.beginList();
    store.set(a, stored("1"));
    store.set(b, stored("2"));
    store.endList();

    store.beginList();
    store.confirm(a, { uid: "u", resourceVersion: "1" });
    const gone = store.endList();

    expect(gone).toEqual([[b, expect.objectContaining({ record: "2" })]]);
    expect([...store.entries()]).toEqual([[a, "1"]]);
  });

  test("keeps everything when a list is broken off and begun anew", () => {
    const store = new RecordStore<string>();
    store.beginList();
    store.set(a, stored("1"));
    store.set(b, stored("2"));
    store.endList();
    store.beginList();
    store.confirm(a, { uid: "u", resourceVersion: "1" });

    store.beginList();
    store.confirm(b, { uid: "u", resourceVersion: "2" });
    const gone = store.endList();

    expect(gone.map(([target]) => target)).toEqual([a]);
  });

  test("confirms only the very version that it holds", () => {
    const store = new RecordStore<string>();
    store.set(a, stored("1"));

    expect(store.confirm(a, { uid: "u", resourceVersion: "1" })).toBe(true);
    expect(store.confirm(a, { uid: "u", resourceVersion: "2" })).toBe(false);
    expect(store.confirm(a, { uid: "other", resourceVersion: "1" })).toBe(false);
    expect(store.confirm(b, { uid: "u", resourceVersion: "1" })).toBe(false);
  });
});
