import { describe, expect, it } from "vitest";
import type { RevisionDiff } from "../../http/index.ts";
import { previewResume, previewRollback } from "./previews.ts";

const name = (kind: string, of: string) => ({ group: "", kind, namespace: "default", name: of });
const diff: RevisionDiff = {
  from: 9,
  to: 7,
  objects: [
    { object: name("ConfigMap", "a"), change: "changed", changes: [{ path: "data.v", before: "2", after: "1" }] },
    { object: name("ConfigMap", "b"), change: "added", changes: [] },
    { object: name("Namespace", "c"), change: "removed", changes: [] },
  ],
  more: 2,
};

describe("previewRollback", () => {
  it("tells each object, and what goes with a deleted one", () => {
    const preview = previewRollback(diff, []);

    expect(preview.summary).toContain("revision 7 (5 objects differ)");
    expect(preview.steps.map(({ action, object }) => [action, object.name])).toEqual([
      ["apply", "a"],
      ["create", "b"],
      ["delete", "c"],
    ]);
    expect(preview.steps[0]?.changes).toEqual(diff.objects[0]?.changes);
    expect(preview.more).toBe(2);
    expect(preview.warnings.join(" ")).toContain("Everything in a deleted namespace");
    expect(preview.refused).toBeUndefined();
  });

  it("is refused where the old set cannot exist", () => {
    expect(previewRollback(diff, ["widgets.example.com/v1 Widget"]).refused).toContain("does not serve widgets");
  });
});

describe("previewResume", () => {
  it("tells what waits", () => {
    const objects = [{ action: "removed", object: name("ConfigMap", "a"), file: "a.yaml", line: 1 }] as const;
    const hold = { revision: 7, by: "alice", waiting: { added: 0, changed: 0, removed: 3, objects } };

    const preview = previewResume(hold);

    expect(preview.steps).toMatchObject([{ action: "delete", reason: "not in the directory" }]);
    expect(preview.more).toBe(2);
  });

  it("is refused where nothing is held", () => {
    expect(previewResume(undefined).refused).toBe("No revision is held.");
  });
});
