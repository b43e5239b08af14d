import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import {
  describeWithControlPlane,
  eventually,
  type FaultAction,
  type FaultMatch,
  repositoryRoot,
} from "../control-plane/index.ts";
import { type Admin, adminOf, configMap, file, fresh, PATIENT, startKeelson } from "./bed/index.ts";

/** `make test-all` kills at each point twenty times. */
const RUNS = Number(process.env.KEELSON_CRASH_RUNS ?? "1");
const POST_SECRET = { method: "POST", path: /\/namespaces\/kube-system\/secrets$/ };

/** A point between apply, journal line and revision, and how the program is ended there. */
interface Point {
  readonly name: string;
  readonly kill:
    | { readonly kind: "request"; readonly match: FaultMatch; readonly action: FaultAction }
    | { readonly kind: "journal"; readonly at: "before" | "within" | "after" };
}

const at = (name: string, match: FaultMatch, when: "before" | "after"): Point => ({
  name,
  kill: { kind: "request", match, action: { kind: "hang", when } },
});

const POINTS: readonly Point[] = [
  at(
    "an apply that was carried out, whose answer never came",
    { method: "PATCH", path: /\/configmaps\/.*-b$/ },
    "after",
  ),
  { name: "the first journal line is due", kill: { kind: "journal", at: "before" } },
  { name: "half of the first journal line is written", kill: { kind: "journal", at: "within" } },
  { name: "the first journal line is written", kill: { kind: "journal", at: "after" } },
  at("all is applied, and nothing of the revision is stored", POST_SECRET, "before"),
  at("the objects of the revision are stored, but not itself", { ...POST_SECRET, nth: 2 }, "before"),
  at("the revision is stored, and its answer never came", { ...POST_SECRET, nth: 2 }, "after"),
];

/*
 * SIGKILL at each point: after the restart history and cluster agree. The API server and the journal's own check judge.
 */
describeWithControlPlane(
  "a program that is killed between apply, journal line and revision",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await adminOf(plane());
    });
    afterAll(() => admin?.close());

    const runs = POINTS.flatMap((point) =>
      Array.from({ length: RUNS }, (_, run) => [point.name, run + 1, point] as const),
    );
    it.concurrent.for(runs)("agrees with the cluster after: %s (%i)", async ([, run, { kill }], context) => {
      const set = fresh(`killed-${run}`);
      const proxy = await plane().startFaultProxy();
      const kubeconfig = plane().kubeconfigThrough(proxy, "keelson");
      const fault = kill.kind === "request" ? proxy.addFault(kill.match, kill.action) : undefined;
      const stateDir = temporary(context);
      const env = { KEELSON_STATE_DIR: stateDir };
      const preload = join(repositoryRoot, "test/faults/preload/journal-kill.cjs");
      const killing =
        kill.kind === "journal" ? { NODE_OPTIONS: `--require=${preload}`, KEELSON_TEST_KILL_AT: kill.at } : {};
      const files = { "a.yaml": file(configMap(`${set}-a`), configMap(`${set}-b`), configMap(`${set}-c`)) };
      const killed = startKeelson(context, { kubeconfig, set, files, env: { ...env, ...killing } });
      if (fault === undefined) await killed.ended();
      else {
        await eventually("it is at the point", () => fault.hits > 0, PATIENT);
        await killed.end("SIGKILL");
        fault.remove();
      }

      const again = startKeelson(context, { kubeconfig, set, directory: killed.directory, env });
      await again.converged(admin, 3);
      const cli = (...args: readonly string[]): Promise<Ran> => runCli(args, { set, stateDir, kubeconfig });
      const revisions = await eventually(
        "there is a revision",
        async () => {
          const found = JSON.parse((await cli("history", "-o", "json")).out).revisions;
          return found.length > 0 && found;
        },
        PATIENT,
      );
      expect(revisions).toMatchObject([{ revision: 1, objects: 3, result: "applied" }]);
      const { contents } = JSON.parse((await cli("show", "1", "-o", "json")).out);
      expect(contents.map((each: Content) => each.object.name)).toEqual([`${set}-a`, `${set}-b`, `${set}-c`]);
      const selector = `labelSelector=app.kubernetes.io/part-of=keelson,keelson.dev/set=${set}`;
      const stored = await admin.list(`/api/v1/namespaces/kube-system/secrets?${selector}`);
      expect(stored).toHaveLength(2);
      const check = await cli("audit", "verify");
      // Where all was applied and nothing put down yet, there is nothing left to write, and no journal.
      if (check.code !== 3) expect(check).toMatchObject({ code: 0 });
      else expect(check.out).toContain("there is no journal");
    });
  },
  { auditLog: false, controllerManager: false },
);

interface Content {
  readonly object: { readonly name: string };
}

interface Ran {
  readonly code: number;
  readonly out: string;
}

function temporary(context: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "keelson-killed-"));
  context.onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function runCli(
  args: readonly string[],
  on: { readonly set: string; readonly stateDir: string; readonly kubeconfig: string },
): Promise<Ran> {
  const { set, stateDir, kubeconfig } = on;
  const env = {
    PATH: process.env.PATH,
    HOME: stateDir,
    KUBECONFIG: kubeconfig,
    KEELSON_SET: set,
    KEELSON_STATE_DIR: stateDir,
  };
  return new Promise((resolve) => {
    execFile(join(repositoryRoot, "bin/keelson"), args, { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: out === "" ? err : out }),
    );
  });
}
