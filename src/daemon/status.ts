import { type Clock, systemClock } from "../async/index.ts";
import {
  askForAnswer,
  type DaemonReport,
  namesOf,
  readOwn,
  STATUS_KEY,
  type StatusReport,
  type StatusView,
  watchStatusText,
} from "../controllers/addon/index.ts";
import { KeelsonError } from "../errors/index.ts";
import type { KubeClient } from "../kube/index.ts";
import { kubeLease, type StoredLease } from "../leader-election/index.ts";
import type { OperationIo } from "./operations.ts";
import type { Settings } from "./settings.ts";
import { withClient } from "./with-client.ts";

/** A status that was written just now needs no further proof of life. */
const FRESH_MS = 3_000;
/** A Lease of ours is renewed every two seconds. */
const RENEWED_WITHIN_MS = 5_000;

/** The daemon's own record in the cluster, and whether the daemon still runs. */
export async function status(settings: Settings, io: OperationIo): Promise<StatusView> {
  return withClient(settings, io, async (client) => {
    const report = await readStatus(client, settings, io);
    return { ...report, daemon: await daemonReport(client, { settings, report, signal: io.signal }) };
  });
}

/** The record alone. Throws `NotFound` where there is none. */
export async function readStatus(client: KubeClient, settings: Settings, io: OperationIo): Promise<StatusReport> {
  const { statusConfigMap } = namesOf(settings.set);
  return parseStatus((await readOwn(client, statusConfigMap, io.signal))?.data[STATUS_KEY], statusConfigMap);
}

function parseStatus(text: string | undefined, name: string): StatusReport {
  if (text === undefined) {
    const message = `kube-system/${name} is not there: no daemon has written a status for this set yet`;
    throw new KeelsonError("NotFound", message);
  }
  try {
    return JSON.parse(text) as StatusReport;
  } catch (cause) {
    throw new KeelsonError("InvalidManifest", `kube-system/${name}: ${STATUS_KEY} is no JSON`, { cause });
  }
}

/**
 * Calls `onStatus` with the record, now and after each change, until `isEnough` says so or `io.signal` fires. A record
 * that is not there is undefined. Answers whether it was enough.
 */
export async function watchStatus(
  settings: Settings,
  onStatus: (report: StatusReport | undefined) => boolean,
  io: OperationIo,
): Promise<boolean> {
  return withClient(settings, io, async (client) => {
    const end = new AbortController();
    const signal = AbortSignal.any([io.signal, end.signal]);
    const names = namesOf(settings.set);
    // Said at once where the server does not answer, or does not let us: a watch would try again for ever.
    await readOwn(client, names.statusConfigMap, io.signal);
    const look = (text: string | undefined): void => {
      const report = text === undefined ? undefined : parseStatus(text, names.statusConfigMap);
      if (onStatus(report)) end.abort();
    };
    const ports = { client, clock: systemClock, names };
    await watchStatusText(ports, (own) => look(own?.data[STATUS_KEY]), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return end.signal.aborted;
  });
}

interface Asked {
  readonly settings: Settings;
  readonly report: StatusReport;
  readonly signal: AbortSignal;
}

async function daemonReport(client: KubeClient, { settings, report, signal }: Asked): Promise<DaemonReport> {
  const clock = systemClock;
  const { leader, updated, instance } = report;
  const age = clock.now() - Date.parse(updated);
  if (leader === undefined)
    return { state: "unknown", message: "written by a single pass; whether a daemon runs is not known" };
  if (age >= 0 && age < FRESH_MS) return { state: "running", message: `${instance} wrote this just now` };
  if (leader.election === "lease" && leader.lease !== undefined)
    return leaseReport(client, { name: leader.lease, instance, clock, signal });
  const answer = await askForAnswer({ client, clock, names: namesOf(settings.set) }, signal);
  if (answer === undefined)
    return { state: "unknown", message: "it cannot be asked: patching the status ConfigMap is not allowed" };
  return answer
    ? { state: "running", message: "it answers" }
    : { state: "stopped", message: `nobody answers: this is how ${instance} left it, and it may be outdated` };
}

/** Times of two machines are not compared: a Lease that is renewed before our eyes is held. */
async function leaseReport(
  client: KubeClient,
  of: { readonly name: string; readonly instance: string; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<DaemonReport> {
  const { clock, signal, name, instance } = of;
  const lease = kubeLease({ client, clock, name: name.slice(name.indexOf("/") + 1) });
  const first = await lease.get(signal);
  if (!isHeld(first))
    return { state: "stopped", message: `nobody holds the Lease ${name}: this is how ${instance} left it` };
  const deadline = clock.monotonic() + RENEWED_WITHIN_MS;
  while (clock.monotonic() < deadline) {
    await clock.sleep(250, signal);
    const now = await lease.get(signal);
    if (now?.renewTime === first.renewTime) continue;
    const holder = now?.holderIdentity ?? "nobody";
    const message = holder === instance ? "it renews its Lease" : `${holder} leads now and has had nothing to write`;
    return isHeld(now)
      ? { state: "running", message }
      : { state: "stopped", message: `the Lease ${name} was given up` };
  }
  const message = `${first.holderIdentity} does not renew the Lease ${name} any more: this may be outdated`;
  return { state: "stopped", message };
}

function isHeld(lease: StoredLease | undefined): lease is StoredLease {
  return lease !== undefined && lease.holderIdentity !== "";
}
