import { describe, expect, test } from "vitest";
import type { KubeObject, ManagedFieldsEntry } from "../types.ts";
import { LAST_APPLIED_ANNOTATION } from "../well-known.ts";
import { ownsField } from "./entry.ts";
import { dropUpdateEntry, migrateApiVersion, promoteUpdateEntry, takeApplyEntry, takeOver } from "./migrate.ts";

const data = (...keys: readonly string[]) => ({
  "f:data": Object.fromEntries([".", ...keys.map((key) => `f:${key}`)].map((step) => [step, {}])),
});

function entry(manager: string, fieldsV1: object, more: ManagedFieldsEntry = {}): ManagedFieldsEntry {
  return {
    manager,
    operation: "Update",
    apiVersion: "v1",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { ...fieldsV1 },
    ...more,
  };
}

function live(...managedFields: readonly ManagedFieldsEntry[]): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", resourceVersion: "7", managedFields } };
}

const lastApplied = { "f:metadata": { "f:annotations": { [`f:${LAST_APPLIED_ANNOTATION}`]: {} } } };
const ours = (fieldsV1: object) => entry("keelson", fieldsV1, { operation: "Apply" });

describe("takeOver", () => {
  test("turns the most recent client-side entry into ours", () => {
    const old = entry("kubectl-create", data("old"), { time: "2020-01-01T00:00:00Z" });
    const recent = entry("kubectl-client-side-apply", { ...data("a"), ...lastApplied });

    const { patch, managedFields = [], orphaned } = takeOver(live(old, recent), { manager: "keelson" }) ?? {};

    expect(managedFields).toEqual([
      { ...recent, manager: "keelson", operation: "Apply", fieldsV1: { ...data("a", "old"), ...lastApplied } },
    ]);
    expect(orphaned).toEqual({});
    expect(patch).toEqual([
      { op: "replace", path: "/metadata/resourceVersion", value: "7" },
      { op: "replace", path: "/metadata/managedFields", value: managedFields },
    ]);
  });

  test("keeps every field of three generations of clients removable (before-first-apply, 1.14, 1.19)", () => {
    const entries = [
      entry("before-first-apply", data("one", "two")),
      entry("kubectl-client-side-apply", data("two", "three")),
      ours(data("three")),
    ];

    const { managedFields = [] } = takeOver(live(...entries), { manager: "keelson" }) ?? {};

    expect(managedFields).toHaveLength(1);
    for (const key of ["one", "two", "three"]) expect(ownsField(managedFields[0], ["data", key])).toBe(true);
  });

  test("takes over whoever wrote the last-applied annotation, and nobody by a part of the name", () => {
    const writer = entry("some-tool", lastApplied);
    const user = entry("kubectl-edit", data("mine"));

    const { managedFields = [] } = takeOver(live(writer, user), { manager: "keelson" }) ?? {};

    expect(managedFields.map(({ manager }) => manager)).toEqual(["keelson", "kubectl-edit"]);
    expect(takeOver(live(user), { manager: "keelson" })).toBeUndefined();
  });

  test("of another version only merges the metadata, and says what is left", () => {
    const other = entry("kubectl", { ...data("a"), "f:metadata": { "f:labels": { "f:x": {} } } }, { apiVersion: "v2" });

    const { managedFields = [], orphaned } = takeOver(live(ours(data("b")), other), { manager: "keelson" }) ?? {};

    expect(managedFields[0]?.fieldsV1).toEqual({ ...data("b"), "f:metadata": { "f:labels": { "f:x": {} } } });
    expect(orphaned).toEqual(other.fieldsV1);
  });

  test("leaves subresources, appliers and others alone", () => {
    const status = entry("kubectl", {}, { subresource: "status" });
    const applier = entry("kubectl", data("x"), { operation: "Apply" });
    const controller = entry("controller", data("y"));

    expect(takeOver(live(status, applier, controller, ours({})), { manager: "keelson" })).toBeUndefined();
    expect(takeOver(live(), { manager: "keelson" })).toBeUndefined();
  });

  test("takes the names that it is told", () => {
    const helm = entry("helm", data("a"));

    expect(takeOver(live(helm), { manager: "keelson", clientSideManagers: [] })).toBeUndefined();
    expect(takeOver(live(helm), { manager: "keelson", clientSideManagers: ["helm"] })?.managedFields).toHaveLength(1);
  });
});

describe("promoteUpdateEntry", () => {
  test("makes what we created ours to apply", () => {
    const posted = entry("keelson", data("a"));
    const other = entry("kubectl-create", data("b"));

    expect(promoteUpdateEntry(live(posted, other), "keelson")?.managedFields).toEqual([
      { ...posted, operation: "Apply" },
      other,
    ]);
    expect(promoteUpdateEntry(live(other), "keelson")).toBeUndefined();
  });
});

describe("dropUpdateEntry", () => {
  test("drops our Update entry and no other", () => {
    const status = entry("keelson", {}, { subresource: "status" });
    const applied = ours(data("a"));

    expect(dropUpdateEntry(live(applied, entry("keelson", data("a")), status), "keelson")?.managedFields).toEqual([
      applied,
      status,
    ]);
    expect(dropUpdateEntry(live(applied), "keelson")).toBeUndefined();
  });

  test("never leaves an object without entries", () => {
    expect(dropUpdateEntry(live(entry("keelson", {})), "keelson")).toBeUndefined();
  });
});

describe("migrateApiVersion", () => {
  test("moves everybody's entries to the version that was read, and merges those that become alike", () => {
    const old = entry("keelson", data("old"), { operation: "Apply", apiVersion: "v1alpha1" });
    const label = entry("kubectl-label", data("x"), { apiVersion: "v1alpha1" });
    const recent = { ...ours(data("new")), time: "2026-05-05T00:00:00Z" };

    expect(migrateApiVersion(live(old, label, recent))?.managedFields).toEqual([
      { ...recent, fieldsV1: data("old", "new") },
      { ...label, apiVersion: "v1" },
    ]);
  });

  test("has nothing to do where all are of that version", () => {
    expect(migrateApiVersion(live(ours({}), entry("x", {})))).toBeUndefined();
  });
});

test("a live object without resourceVersion cannot be patched", () => {
  const { resourceVersion: _, ...metadata } = live(entry("keelson", {})).metadata;

  expect(() => promoteUpdateEntry({ ...live(), metadata }, "keelson")).toThrow("guarded patch");
});

describe("takeApplyEntry", () => {
  const applied = (manager: string, ...keys: readonly string[]) =>
    entry(manager, data(...keys), { operation: "Apply" });
  const from = { manager: "keelson", from: "kubectl" };

  test("turns another applier's entry into ours, with all that it owns", () => {
    const { managedFields } = takeApplyEntry(live(applied("kubectl", "a"), entry("x", data("b"))), from) ?? {};

    expect(managedFields).toEqual([applied("keelson", "a"), entry("x", data("b"))]);
  });

  test("merges it into ours where there is one", () => {
    const { managedFields } = takeApplyEntry(live(applied("kubectl", "a"), applied("keelson", "b")), from) ?? {};

    expect(managedFields).toEqual([applied("keelson", "b", "a")]);
  });

  test("leaves what the same manager wrote by other ways", () => {
    expect(takeApplyEntry(live(entry("kubectl", data("a")), applied("helm", "a")), from)).toBeUndefined();
  });
});
