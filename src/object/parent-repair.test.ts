import { describe, expect, it } from "vitest";
import { deployment, liveOf, withValue } from "./managed-fields/samples.case.ts";
import { ParentRepair } from "./parent-repair.ts";

const env = "spec.template.spec.containers[0].env[1].valueFrom";
const other = "spec.template.spec.containers[7].env[0].valueFrom";
const live = withValue(liveOf(deployment()), ["spec", "template", "spec", "containers", 0, "env", 1], {
  name: "B",
  valueFrom: { fieldRef: { fieldPath: "x" } },
});

function nextPath(repair: ParentRepair): string {
  return repair.next(live) === undefined ? "" : repair.paths;
}

describe("ParentRepair", () => {
  it("offers the same patch until the server has judged it", () => {
    const repair = new ParentRepair(deployment(), [{ field: env }]);

    expect([nextPath(repair), nextPath(repair)]).toEqual(Array(2).fill("/spec/template/spec/containers/0/env/1"));
  });

  it("goes on to wider ones, whoever is refused for the same field at whatever index", () => {
    const repair = new ParentRepair(deployment(), [{ field: env }]);
    nextPath(repair);

    repair.patchRefused([]);
    expect(nextPath(repair)).toBe("/spec/template/spec/containers/0/env");
    repair.applyRefused([{ field: other }]);

    expect(nextPath(repair)).toBe("/spec/template/spec/containers/0");
  });

  it.each([[{ field: "spec.strategy.type" }], [{}]])(
    "ends where an apply is refused for something else: %o",
    (cause) => {
      const repair = new ParentRepair(deployment(), [{ field: env }]);
      nextPath(repair);

      repair.applyRefused([cause]);

      expect(repair.next(live)).toBeUndefined();
    },
  );

  it("ends after six", () => {
    const repair = new ParentRepair(deployment(), [{ field: env }]);
    const paths = Array.from({ length: 7 }, () => {
      const path = nextPath(repair);
      repair.patchRefused([]);
      return path;
    });

    expect(paths.slice(-2)).toEqual(["/spec/template", ""]);
  });
});
