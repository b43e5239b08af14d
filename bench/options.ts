import { parseArgs } from "node:util";
import { contenderIds } from "./contenders.ts";
import { BenchError } from "./errors.ts";
import { type PartName, partNames } from "./results.ts";

/** What a run measures, and how long. */
export interface Settings {
  readonly parts: readonly PartName[];
  /** Contenders by id; all where undefined. */
  readonly peers: readonly string[] | undefined;
  /** Object counts of the passes; at `mainSize` all contenders and all rounds. */
  readonly passSizes: readonly number[];
  readonly mainSize: number;
  /** Fresh control planes for Keelson and the floor. */
  readonly rounds: number;
  /** Fresh control planes for each peer. */
  readonly peerRounds: number;
  /** Passes over an unchanged cluster on each control plane. */
  readonly unchangedPasses: number;
  readonly daemonSizes: readonly number[];
  readonly memorySizes: readonly number[];
  readonly steadySeconds: number;
  readonly drifts: number;
  readonly fileChanges: number;
  readonly restarts: number;
  /** Passes, a second apart, after which memory is looked at: an hour has 60. */
  readonly memoryPasses: number;
  readonly isSaved: boolean;
  /** Folder for the load; goes at the end. */
  readonly workspace: string;
  /** Says on stderr what is going on. */
  readonly progress: (message: string) => void;
}

export const help: string = `Usage: npm run bench -- [flags]      (make bench does it all)

Measures Keelson and what else can apply a directory, prints tables, and writes bench/RESULTS.md: about 35 minutes.

  --only PARTS           of ${partNames.join(",")}
  --peers IDS            of ${contenderIds.join(",")}
  --pass-sizes N,…       objects, for first and one-pass            (100,500,5000)
  --daemon-sizes N,…     objects, for steady, drift, file, restart  (500,5000)
  --memory-sizes N,…     objects, for rss                           (500,5000,20000)
  --rounds N             fresh control planes for Keelson and the floor at N=500  (5)
  --peer-rounds N        fresh control planes for each peer at N=500              (2)
  --drifts N             edits and deletes by someone else          (200)
  --quick                small sizes and few samples, 3 minutes; writes nothing
  --no-write             leave bench/RESULTS.md as it is
`;

const full = {
  passSizes: [100, 500, 5000],
  rounds: 5,
  peerRounds: 2,
  unchangedPasses: 3,
  daemonSizes: [500, 5000],
  memorySizes: [500, 5000, 20_000],
  steadySeconds: 60,
  drifts: 200,
  fileChanges: 20,
  restarts: 3,
  memoryPasses: 60,
} as const;

const quick = {
  passSizes: [100],
  rounds: 1,
  peerRounds: 1,
  unchangedPasses: 1,
  daemonSizes: [100],
  memorySizes: [100],
  steadySeconds: 10,
  drifts: 40,
  fileChanges: 5,
  restarts: 1,
  memoryPasses: 10,
} as const;

/** @returns undefined where help is asked for. @throws BenchError for what it does not know. */
export function parseOptions(args: readonly string[], workspace: string): Settings | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      only: { type: "string" },
      peers: { type: "string" },
      "pass-sizes": { type: "string" },
      "daemon-sizes": { type: "string" },
      "memory-sizes": { type: "string" },
      rounds: { type: "string" },
      "peer-rounds": { type: "string" },
      drifts: { type: "string" },
      quick: { type: "boolean" },
      "no-write": { type: "boolean" },
    },
  });
  if (values.help) return undefined;
  const defaults = values.quick ? quick : full;
  const passSizes = numbers(values["pass-sizes"]) ?? defaults.passSizes;
  return {
    ...defaults,
    parts: words(values.only, partNames) ?? partNames,
    peers: words(values.peers, contenderIds),
    passSizes,
    mainSize: passSizes.includes(500) ? 500 : (passSizes[0] ?? 0),
    daemonSizes: numbers(values["daemon-sizes"]) ?? defaults.daemonSizes,
    memorySizes: numbers(values["memory-sizes"]) ?? defaults.memorySizes,
    rounds: numbers(values.rounds)?.[0] ?? defaults.rounds,
    peerRounds: numbers(values["peer-rounds"])?.[0] ?? defaults.peerRounds,
    drifts: numbers(values.drifts)?.[0] ?? defaults.drifts,
    isSaved: !values.quick && !values["no-write"],
    workspace,
    progress: (message) => process.stderr.write(`bench: ${new Date().toISOString().slice(11, 19)} ${message}\n`),
  };
}

function words<T extends string>(text: string | undefined, known: readonly T[]): readonly T[] | undefined {
  return text?.split(",").map((word) => {
    const found = known.find((candidate) => candidate === word);
    if (found === undefined) throw new BenchError(`${word}: not one of ${known.join(", ")}`);
    return found;
  });
}

function numbers(text: string | undefined): readonly number[] | undefined {
  return text?.split(",").map((word) => {
    const number = Number(word);
    if (!Number.isInteger(number) || number < 1) throw new BenchError(`${word}: not a count`);
    return number;
  });
}
