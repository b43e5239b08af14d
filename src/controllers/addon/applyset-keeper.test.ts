import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../async/index.ts";
import type { DesiredSet, Engine, LiveRecord } from "../../converge/index.ts";
import { KeelsonError } from "../../errors/index.ts";
import { ChangeLog, silentLogger } from "../../log/index.ts";
import type { KubeObject } from "../../object/index.ts";
import { parentRefOf, parentTree, parseParent } from "./applyset.ts";
import { ApplySetKeeper, type ApplySetPorts } from "./applyset-keeper.ts";
import { namesOf } from "./identity.ts";
import { desired, desiredSet, engineStatus, live } from "./samples.case.ts";

const names = namesOf("");
const TOOLING = "keelson/v1";

/** A cluster with this parent, and a keeper that has read it; `writes` are the kinds of each write. */
async function bedWith(parent: KubeObject | undefined) {
  let stored = parent;
  const writes: string[] = [];
  const client: ApplySetPorts["client"] = {
    get: async () => {
      if (stored === undefined) throw new KeelsonError("NotFound", "no parent");
      return stored;
    },
    apply: async (_resource, _target, body) => {
      stored = JSON.parse(body) as KubeObject;
      const { groupKinds = [], namespaces } = parseParent(stored);
      writes.push(`${groupKinds.join()} ${namespaces.join()}`);
      return { object: stored, created: false, warnings: [] };
    },
  };
  const engine = {
    desired: desiredSet([]),
    records: new Map<string, LiveRecord>(),
    isBusy: false,
    status: () => engineStatus(status),
  };
  let status: Parameters<typeof engineStatus>[0] = {};
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const clock = new ManualClock();
  const keeper = new ApplySetKeeper({ client, clock, said: new ChangeLog(silentLogger), names, tooling: TOOLING });
  await keeper.open(stop.signal);
  return {
    keeper,
    engine,
    writes,
    begin: () => keeper.begin(engine as Pick<Engine, "desired" | "records" | "status" | "isBusy">, stop.signal),
    declare: async (set: DesiredSet) => {
      await keeper.declaring(set);
      engine.desired = set;
    },
    fail: (parts: typeof status) => {
      status = parts;
    },
  };
}

const parentWith = (groupKinds: readonly string[], namespaces: readonly string[], tooling = TOOLING): KubeObject =>
  parentTree(names, { tooling, inventory: { groupKinds, namespaces } }) as KubeObject;
const config = desired({ namespace: "a" });
const secret = desired({ kind: "Secret", namespace: "b" });

describe("ApplySetKeeper", () => {
  it("names old and new before the new set comes into force, and the new alone once it is as declared", async () => {
    const { keeper, begin, declare, writes } = await bedWith(undefined);
    await begin();
    await declare(desiredSet([config]));
    await keeper.settled();
    await declare(desiredSet([secret]));
    await keeper.settled();

    expect(writes).toEqual(["ConfigMap a", "ConfigMap,Secret a,b", "Secret b"]);
  });

  it("writes nothing where the parent says so already, at a start and afterwards", async () => {
    const { keeper, begin, declare, writes } = await bedWith(parentWith(["ConfigMap"], ["a"]));
    await declare(desiredSet([config]));
    await begin();
    await keeper.settled();
    await keeper.settled();

    expect(writes).toEqual([]);
  });

  it("writes its new version once", async () => {
    const { keeper, begin, declare, writes } = await bedWith(parentWith(["ConfigMap"], ["a"], "keelson/v0"));
    await begin();
    await declare(desiredSet([config]));
    await keeper.settled();

    expect(writes).toEqual(["ConfigMap a"]);
  });

  it("keeps naming what failed to be applied, and what prune holds", async () => {
    const { keeper, engine, begin, declare, fail, writes } = await bedWith(parentWith(["ConfigMap"], ["a"]));
    await begin();
    await declare(desiredSet([secret]));
    fail({ pending: 1 });
    await keeper.settled();
    fail({});
    engine.records.set("x", live({ namespace: "a" }, { hasApplyEntry: true }));
    await keeper.settled();
    expect(writes).toEqual(["ConfigMap,Secret a,b"]);

    engine.records.clear();
    await keeper.settled();
    expect(writes).toEqual(["ConfigMap,Secret a,b", "Secret b"]);
  });

  it("leaves the parent of another tool alone, and says so", async () => {
    const { keeper, begin, declare, writes } = await bedWith(parentWith(["Role.rbac"], [], "kubectl/v1.37.0"));
    await begin();
    await declare(desiredSet([config]));
    await keeper.settled();

    expect(writes).toEqual([]);
    expect(keeper.isRefused).toBe(true);
    expect(keeper.problem).toMatch(`kube-system/${parentRefOf(names).name} is not touched: kubectl/v1.37.0 keeps it`);
  });
});
