import { expect } from "vitest";
import type { Admin } from "./admin.ts";

/** The uids of these objects, by path: one that was deleted and made anew has another one. */
export async function uidsOf(admin: Admin, paths: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const found = await Promise.all(paths.map(async (path) => [path, (await admin.find(path)).metadata.uid] as const));
  return Object.fromEntries(found);
}

/** Fails where one of them has gone since, or is another one now. */
export async function expectSurvival(admin: Admin, before: Readonly<Record<string, string>>): Promise<void> {
  expect(await uidsOf(admin, Object.keys(before))).toEqual(before);
}
