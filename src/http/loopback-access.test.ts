import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { AccessControl, Permit } from "./access.ts";
import { LoopbackAccess } from "./loopback-access.ts";
import type { RouteMethod } from "./route.ts";

const alice: Permit = { kind: "granted", identity: { name: "alice" }, isAllowed: () => Promise.resolve(true) };
const refusal = (status: number): Permit => ({ kind: "refused", reply: { status, body: "" } });

function ask(reviewed: Permit, method: RouteMethod, token?: string): Promise<Permit> {
  const request = new IncomingMessage(new Socket());
  if (token !== undefined) request.headers.authorization = `Bearer ${token}`;
  const reviews: AccessControl = { anyone: { name: "" }, permit: () => Promise.resolve(reviewed) };
  return new LoopbackAccess(reviews).permit(request, { method, path: "/api/v1/overview" });
}

describe("LoopbackAccess", () => {
  it("lets everyone read, and act nobody without a token", async () => {
    const permit = await ask(refusal(401), "GET");

    expect(permit).toMatchObject({ kind: "granted", identity: { name: "local" } });
    if (permit.kind !== "granted") return;
    expect(await permit.isAllowed("GET", "/metrics")).toBe(true);
    expect(await permit.isAllowed("POST", "/api/v1/actions/rollback")).toBe(false);
    expect(await ask(refusal(401), "POST")).toEqual(refusal(401));
  });

  it("knows who has a token", async () => {
    expect(await ask(alice, "GET", "good")).toBe(alice);
    expect(await ask(alice, "POST", "good")).toBe(alice);
  });

  it("says that a token is wrong", async () => {
    expect(await ask(refusal(401), "GET", "wrong")).toEqual(refusal(401));
  });

  it("lets read who has no right to it elsewhere, and not act", async () => {
    expect(await ask(refusal(403), "GET", "poor")).toMatchObject({ identity: { name: "local" } });
    expect(await ask(refusal(403), "POST", "poor")).toEqual(refusal(403));
  });
});
