import type { AuditedRequest } from "../../test/control-plane/audit-log.ts";
import { markRequests, untilQuiet } from "../bed.ts";
import { Daemon } from "../keelson.ts";
import { countRequests, describeRequests, listOf, listsPerKind, type RequestCounts, withoutOwn } from "../requests.ts";
import type { Section } from "../results.ts";
import { median, spread } from "../statistics.ts";
import type { Session } from "./daemon.ts";

export interface RestartSample {
  readonly size: number;
  readonly stopSeconds: readonly number[];
  readonly readySeconds: readonly number[];
  readonly requests: RequestCounts;
  readonly listsPerKind: { readonly most: number; readonly unlabelled: readonly string[] };
  /** What was asked that is neither a list nor a watch. */
  readonly others: readonly string[];
}

const mainSize = 500;
const barSeconds = 1.5;
const barLists = 2;

/** Ends the session's daemon in good order and starts another, a few times. No daemon is left. */
export async function measureRestart(session: Session): Promise<RestartSample> {
  const { bed, load, settings } = session;
  settings.progress(`daemon, N=${load.objects.length}: ${settings.restarts} restarts`);
  const stopSeconds: number[] = [];
  const readySeconds: number[] = [];
  let { daemon } = session;
  let since = await markRequests(bed);
  for (let restart = 0; restart < settings.restarts; restart += 1) {
    stopSeconds.push(await daemon.stop());
    await untilQuiet(bed);
    since = await markRequests(bed);
    daemon = await Daemon.start({ bed, directory: load.directory });
    const ready = await daemon.untilReady();
    await untilQuiet(bed);
    readySeconds.push(Math.max(ready, lastRequestSeconds(await since(), daemon)));
  }
  const requests = await since();
  await daemon.stop();
  return {
    size: load.objects.length,
    stopSeconds,
    readySeconds,
    requests: countRequests(requests),
    listsPerKind: listsPerKind(requests),
    others: listOf(requests).filter((line) => !/^(list|watch) /.test(line)),
  };
}

/** Seconds from the daemon's start to the last request that it made by itself, its own bookkeeping aside. */
function lastRequestSeconds(requests: readonly AuditedRequest[], daemon: Daemon): number {
  const times = withoutOwn(requests).map(({ receivedAt }) => Date.parse(receivedAt));
  return (Math.max(0, ...times) - daemon.startedOn) / 1000;
}

export function restartSection(samples: readonly RestartSample[]): Section {
  return {
    part: "restart",
    title: "Restart after a graceful stop",
    method:
      "Nothing has changed: seconds from the start of the process until `/readyz` answers 200 and its last request is " +
      "made, whichever comes later; and all requests of the last start until the control plane is quiet again.",
    figures: samples
      .filter(({ size }) => size === mainSize)
      .flatMap(({ size, readySeconds, requests, listsPerKind: lists }) => {
        const name = `restart, converged, N=${size}`;
        const seconds = median(readySeconds);
        return [
          { name, bar: "0 writes", measured: String(requests.writes), isMet: requests.writes === 0 },
          {
            name,
            bar: `lists only, at most ${barLists} a kind, by label`,
            measured: `${lists.most} a kind, ${lists.unlabelled.length} not by label, ${requests.gets} gets`,
            isMet: lists.most <= barLists && lists.unlabelled.length === 0,
          },
          { name, bar: `≤ ${barSeconds} s`, measured: `${seconds.toFixed(2)} s`, isMet: seconds <= barSeconds },
        ];
      }),
    tables: [
      {
        title: "Stop and start",
        columns: ["N", "stop s", "start to converged s", "requests", "own", "most lists of a kind"],
        rows: samples.map(({ size, stopSeconds, readySeconds, requests, listsPerKind: lists }) => [
          String(size),
          spread(stopSeconds),
          spread(readySeconds),
          describeRequests(requests),
          String(requests.own),
          String(lists.most),
        ]),
      },
    ],
    notes: samples.flatMap(({ size, others }) =>
      others.slice(0, 8).map((line) => `N=${size}: also asked \`${line}\`.`),
    ),
  };
}
