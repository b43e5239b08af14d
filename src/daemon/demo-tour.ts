import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../async/index.ts";
import { isKeelsonError } from "../errors/index.ts";
import { isJsonObject } from "../object/index.ts";
import type { DemoCluster, DemoRef } from "./demo-cluster.ts";
import type { HistoryReport, JournalLine, StatusReport } from "./reports.ts";
import type { DemoOptions } from "./sandbox-options.ts";

/** What the tour is given. */
export interface TourPorts extends Pick<DemoOptions, "say" | "sayStatus"> {
  readonly cluster: DemoCluster;
  /** The directory that the daemon reads. */
  readonly addons: string;
  readonly signal: AbortSignal;
  /** Rejects with `NotFound` where there is none yet. */
  readonly readStatus: () => Promise<StatusReport>;
  readonly history: TourHistory;
}

/** History as a person has it on the command line. */
export interface TourHistory {
  list(): Promise<HistoryReport>;
  rollback(revision: number, reason: string): Promise<unknown>;
  resume(): Promise<unknown>;
  /** The journal. */
  audit(): Promise<readonly JournalLine[]>;
}

/** The name under which the tour meddles. */
const SOMEBODY = "somebody";
/** How long what must not happen is given to happen. */
const WATCHED_MS = 500;

const BANNER: DemoRef = { apiVersion: "v1", kind: "ConfigMap", name: "banner" };
const PREFERENCES: DemoRef = { apiVersion: "v1", kind: "ConfigMap", name: "preferences" };
const WEB: DemoRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

/** What the examples declare, in the order in which it is shown. */
const DECLARED: readonly DemoRef[] = [
  BANNER,
  PREFERENCES,
  { apiVersion: "v1", kind: "ServiceAccount", name: "web" },
  { apiVersion: "v1", kind: "Service", name: "web" },
  WEB,
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", name: "web" },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", name: "web" },
  { apiVersion: "examples.keelson.dev/v1", kind: "MaintenanceWindow", name: "weekly" },
];

/** Goes through what a person would try, and tells what comes of it. The daemon runs all the while. */
export async function guideTour(ports: TourPorts): Promise<void> {
  for (const step of [converge, repair, recreate, leaveAlone, holdBroken, prune, goBack]) await step(ports);
}

/** A heading of the tour. */
export function sayTitle(say: (line: string) => void, title: string): void {
  say("");
  say(`== ${title} ==`);
}

async function converge(ports: TourPorts): Promise<void> {
  const { cluster, addons, say } = ports;
  sayTitle(say, "1. Everything in the directory comes to be");
  const files = await readdir(addons, { recursive: true });
  const manifests = files.filter((file) => file.endsWith(".yaml")).sort();
  say(`The directory is a copy of examples/addons: ${manifests.join(", ")}.`);
  const took = await cluster.until("the add-ons are there", async () => {
    const found = await Promise.all(DECLARED.map((ref) => cluster.find(ref)));
    return !found.includes(undefined);
  });
  await cluster.until("the status says so", async () => (await statusOf(ports))?.phase === "converged");
  say(`All of it was there within ${took} ms:`);
  for (const ref of DECLARED) {
    const { managedFields = [] } = (await cluster.find(ref))?.metadata ?? {};
    const managers = new Set(managedFields.map(({ manager }) => manager ?? ""));
    say(`  ${nameOf(ports, ref).padEnd(36)} managed by ${[...managers].join(", ")}`);
  }
}

async function repair(ports: TourPorts): Promise<void> {
  const { cluster, say } = ports;
  sayTitle(say, "2. Somebody changes it, and it is put back");
  await meddle(ports, BANNER, { text: "Out of order", note: "mine" });
  const took = await cluster.until("the banner is put back", async () => (await textOf(ports)) === "Welcome aboard");
  const text = await dataOf(ports, BANNER);
  say(`Put back after ${took} ms: ${text}. The log names who had changed what, and the file and line of the truth.`);
  say('"note" is still there: fields that the file does not name are left to whoever set them.');
}

async function recreate(ports: TourPorts): Promise<void> {
  const { cluster, say } = ports;
  sayTitle(say, "3. Somebody deletes it, and it is there again");
  const before = (await cluster.find(WEB))?.metadata.uid;
  say(`$ kubectl delete ${nameOf(ports, WEB)}`);
  await cluster.delete(WEB);
  const took = await cluster.until("the Deployment is there again", async () => {
    const now = (await cluster.find(WEB))?.metadata.uid;
    return now !== undefined && now !== before;
  });
  say(`There again after ${took} ms, with another uid.`);
}

