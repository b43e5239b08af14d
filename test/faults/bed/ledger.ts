import { expect } from "vitest";
import type { AuditedRequest, ControlPlane, User } from "../../control-plane/index.ts";

/** What the API server answered to one user's writes of ConfigMaps in one namespace. */
export interface Ledger {
  /** How often each was created (201), by name. */
  readonly created: ReadonlyMap<string, number>;
  /** Names that a DELETE was sent for. */
  readonly deleted: readonly string[];
  readonly writes: readonly AuditedRequest[];
}

/** Reads the audit log. */
export async function ledgerOf(
  plane: ControlPlane,
  of: { readonly user?: User; readonly namespace: string },
): Promise<Ledger> {
  const { user = "keelson", namespace } = of;
  const requests = (await plane.requests({ user })).filter(
    (each) => each.resource === "configmaps" && each.namespace === namespace && each.userAgent === "keelson",
  );
  const writes = requests.filter(({ verb }) => verb !== "get" && verb !== "list" && verb !== "watch");
  const created = new Map<string, number>();
  for (const { code, name } of writes) if (code === 201) created.set(name, (created.get(name) ?? 0) + 1);
  return { created, deleted: writes.filter(({ verb }) => verb === "delete").map(({ name }) => name), writes };
}

/**
 * Fails where something was deleted, or created twice. Not every creation shows: the API server answers a client that is
 * gone with no 201, and its own log ends where it is killed.
 */
export function expectEachOnce({ created, deleted }: Ledger, count: number): void {
  expect(deleted).toEqual([]);
  expect([...created].filter(([, times]) => times !== 1)).toEqual([]);
  expect(created.size).toBeGreaterThan(count * 0.8);
}
