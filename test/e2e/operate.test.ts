import { describe } from "vitest";
import { describeWithControlPlane } from "../control-plane/index.ts";
import { applySetCases } from "./operate-bed/applyset.case.ts";
import { useBed } from "./operate-bed/bed.ts";
import { eventCases } from "./operate-bed/events.case.ts";
import { fsckCases } from "./operate-bed/fsck.case.ts";
import { planCases } from "./operate-bed/plan.case.ts";
import { statusCases } from "./operate-bed/status.case.ts";

// The built binary, as a person or a pipeline runs it, and kubectl as the other party.

describeWithControlPlane("operating a cluster with keelson", (plane) => {
  const bed = useBed(plane);
  describe("keelson plan and apply --plan", () => planCases(bed));
  describe("keelson plan --explain and fsck", () => fsckCases(bed));
  describe("Events", () => eventCases(bed));
  describe("ApplySets", () => applySetCases(bed));
  describe("keelson status and wait", () => statusCases(bed));
});
