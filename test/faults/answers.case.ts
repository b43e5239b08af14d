import { expect, it, type TestContext } from "vitest";
import { eventually, type FaultAction, type FaultProxy, type User } from "../control-plane/index.ts";
import {
  type Admin,
  configMap,
  configMapPath,
  ensured,
  file,
  fresh,
  type KeelsonProcess,
  type Manifest,
  PATIENT,
  type ProcessOptions,
} from "./bed/index.ts";

/** What the cases of this suite are handed. */
export interface ProxiedBed {
  readonly admin: () => Admin;
  /** A new fault proxy in front of the plane. */
  readonly proxy: () => Promise<FaultProxy>;
  readonly start: (
    context: TestContext,
    through: FaultProxy,
    options: Omit<ProcessOptions, "kubeconfig"> & { readonly user?: User },
  ) => KeelsonProcess;
  /** Answers of the API server to writes of ConfigMaps, of Keelson alone: `patch 201`, by name. */
  readonly writes: () => Promise<ReadonlyMap<string, readonly string[]>>;
}

/** Faults of a single answer, and how many times in a row. */
const ANSWERS: Readonly<Record<string, { readonly action: FaultAction; readonly times: number }>> = {
  "401": { action: { kind: "respond", status: 401 }, times: 1 },
  "403": { action: { kind: "respond", status: 403 }, times: 1 },
  "409": { action: { kind: "respond", status: 409 }, times: 2 },
  "410": { action: { kind: "respond", status: 410 }, times: 1 },
  "422": { action: { kind: "respond", status: 422 }, times: 1 },
  "429": { action: { kind: "respond", status: 429, headers: { "retry-after": "1" } }, times: 2 },
  "500": { action: { kind: "respond", status: 500 }, times: 4 },
  "503": { action: { kind: "respond", status: 503, headers: { "retry-after": "1" } }, times: 2 },
  "504": { action: { kind: "respond", status: 504 }, times: 2 },
  "a connection cut before the request": { action: { kind: "cut", when: "before" }, times: 2 },
  "a connection cut after the request": { action: { kind: "cut", when: "after" }, times: 2 },
  "an answer cut off": { action: { kind: "truncate", bytes: 40 }, times: 2 },
  "no answer": { action: { kind: "hang", when: "before" }, times: 1 },
  "no answer though it was carried out": { action: { kind: "hang", when: "after" }, times: 1 },
  "an answer that is no JSON": {
    action: { kind: "respond", status: 200, body: "<html>who are you?</html>" },
    times: 1,
  },
};

type Verb = "apply" | "create" | "delete" | "take over";

/** How each verb of ConfigMap NAME is recognised on the wire. */
const VERBS: Readonly<Record<Verb, (name: string) => { method: string; path: RegExp; query?: RegExp }>> = {
  apply: (name) => ({ method: "PATCH", path: pathOf(name) }),
  // POSTs do not name their object: each such object has a namespace of its own.
  create: (name) => ({ method: "POST", path: new RegExp(`/namespaces/${name}/configmaps$`) }),
  delete: (name) => ({ method: "DELETE", path: pathOf(name) }),
  // The JSON patch that folds a client-side apply in, guarded by resourceVersion.
  "take over": (name) => ({ method: "PATCH", path: pathOf(name), query: /^(?!.*force=)/ }),
};

function pathOf(name: string): RegExp {
  return new RegExp(`/configmaps/${name}$`);
}

interface Cell {
  readonly name: string;
  readonly verb: Verb;
  readonly fault: string;
}

function cellsOf(set: string): readonly Cell[] {
  return (Object.keys(VERBS) as Verb[]).flatMap((verb) =>
    Object.keys(ANSWERS).map((fault, index) => ({ name: `${set}-${verb.replace(" ", "-")}-${index}`, verb, fault })),
  );
}

function objectOf({ name, verb }: Cell): Manifest {
  if (verb !== "create") return configMap(name);
  return ensured(configMap(name, "1", name));
}

const livePath = ({ name, verb }: Cell): string => configMapPath(name, verb === "create" ? name : "default");

/**
 * Every fault at every verb that writes, each at an object of its own, all at once: one daemon goes through them all.
 */
