import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually, type FaultAction, repositoryRoot } from "../control-plane/index.ts";
import type { ProxiedBed } from "./answers.case.ts";
import { configMap, configMapPath, file, fresh, PATIENT, uidsOf } from "./bed/index.ts";

const GONE = {
  type: "ERROR",
  object: { kind: "Status", apiVersion: "v1", status: "Failure", code: 410, reason: "Expired", message: "too old" },
};

/** What a watch of ConfigMaps may run into when it is opened again. */
const OBSTACLES: Readonly<Record<string, FaultAction>> = {
  "410 as an event (the history was compacted)": { kind: "respond", status: 200, body: `${JSON.stringify(GONE)}\n` },
  "410 as a status": { kind: "respond", status: 410 },
  "429": { kind: "respond", status: 429, headers: { "retry-after": "1" } },
  "500": { kind: "respond", status: 500 },
  "a refused credential": { kind: "respond", status: 401 },
  "cut connections": { kind: "cut", when: "before" },
  "events cut off in the middle": { kind: "truncate", bytes: 120 },
  "an event that is no JSON": { kind: "respond", status: 200, body: "<html>who are you?</html>\n" },
  "a stream that ends at once": { kind: "respond", status: 200, body: "" },
  "no answer": { kind: "hang", when: "before" },
};

/** Of the two watches by label; those of single objects name a namespace. */
const WATCH = { path: /^\/api\/v1\/configmaps$/, query: /(^|&)watch=true(&|$)/ };

/** Watches that are cut, refused or silent: what happened meanwhile is found out. */
export function watchCases({ admin, proxy, start }: ProxiedBed): void {
  it.concurrent("repairs at once after all watches were cut, and after all were ended", async (context) => {
    const set = fresh("cut");
    const through = await proxy();
    const keelson = start(context, through, { set, files: { "a.yaml": file(configMap(set)) } });
    await keelson.converged(admin(), 1);

    for (const value of ["cut", "ended"]) {
      const open = value === "cut" ? through.cutWatches() : through.endWatches();
      expect(open).toBeGreaterThan(4);
      await admin().patch(configMapPath(set), { data: { a: value } });
      await eventually(`repaired after the watches were ${value}`, () => isAsDeclared(set), PATIENT);
    }

    expect(keelson.isRunning).toBe(true);
  });

  it.concurrent.for(Object.keys(OBSTACLES))(
    "finds what was changed, deleted and added while its watch met %s",
    async (obstacle, context) => {
      const set = fresh("obstacle");
      const through = await proxy();
      const names = [`${set}-changed`, `${set}-deleted`, `${set}-left`];
      const files = {
        "a.yaml": file(...names.slice(0, 2).map((name) => configMap(name))),
        "b.yaml": file(configMap(`${set}-left`)),
      };
      const keelson = start(context, through, { set, files, kubectlOptions: "--request-timeout=2s" });
      await keelson.converged(admin(), 3);
      const before = await uidsOf(admin(), [configMapPath(`${set}-deleted`)]);

      const fault = through.addFault(WATCH, OBSTACLES[obstacle]!);
      through.cutWatches();
      await admin().patch(configMapPath(`${set}-changed`), { data: { a: "drift" } });
      await admin().delete(configMapPath(`${set}-deleted`));
      await eventually("its watch has met the obstacle twice", () => fault.hits >= 2, PATIENT);
      fault.remove();
      await eventually("drift is repaired", () => isAsDeclared(`${set}-changed`), PATIENT);
      await eventually("the deleted one is back", () => isAsDeclared(`${set}-deleted`), PATIENT);
      keelson.remove("b.yaml");
      await eventually("what left is pruned", async () => !(await admin().get(configMapPath(`${set}-left`))), PATIENT);

      expect(await uidsOf(admin(), Object.keys(before))).not.toEqual(before);
      await keelson.converged(admin(), 2);
    },
  );

  it.concurrent("notices that its watches are open and silent, also while they list, and goes on", async (context) => {
    const set = fresh("silent");
    const through = await proxy();
    const env = {
      NODE_OPTIONS: `--require=${join(repositoryRoot, "test/faults/preload/time.cjs")}`,
      KEELSON_TEST_SPEED: "20",
    };
    const stalled = through.addFault(
      { ...WATCH, query: /watch=true.*sendInitialEvents=true/, times: 2 },
      { kind: "stall", bytes: 0 },
    );
    const files = { "a.yaml": file(configMap(`${set}-a`)) };
    // Ten seconds of ours: what is to run out is the patience with silence, not that with a busy machine.
    const keelson = start(context, through, { set, files, env, kubectlOptions: "--request-timeout=200s" });
    await keelson.converged(admin(), 1);
    expect(stalled.hits).toBeGreaterThan(0);

    const again = through.addFault({ ...WATCH, times: 2 }, { kind: "stall", bytes: 0 });
    through.cutWatches();
    await eventually("its watches are silent", () => again.hits === 2, PATIENT);
    await admin().patch(configMapPath(`${set}-a`), { data: { a: "drift" } });
    await eventually("drift is repaired all the same", () => isAsDeclared(`${set}-a`), PATIENT);

    // Not by the self-check, which would find it some time.
    expect(keelson.log()).not.toMatch(/self-check/);
    expect(keelson.isRunning).toBe(true);
  });

  async function isAsDeclared(name: string): Promise<boolean> {
    return (await admin().get(configMapPath(name)))?.data?.a === "1";
  }
}
