import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually, repositoryRoot, TestBedError } from "../control-plane/index.ts";
import { configMap, configMapPath, file, fresh, PATIENT, type ProcessOptions } from "./bed/index.ts";
import type { LocalBed } from "./directory.case.ts";

const DAY_MS = 86_400_000;

/** The machine under the daemon: its disk, its clock, who reads its output. */
export function machineCases({ admin, start }: LocalBed): void {
  it.concurrent.for<readonly [string, Partial<ProcessOptions>]>([
    ["a full disk under its log file", { args: ["--log-file", "/dev/full"] }],
    ["a full disk behind its stdout", { outputPath: "/dev/full" }],
    ["a state directory that cannot be made", { args: ["--state-dir", "/proc/keelson/state"] }],
  ])("goes on with %s", async ([what, options], context) => {
    const set = fresh(what.replaceAll(/\W+/g, "-"));
    const keelson = start(context, { set, files: { "a.yaml": file(configMap(`${set}-a`)) }, ...options });
    await keelson.converged(admin(), 1);

    await admin().delete(configMapPath(`${set}-a`));
    await eventually("it is made again", () => admin().get(configMapPath(`${set}-a`)), PATIENT);

    expect(keelson.isRunning).toBe(true);
    expect(await keelson.end()).toEqual({ code: 0, signal: null });
  });

  it.concurrent("goes on through jumps of the wall clock, and holds its Lease", async (context) => {
    const set = fresh("jump");
    const clockFile = join(repositoryRoot, "test-logs", `clock-${set}`);
    writeFileSync(clockFile, "0");
    context.onTestFinished(() => rmSync(clockFile));
    const preload = join(repositoryRoot, "test/faults/preload/time.cjs");
    const env = {
      NODE_OPTIONS: `--require=${preload}`,
      KEELSON_TEST_CLOCK_FILE: clockFile,
      ADDON_MANAGER_LEADER_ELECTION: "lease",
    };
    const keelson = start(context, { set, files: { "a.yaml": file(configMap(`${set}-a`)) }, env });
    await keelson.converged(admin(), 1);
    const lease = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/keelson-addon-${set}`;

    for (const offset of [DAY_MS, -DAY_MS, 0]) {
      writeFileSync(clockFile, String(offset));
      // It lives in the new time: its next renewal is stamped with it.
      await eventually(
        `the Lease is renewed at an offset of ${offset} ms`,
        async () => Math.abs(Date.parse((await admin().find(lease)).spec.renewTime) - Date.now() - offset) < DAY_MS / 2,
        PATIENT,
      );
      keelson.write("a.yaml", file(configMap(`${set}-a`, `at ${offset}`)));
      await eventually("a change is applied", async () => (await value(set)) === `at ${offset}`, PATIENT);
      await admin().patch(configMapPath(`${set}-a`), { data: { a: "drift" } });
      await eventually("drift is repaired", async () => (await value(set)) === `at ${offset}`, PATIENT);
    }

    expect(keelson.said(/Elected leader/)).toBe(1);
    expect(keelson.log()).not.toMatch(/No longer the leader|^ERR/m);
  });

  it.concurrent("is not alive any more once its reader waits for a timer that never rings", async (context) => {
    const set = fresh("deaf");
    const deafFile = join(repositoryRoot, "test-logs", `deaf-${set}`);
    context.onTestFinished(() => rmSync(deafFile, { force: true }));
    const env = {
      NODE_OPTIONS: `--require=${join(repositoryRoot, "test/faults/preload/time.cjs")}`,
      // Minutes become seconds, for everything alike.
      KEELSON_TEST_SPEED: "30",
      KEELSON_TEST_DEAF_FILE: deafFile,
      TEST_ADDON_CHECK_INTERVAL_SEC: "60",
    };
    const keelson = start(context, { set, files: { "a.yaml": file(configMap(`${set}-a`)) }, env });
    await keelson.converged(admin(), 1);
    expect(await keelson.health("/livez")).toMatchObject({
      status: 200,
      body: expect.stringContaining("[+]source ok"),
    });

    writeFileSync(deafFile, "");

    const stuck = await eventually(
      "it says that it is stuck",
      async () => {
        const answer = await keelson.health("/livez");
        if (answer.status !== 503) throw new TestBedError(`${answer.status} ${answer.body}`);
        return answer.body;
      },
      PATIENT,
    );
    expect(stuck).toMatch(/^\[-\]\w+ failed: .*for too long$/m);
    await keelson.says(/^ERR: == The loop source is stuck: waiting for changes, for too long/);
    // Everything else of it answers: without the watchdog nobody would know.
    expect((await keelson.health("/readyz")).body).toContain("[+]source ok");
  });

  async function value(set: string): Promise<string | undefined> {
    return (await admin().get(configMapPath(`${set}-a`)))?.data?.a;
  }
}