export function answerCases({ admin, proxy, start, writes }: ProxiedBed): void {
  it.concurrent("gets over every single fault of every verb, deletes nothing else and creates nothing twice", async (context) => {
    const set = fresh("once");
    const cells = cellsOf(set);
    const through = await proxy();
    const faults = cells.map(({ name, verb, fault }) => ({
      cell: `${verb}: ${fault}`,
      fault: through.addFault({ ...VERBS[verb](name), times: ANSWERS[fault]?.times ?? 1 }, ANSWERS[fault]!.action),
    }));
    await prepare(admin(), cells);
    const left = cells.filter(({ verb }) => verb === "delete");
    const stays = cells.filter(({ verb }) => verb !== "delete");
    const keelson = start(context, through, {
      set,
      files: { "stays.yaml": file(...stays.map(objectOf)), "leaves.yaml": file(...left.map(objectOf)) },
      kubectlOptions: "--request-timeout=3s",
    });
    await keelson.converged(admin(), cells.length);

    keelson.remove("leaves.yaml");
    await keelson.converged(admin(), stays.length);
    for (const cell of left)
      await eventually(`${cell.fault}: it is deleted`, async () => !(await admin().get(livePath(cell))), PATIENT);

    expect(faults.filter(({ fault }) => fault.hits === 0).map(({ cell }) => cell)).toEqual([]);
    const answers = await writes();
    for (const cell of cells) {
      const own = answers.get(cell.name) ?? [];
      const created = cell.verb === "take over" ? 0 : 1;
      expect({ cell, created: own.filter((answer) => answer.endsWith(" 201")).length }).toEqual({ cell, created });
      const deleted = own.filter((answer) => answer === "delete 200").length;
      expect({ cell, deleted }).toEqual({ cell, deleted: cell.verb === "delete" ? 1 : 0 });
    }
    for (const cell of stays) expect((await admin().find(livePath(cell))).data).toEqual({ a: "1" });
    expect(keelson.isRunning).toBe(true);
  });

  it.concurrent("tells of each object whose requests fail for good, converges the others, and those too once they are let", async (context) => {
    const set = fresh("for-good");
    const through = await proxy();
    // What was carried out is seen by the watch, although its answer never comes.
    const isCarriedOut = (action: FaultAction): boolean =>
      action.kind === "truncate" || ("when" in action && action.when === "after");
    const cells = Object.keys(ANSWERS).map((fault, index) => ({ name: `${set}-${index}`, fault }));
    for (const { name, fault } of cells)
      through.addFault({ method: "PATCH", path: pathOf(name) }, ANSWERS[fault]!.action);
    const failing = cells.filter(({ fault }) => !isCarriedOut(ANSWERS[fault]!.action)).map(({ name }) => name);
    const others = Array.from({ length: 20 }, (_, index) => configMap(`${set}-fine-${index}`));
    const keelson = start(context, through, {
      set,
      files: { "a.yaml": file(...cells.map(({ name }) => configMap(name)), ...others) },
      kubectlOptions: "--request-timeout=1s",
    });

    const status = await keelson.statusWhere(
      admin(),
      "the others converged, each of the failing ones is told",
      ({ summary }) =>
        summary.converged === others.length + cells.length - failing.length && summary.failed === failing.length,
    );

    const told = status.objects.filter(({ state }) => state === "failed").map(({ object }) => object.name);
    expect(told.sort()).toEqual([...failing].sort());
    expect(status.phase).toBe("degraded");
    // One object whose connections break is no reason to take the server for dead, more than once.
    expect(keelson.said(/WRN: == The API server cannot be reached/)).toBeLessThanOrEqual(cells.length);
    through.restore();
    await keelson.converged(admin(), cells.length + others.length);
  });

  it.concurrent("waits as long as Retry-After says before it asks again", async (context) => {
    const set = fresh("throttled");
    const through = await proxy();
    const slow = through.addFault(
      { method: "PATCH", path: pathOf(set) },
      { kind: "respond", status: 429, headers: { "retry-after": "4" } },
    );
    const keelson = start(context, through, { set, files: { "a.yaml": file(configMap(set)) } });
    await eventually("it was refused once", () => slow.hits === 1, PATIENT);
    const refused = performance.now();
    await eventually("it asks again", () => slow.hits === 2, PATIENT);
    const waited = performance.now() - refused;
    slow.remove();

    // The first answer was on its way when its hit was seen.
    expect(waited).toBeGreaterThan(3_900);
    await keelson.converged(admin(), 1);
  });
}

/** Namespaces of the POSTs, and objects that kubectl apply has made: what is taken over. */
async function prepare(admin: Admin, cells: readonly Cell[]): Promise<void> {
  await Promise.all(
    cells
      .filter(({ verb }) => verb === "create")
      .map(({ name }) =>
        admin.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
      ),
  );
  for (const { name } of cells.filter(({ verb }) => verb === "take over")) {
    const plain = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default" },
      data: { a: "0", b: "0" },
    };
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(plain) };
    const applied = { ...plain, metadata: { ...plain.metadata, annotations } };
    await admin.create("/api/v1/namespaces/default/configmaps", applied, "kubectl-client-side-apply");
  }
}
