import { describeRequests } from "../requests.ts";
import type { Figure, Section, Table } from "../results.ts";
import { median, spread } from "../statistics.ts";
import type { Outcome, PassSample } from "./passes.ts";

type Which = "first" | "unchanged";

const mainSize = 500;
const barSeconds = 0.6;
const barRequests = 45;
const barOfFloor = 1.2;

export function firstSection(outcomes: readonly Outcome[]): Section {
  return {
    part: "first",
    title: "First convergence",
    method:
      "The directory onto a cluster that has none of it: wall time of the whole command, start-up included; of the " +
      "daemon, from its start until a watch has seen the last object. Contenders take turns, each on a fresh control " +
      "plane. Medians (least–greatest).",
    figures: firstFigures(outcomes.filter(({ size }) => size === mainSize)),
    tables: tablesOf(outcomes, "first"),
    notes: notesOf(outcomes, "first"),
  };
}

export function unchangedSection(outcomes: readonly Outcome[]): Section {
  return {
    part: "one-pass",
    title: "One pass, nothing changed",
    method:
      "The same command again, once the control plane has become quiet. Writes are create, update, patch and delete " +
      "requests, an apply that changes nothing among them. Medians (least–greatest).",
    figures: unchangedFigures(outcomes.filter(({ size }) => size === mainSize)),
    tables: tablesOf(outcomes, "unchanged"),
    notes: [...notesOf(outcomes, "unchanged"), ...listingNotes(outcomes)],
  };
}

function firstFigures(outcomes: readonly Outcome[]): readonly Figure[] {
  const measured = outcomes.filter(({ first }) => first.length > 0);
  const floor = measured.find(({ isFloor }) => isFloor);
  const peers = measured.filter(({ isFloor, isKeelson }) => !isFloor && !isKeelson);
  return measured
    .filter(({ isKeelson }) => isKeelson)
    .flatMap((keelson): readonly Figure[] => {
      const own = medianWall(keelson.first);
      const name = `first convergence, N=${mainSize}, ${shortName(keelson)}`;
      const ofFloor = floor ? own / medianWall(floor.first) : Number.NaN;
      const fastest = [...peers].sort((a, b) => medianWall(a.first) - medianWall(b.first))[0];
      return [
        {
          name,
          bar: `≤ ${barOfFloor} × floor`,
          measured: floor
            ? `${own.toFixed(2)} s = ${ofFloor.toFixed(2)} × ${medianWall(floor.first).toFixed(2)} s`
            : `${own.toFixed(2)} s, the floor was not measured`,
          isMet: ofFloor <= barOfFloor,
        },
        ...(fastest
          ? [
              {
                name,
                bar: "faster than every peer",
                measured: `${ratio(medianWall(fastest.first), own)} as fast as ${fastest.name}`,
                isMet: own < medianWall(fastest.first),
              },
            ]
          : []),
      ];
    });
}

function unchangedFigures(outcomes: readonly Outcome[]): readonly Figure[] {
  const keelson = outcomes.find(({ isKeelson, unchanged }) => isKeelson && unchanged.length > 0);
  if (!keelson) return [];
  const name = `one-pass keelson apply, nothing changed, N=${mainSize}`;
  const wall = medianWall(keelson.unchanged);
  const requests = Math.max(...keelson.unchanged.map((sample) => sample.requests.total));
  const writes = Math.max(...keelson.unchanged.map((sample) => sample.requests.writes));
  return [
    { name, bar: "no write", measured: String(writes), isMet: writes === 0 },
    { name, bar: `≤ ${barRequests} requests`, measured: String(requests), isMet: requests <= barRequests },
    { name, bar: `≤ ${barSeconds} s`, measured: `${wall.toFixed(2)} s`, isMet: wall <= barSeconds },
  ];
}

function tablesOf(outcomes: readonly Outcome[], which: Which): readonly Table[] {
  const sizes = [...new Set(outcomes.map(({ size }) => size))];
  return sizes.map((size) => {
    const ofSize = outcomes.filter((outcome) => outcome.size === size && outcome[which].length > 0);
    const floor = which === "first" ? ofSize.find(({ isFloor }) => isFloor) : undefined;
    const keelson = ofSize.find(({ isKeelson }) => isKeelson);
    const sorted = [...ofSize].sort((a, b) => medianWall(a[which]) - medianWall(b[which]));
    return {
      title: `N=${size}`,
      columns: [
        "who",
        "wall s",
        ...(floor ? ["× floor"] : []),
        ...(keelson ? [`× ${shortName(keelson)}`] : []),
        ...["client CPU s", "peak MB", "requests", "own", "passes"],
      ],
      rows: sorted.map((outcome) => {
        const samples = outcome[which];
        const wall = medianWall(samples);
        return [
          outcome.name,
          spread(samples.map(({ wallSeconds }) => wallSeconds)),
          ...(floor ? [(wall / medianWall(floor[which])).toFixed(2)] : []),
          ...(keelson ? [(wall / medianWall(keelson[which])).toFixed(2)] : []),
          median(samples.map(({ cpuSeconds }) => cpuSeconds)).toFixed(2),
          Math.max(...samples.map(({ peakMegabytes }) => peakMegabytes)).toFixed(0),
          describeRequests((samples.at(-1) as PassSample).requests),
          String((samples.at(-1) as PassSample).requests.own),
          String(samples.length),
        ];
      }),
    };
  });
}

function notesOf(outcomes: readonly Outcome[], which: Which): readonly string[] {
  const failures = outcomes
    .filter(({ failure }) => failure !== undefined)
    .map(({ name, size, failure }) => `${name}, N=${size}: ${failure}.`);
  const explained =
    which === "first"
      ? "Only the original and Keelson know EnsureExists; the other peers apply all objects alike."
      : "`own` are requests for Keelson's own Lease, ConfigMaps and Events, which are counted apart.";
  return [explained, ...failures];
}

/** What Keelson asks in a pass that finds nothing to do, so that a change of it is seen in review. */
function listingNotes(outcomes: readonly Outcome[]): readonly string[] {
  const keelson = outcomes.find(({ isKeelson, size, unchanged }) => isKeelson && size === mainSize && unchanged.length);
  const writes = keelson?.unchanged.at(-1)?.listing.filter((line) => !/^(list|watch|get) /.test(line)) ?? [];
  return writes.slice(0, 5).map((line) => `A write of Keelson in a pass over an unchanged cluster: \`${line}\`.`);
}

function medianWall(samples: readonly PassSample[]): number {
  return median(samples.map(({ wallSeconds }) => wallSeconds));
}

function shortName({ name }: Outcome): string {
  return name.split(",")[0] ?? name;
}

function ratio(other: number, own: number): string {
  return `${(other / own).toFixed(1)} times`;
}
