import { pause } from "../../test/control-plane/eventually.ts";
import { markRequests } from "../bed.ts";
import { type DriftEdit, pickEdits } from "../drift-edits.ts";
import { countRequests, describeRequests, type RequestCounts, writesByObject } from "../requests.ts";
import type { Section } from "../results.ts";
import { quantile, seededRandom } from "../statistics.ts";
import type { Session } from "./daemon.ts";

interface Repair {
  readonly edit: DriftEdit;
  /** From the edit's answer until the restored object is seen; `undefined`: it was not, in 10 s. */
  readonly milliseconds: number | undefined;
}

export interface DriftSample {
  readonly size: number;
  readonly repairs: readonly Repair[];
  readonly requests: RequestCounts;
  /** Objects of the load that took another number of writes than one. */
  readonly notOnce: readonly string[];
}

const barMedian = 10;
const barP99 = 50;

/** Changes and deletes objects one after the other, as someone else would, and waits for each repair. */
export async function measureDrift(session: Session): Promise<DriftSample> {
  const { bed, load, settings } = session;
  const size = load.objects.length;
  settings.progress(`daemon, N=${size}: ${settings.drifts} edits and deletes`);
  const random = seededRandom(size);
  const edits = pickEdits(load.objects, { count: settings.drifts, random });
  const since = await markRequests(bed);
  const repairs: Repair[] = [];
  for (const edit of edits) {
    repairs.push(await measureRepair(session, edit));
    // Edits come at any time, not in step with the daemon or the controller manager.
    await pause(20 + random() * 40);
  }
  // A second write of the last object would come late.
  await pause(500);
  const requests = await since();
  const writes = writesByObject(requests);
  return { size, repairs, requests: countRequests(requests), notOnce: objectsNotWrittenOnce(edits, writes) };
}

async function measureRepair({ bed, view }: Session, edit: DriftEdit): Promise<Repair> {
  const restored = view.untilRestored(edit);
  const { answeredAt } = await bed.client.send(edit.request);
  const seenAt = await restored;
  // The repair may be seen before the edit's own answer.
  return { edit, milliseconds: seenAt === undefined ? undefined : Math.max(0, seenAt - answeredAt) };
}

function objectsNotWrittenOnce(edits: readonly DriftEdit[], writes: ReadonlyMap<string, number>): readonly string[] {
  return edits.flatMap(({ object, sort, request }) => {
    const count = writes.get(`${object.collection.split("/").at(-1)}/${object.name}`) ?? 0;
    return count === 1
      ? []
      : [`${sort} of ${object.kind} ${object.name} (${JSON.stringify(request.body)}): ${count} writes`];
  });
}

export function driftSection(samples: readonly DriftSample[]): Section {
  return {
    part: "drift",
    title: "Drift repaired",
    method:
      "Random edits (merge and strategic merge patches of values, labels, rules, the mode label) and deletes of " +
      "different objects, one after the other, by another user. Milliseconds from the answer to the edit until a watch " +
      "of the bench's own sees the object restored.",
    figures: samples.flatMap((sample) => {
      const name = `drift repaired, N=${sample.size}`;
      const times = timesOf(sample.repairs);
      const lost = sample.repairs.length - times.length;
      const p50 = quantile(times, 0.5);
      const p99 = quantile(times, 0.99);
      const writes = sample.requests.writes / sample.repairs.length;
      return [
        { name, bar: `p50 ≤ ${barMedian} ms`, measured: `${p50.toFixed(1)} ms`, isMet: lost === 0 && p50 <= barMedian },
        { name, bar: `p99 ≤ ${barP99} ms`, measured: `${p99.toFixed(1)} ms`, isMet: lost === 0 && p99 <= barP99 },
        {
          name,
          bar: "one write each",
          measured: `${writes.toFixed(2)} writes each${lost > 0 ? `, ${lost} not repaired` : ""}`,
          isMet: lost === 0 && sample.notOnce.length === 0,
        },
      ];
    }),
    tables: [
      {
        title: "Milliseconds to the repair",
        columns: ["N", "what", "count", "p50", "p90", "p99", "most", "requests"],
        rows: samples.flatMap((sample) => [
          rowOf(sample, "all", sample.repairs),
          rowOf(
            sample,
            "edits",
            sample.repairs.filter(({ edit }) => edit.sort === "edit"),
          ),
          rowOf(
            sample,
            "deletes",
            sample.repairs.filter(({ edit }) => edit.sort === "delete"),
          ),
        ]),
      },
    ],
    notes: samples.flatMap(({ size, notOnce, repairs }) => [
      ...notOnce.slice(0, 5).map((text) => `N=${size}: ${text}.`),
      ...repairs
        .filter(({ milliseconds }) => milliseconds === undefined)
        .slice(0, 5)
        .map(({ edit }) => `N=${size}: not repaired: ${edit.sort} of ${edit.object.kind} ${edit.object.name}.`),
    ]),
  };
}

function rowOf(sample: DriftSample, what: string, repairs: readonly Repair[]): readonly string[] {
  const times = timesOf(repairs);
  return [
    String(sample.size),
    what,
    String(repairs.length),
    ...[0.5, 0.9, 0.99, 1].map((share) => quantile(times, share).toFixed(1)),
    what === "all" ? describeRequests(sample.requests) : "",
  ];
}

function timesOf(repairs: readonly Repair[]): readonly number[] {
  return repairs.flatMap(({ milliseconds }) => milliseconds ?? []);
}
