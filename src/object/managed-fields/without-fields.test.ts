import { describe, expect, test } from "vitest";
import { unionFields } from "./fields.ts";
import { appliedEntry, appliedSet, deployment, foreignEntry, liveOf } from "./samples.case.ts";
import { restoreOwnershipPatch, withoutFields } from "./without-fields.ts";

const extra = { "f:spec": { "f:paused": {}, "f:strategy": { ".": {}, "f:x": {} } } };

describe("withoutFields", () => {
  test("takes out what is taken, and nodes that are left with nothing", () => {
    expect(withoutFields(appliedSet(deployment()), appliedSet(deployment()))).toEqual({});
    expect(withoutFields(unionFields(appliedSet(deployment()), extra), appliedSet(deployment()))).toEqual(extra);
  });
});

describe("restoreOwnershipPatch", () => {
  const wiped = (fieldsV1: object) =>
    liveOf(deployment(), { others: [foreignEntry("before-first-apply", { ...fieldsV1 })] });

  test("leaves before-first-apply what is not ours", () => {
    const patch = restoreOwnershipPatch(wiped(unionFields(appliedSet(deployment()), extra)), "keelson");

    expect(patch?.[1]).toMatchObject({ value: [appliedEntry(deployment()), { fieldsV1: extra }] });
  });

  test("drops its entry where all is ours", () => {
    expect(restoreOwnershipPatch(wiped(appliedSet(deployment())), "keelson")?.[1]).toMatchObject({
      value: [appliedEntry(deployment())],
    });
  });

  test("has nothing to do without such an entry, or without ours", () => {
    expect(restoreOwnershipPatch(liveOf(deployment()), "keelson")).toBeUndefined();
    expect(restoreOwnershipPatch(wiped({}), "other")).toBeUndefined();
  });
});
