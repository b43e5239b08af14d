import { describe, expect, it } from "vitest";
import { parseActionOrder, parseActionRequest } from "./action-body.ts";
import type { ActionRequest } from "./types.ts";

const requests: readonly ActionRequest[] = [
  { kind: "rollback", revision: 7 },
  { kind: "rollback", revision: 7, reason: "the new image crashes" },
  { kind: "resume" },
  { kind: "pause", target: { kind: "object", key: "ConfigMap/kube-system/a" }, forMs: 60_000 },
  { kind: "pause", target: { kind: "file", file: "dns.yaml" }, forMs: 60_000, reason: "r" },
  { kind: "unpause", target: { kind: "file", file: "dns.yaml" } },
  { kind: "confirm-prune", digest: "v1:abc" },
];

describe("parseActionRequest", () => {
  it.each(requests)("reads %j", (request) => {
    expect(parseActionRequest({ ...request, stray: true })).toEqual(request);
  });

  it.each([
    [undefined],
    ["rollback"],
    [[]],
    [{ kind: "drop-everything" }],
    [{ kind: "rollback" }],
    [{ kind: "rollback", revision: "7" }],
    [{ kind: "rollback", revision: -1 }],
    [{ kind: "rollback", revision: 1.5 }],
    [{ kind: "pause", target: { kind: "object", key: "" }, forMs: 60_000 }],
    [{ kind: "pause", target: { kind: "file", file: "a" }, forMs: 0 }],
    [{ kind: "pause", target: { kind: "file", file: "a" }, forMs: Number.POSITIVE_INFINITY }],
    [{ kind: "pause", target: { kind: "everything" }, forMs: 60_000 }],
    [{ kind: "unpause" }],
    [{ kind: "confirm-prune", digest: "x".repeat(2000) }],
  ])("refuses %j", (body) => {
    expect(parseActionRequest(body)).toBeUndefined();
  });
});

describe("parseActionOrder", () => {
  const order = { request: { kind: "rollback", revision: 7 }, digest: "v1:plan" };

  it("takes an order of the action that the path names", () => {
    expect(parseActionOrder("rollback", order)).toEqual(order);
  });

  it("refuses an order of another action: the right to one is not the right to all", () => {
    expect(parseActionOrder("pause", order)).toBeUndefined();
  });

  it("refuses an order without the digest of what was shown", () => {
    expect(parseActionOrder("rollback", { request: order.request })).toBeUndefined();
  });
});