async function leaveAlone(ports: TourPorts): Promise<void> {
  const { say, signal } = ports;
  sayTitle(say, "4. What only has to exist is left to its users");
  await meddle(ports, PREFERENCES, { language: "de" });
  await systemClock.sleep(WATCHED_MS, signal);
  say(`It is EnsureExists, so ${WATCHED_MS} ms later it still is as they set it: ${await dataOf(ports, PREFERENCES)}.`);
}

async function holdBroken(ports: TourPorts): Promise<void> {
  const { cluster, addons, say } = ports;
  sayTitle(say, "5. A broken file breaks only itself, and deletes nothing");
  const path = join(addons, "banner.yaml");
  const good = await readFile(path, "utf8");
  say("banner.yaml is saved with a mistake in it: the colon behind data is missing.");
  await writeFile(path, good.replace("\ndata:\n", "\ndata\n"));
  await cluster.until("the status tells of it", async () => (await statusOf(ports))?.problems.length === 1);
  say("$ keelson status");
  ports.sayStatus(await ports.readStatus());
  say(`The ConfigMap stays: ${await dataOf(ports, BANNER)}. Then the file is mended.`);
  await writeFile(path, good);
  await cluster.until("the mended file is read", async () => (await statusOf(ports))?.phase === "converged");
}

async function prune(ports: TourPorts): Promise<void> {
  const { cluster, addons, say } = ports;
  sayTitle(say, "6. A file goes, and its object goes with it");
  say("$ rm banner.yaml");
  await rm(join(addons, "banner.yaml"));
  const took = await cluster.until("the banner is pruned", async () => (await cluster.find(BANNER)) === undefined);
  say(`Deleted after ${took} ms: for half a second the file may come back (2 s where --prune-settle is not set).`);
}

async function goBack(ports: TourPorts): Promise<void> {
  const { cluster, say, history } = ports;
  sayTitle(say, "7. There is a way back, and a memory of everything");
  await cluster.until("the set without the banner is a revision", async () => {
    return (await history.list()).revisions.at(-1)?.removed === 1;
  });
  say("$ keelson history");
  for (const { revision, objects, cause } of (await history.list()).revisions) {
    say(`  ${revision}: ${objects} objects: ${cause}`);
  }
  say('$ keelson rollback 1 --reason "the banner is missed"');
  await history.rollback(1, "the banner is missed");
  const took = await cluster.until("the banner is back", async () => (await cluster.find(BANNER)) !== undefined);
  say(`The banner is back after ${took} ms, and stays: the directory waits until keelson resume.`);
  say("$ keelson resume");
  await history.resume();
  await cluster.until("the hold is over", async () =>
    (await history.audit()).some(({ action }) => action === "resume"),
  );
  say("The directory counts again; the banner goes as before. Each of these writes stands in the journal:");
  const lines = (await history.audit()).filter(({ object }) => object === undefined || object.name === BANNER.name);
  for (const { action, result, cause } of lines) say(`  ${action} ${result}: ${cause}`);
}

async function meddle(ports: TourPorts, ref: DemoRef, data: object): Promise<void> {
  ports.say(`$ kubectl patch ${nameOf(ports, ref)} --field-manager=${SOMEBODY}: ${JSON.stringify(data)}`);
  await ports.cluster.patch(ref, SOMEBODY, { data });
}

async function textOf({ cluster }: TourPorts): Promise<unknown> {
  const data = (await cluster.find(BANNER))?.data;
  return isJsonObject(data) ? data.text : undefined;
}

async function dataOf({ cluster }: TourPorts, ref: DemoRef): Promise<string> {
  return JSON.stringify((await cluster.find(ref))?.data);
}

async function statusOf({ readStatus }: TourPorts): Promise<StatusReport | undefined> {
  try {
    return await readStatus();
  } catch (error) {
    if (isKeelsonError(error, "NotFound")) return undefined;
    throw error;
  }
}

function nameOf({ cluster }: TourPorts, { kind, name }: DemoRef): string {
  return `${kind} ${cluster.namespace}/${name}`;
}
