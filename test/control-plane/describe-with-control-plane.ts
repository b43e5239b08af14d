import { afterAll, beforeAll, describe, it } from "vitest";
import { findBinaries } from "./binaries.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import { TestBedError } from "./errors.ts";

/** Gives the suite's plane; only within hooks and tests, not while tests are being declared. */
export type GetControlPlane = () => ControlPlane;

/**
 * A `describe` whose tests share one control plane, started before them and stopped after them; logs stay in
 * test-logs/<name> where one of them failed.
 *
 * Where the control plane cannot be built (no Go) the suite is skipped, loudly; with CI=true that is a failure. Where
 * it merely has not been built, the suite fails and says which command builds it.
 */
export function describeWithControlPlane(
  name: string,
  declare: (plane: GetControlPlane) => void,
  options: ControlPlaneOptions = {},
): void {
  const availability = findBinaries();
  if (availability.kind === "impossible" && process.env.CI !== "true") {
    process.stderr.write(`\n*** SKIPPED for want of a control plane: ${name}: ${availability.why} ***\n\n`);
    describe.skip(`${name} (skipped: ${availability.why})`, () => declare(refuse));
    return;
  }
  if (availability.kind !== "ready") {
    describe(name, () => {
      it("has a control plane to run on", () => {
        throw new TestBedError(availability.why);
      });
    });
    return;
  }
  describe(name, () => {
    let plane: ControlPlane | undefined;
    beforeAll(async () => {
      plane = await startControlPlane({ suite: folderName(name), ...options });
    });
    // biome-ignore lint/correctness/noEmptyPattern: vitest takes the first parameter's pattern for a list of fixtures
    afterAll(async ({}, suite) => {
      await plane?.stop({ keepLogs: hasFailure(suite.tasks) });
    });
    declare(() => plane ?? refuse());
  });
}

function refuse(): never {
  throw new TestBedError("the control plane is there within hooks and tests only");
}

interface Task {
  readonly result?: { readonly state?: string } | undefined;
  readonly tasks?: readonly Task[];
}

function hasFailure(tasks: readonly Task[]): boolean {
  return tasks.some(({ result, tasks: inner = [] }) => result?.state === "fail" || hasFailure(inner));
}

function folderName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
