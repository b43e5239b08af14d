import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditedRequest } from "../test/control-plane/audit-log.ts";
import { type ControlPlane, startControlPlane } from "../test/control-plane/control-plane.ts";
import { pause } from "../test/control-plane/eventually.ts";
import { ApiClient } from "./api-client.ts";
import { collections, modeLabel } from "./load.ts";

/** A fresh control plane for one measurement; who is measured is the user `keelson` of its audit log. */
export interface Bed {
  readonly plane: ControlPlane;
  readonly client: ApiClient;
  /** Kubeconfig of the program that is measured. */
  readonly kubeconfigPath: string;
  /** A folder of the measurement's own, which also serves as the programs' home. */
  readonly home: string;
}

/** Runs `measure` on a control plane of its own. */
export async function withBed<T>(measure: (bed: Bed) => Promise<T>): Promise<T> {
  const plane = await startControlPlane({
    auditLog: true,
    // New Deployments and Services give the controller manager work; with its default limit of 20 requests a second
    // it would go on with it long into the next measurement.
    controllerManagerFlags: ["--kube-api-qps=500", "--kube-api-burst=1000"],
  });
  const home = mkdtempSync(join(tmpdir(), "keelson-bench-"));
  mkdirSync(join(home, ".cache"));
  const client = new ApiClient(plane);
  try {
    const bed = { plane, client, home, kubeconfigPath: plane.kubeconfigFor("keelson") };
    await untilQuiet(bed);
    return await measure(bed);
  } finally {
    client.close();
    await plane.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

// What an idle control plane asks of itself in a second: Leases, mostly.
const idleRequestsPerSecond = 12;
const quietTimeoutMs = 120_000;

/** Waits until the control plane has nothing left to do. Gives up silently after two minutes: it only adds noise. */
export async function untilQuiet({ plane }: Bed): Promise<void> {
  const deadline = performance.now() + quietTimeoutMs;
  let before = (await plane.requests()).length;
  while (performance.now() < deadline) {
    await pause(1000);
    const now = (await plane.requests()).length;
    if (now - before <= idleRequestsPerSecond) return;
    before = now;
  }
}

/** Counts what the measured program asks from now on. */
export async function markRequests({ plane }: Bed): Promise<() => Promise<readonly AuditedRequest[]>> {
  const mark = (await plane.requests({ user: "keelson" })).length;
  return async () => (await plane.requests({ user: "keelson" })).slice(mark);
}

/** How many objects of the load the cluster holds. */
export async function countLive({ client }: Bed): Promise<number> {
  let count = 0;
  for (const collection of Object.values(collections)) {
    const { body } = await client.send({ method: "GET", path: `${collection}?labelSelector=${modeLabel}` });
    count += (JSON.parse(body) as { readonly items: readonly unknown[] }).items.length;
  }
  return count;
}
