import {
  coversDesired,
  digestOf,
  dropUpdateEntry,
  type EmptyLeaves,
  emptyLeavesOf,
  entryOf,
  equalJson,
  explainDrift,
  matchesDesired,
  type OwnedRecord,
  ownedRecord,
  ParentRepair,
  trackingReliable,
} from "../../../src/object/index.ts";
import type { Api, ApiAnswer } from "./api.ts";
import { pickEdit } from "./edits.ts";
import { Random } from "./random.ts";
import { type Loose, SCENARIOS, type Scenario } from "./scenarios.ts";

const APPLIED = "keelson.dev/applied";
const MANAGER = "keelson";

/** A judgement that was wrong, with all that is needed to look into it. */
export interface Verdict {
  readonly mode: "live" | "restart";
  readonly fault: "missed" | "false alarm";
  readonly scenario: string;
  readonly edit: string;
  readonly desired: Loose;
  readonly live: Loose;
  readonly repaired: Loose;
}

/** A drift that replacing the parent did not repair. */
export interface Stuck {
  readonly scenario: string;
  readonly edit: string;
  readonly causes: Loose;
  readonly patches: Loose;
  readonly answer: Loose;
  readonly desired: Loose;
  readonly live: Loose;
}

export interface FuzzResult {
  readonly verdicts: Verdict[];
  /** Drifts that {@link explainDrift} could not name. */
  readonly unexplained: Verdict[];
  /** Objects that a second equal apply still moved. */
  readonly restless: string[];
  edits: number;
  refused: number;
  drifts: number;
  /** Drifts that an apply alone cannot repair (422). */
  refusedRepairs: number;
  /** Of those, the ones that the second step did not repair either. */
  readonly stuck: Stuck[];
  objects: number;
  readonly byEdit: Record<string, number>;
}

interface Baseline {
  readonly record: OwnedRecord;
  readonly leaves: EmptyLeaves | undefined;
  /** Whether the untouched object passes the restart check: not where the server writes a value differently. */
  readonly isTextEqual: boolean;
}

interface Subject {
  readonly scenario: Scenario;
  readonly path: string;
  readonly desired: Loose;
}

/** Edits objects at random until `edits` are accepted or `until` (ms since the epoch) has come, in parallel. */
export async function fuzz(api: Api, options: { seed: number; edits: number; until: number }): Promise<FuzzResult> {
  const result: FuzzResult = {
    verdicts: [],
    unexplained: [],
    restless: [],
    edits: 0,
    refused: 0,
    drifts: 0,
    refusedRepairs: 0,
    stuck: [],
    objects: 0,
    byEdit: {},
  };
  const root = new Random(options.seed);
  const isOver = () => result.edits >= options.edits || Date.now() > options.until;
  const worker = async (random: Random) => {
    while (!isOver()) await fuzzObject({ api, random, result, isOver });
  };
  await Promise.all(Array.from({ length: 6 }, () => worker(root.fork())));
  return result;
}

interface Run {
  readonly api: Api;
  readonly random: Random;
  readonly result: FuzzResult;
  readonly isOver: () => boolean;
}

async function fuzzObject(run: Run): Promise<void> {
  const { api, random, result, isOver } = run;
  const scenario = random.pick(SCENARIOS);
  result.objects += 1;
  const name = `o${result.objects}-${random.below(1e6)}`;
  const subject = {
    scenario,
    path: `${scenario.collection}/${name}`,
    desired: withDigest(scenario.desired(random, name)),
  };
  const created = await api.apply(subject.path, subject.desired);
  if (created.status !== 201) throw new Error(`${scenario.name}: ${created.status} ${JSON.stringify(created.body)}`);
  let baseline = baselineOf(subject, created.body);
  for (let step = 0; step < 12 && !isOver(); step += 1) {
    const before = (await api.get(subject.path)).body;
    if (before.metadata.deletionTimestamp !== undefined) break;
    const edit = pickEdit(random);
    const answer = await edit.edit({ ...subject, api, random, live: before });
    if (answer === undefined) continue;
    if (answer.status >= 300) {
      result.refused += 1;
      continue;
    }
    result.edits += 1;
    result.byEdit[edit.name] = (result.byEdit[edit.name] ?? 0) + 1;
    const next = await judge(run, { ...subject, baseline, edit: edit.name });
    if (next === undefined) break;
    baseline = next;
  }
  await remove(api, subject.path);
}

function withDigest(desired: Loose): Loose {
  const annotations = { ...desired.metadata.annotations, [APPLIED]: digestOf(desired) };
  return { ...desired, metadata: { ...desired.metadata, annotations } };
}

function baselineOf({ desired }: Subject, response: Loose): Baseline {
  const entry = entryOf(response, MANAGER, "Apply");
  const leaves = emptyLeavesOf(desired, { live: response, fieldsV1: entry?.fieldsV1 });
  return {
    record: ownedRecord(response, entry, leaves),
    leaves,
    isTextEqual: isConvergedAtRestart(response, desired),
  };
}

function isConvergedAtRestart(live: Loose, desired: Loose): boolean {
  const entry = entryOf(live, MANAGER, "Apply");
  return (
    live.metadata.annotations?.[APPLIED] === desired.metadata.annotations[APPLIED] &&
    trackingReliable(live, ["v1"]) &&
    coversDesired(entry?.fieldsV1, desired) &&
    matchesDesired(live, desired, entry?.fieldsV1)
  );
}

/** Compares our judgement with the server's; repairs a drift. Gives the baseline that holds now; undefined to give the object up. */
async function judge(
  { api, result }: Run,
  subject: Subject & { readonly baseline: Baseline; readonly edit: string },
): Promise<Baseline | undefined> {
  const { desired, path, baseline, scenario, edit } = subject;
  const live = (await api.get(path)).body;
  if (live.metadata?.deletionTimestamp !== undefined || live.kind === "Status") return undefined;
  const body = { ...desired, metadata: { ...desired.metadata, uid: live.metadata.uid } };
  const oracle = await api.apply(path, body, { dryRun: true });
  const isDrift = oracle.status !== 200 || !isSame(live, oracle.body);
  const record = ownedRecord(live, entryOf(live, MANAGER, "Apply"), baseline.leaves);
  const isAlarm = !equalJson(record, baseline.record);
  const isConverged = isConvergedAtRestart(live, desired);

  const verdict = { scenario: scenario.name, edit, desired, live, repaired: oracle.body };
  if (isDrift && !isAlarm) result.verdicts.push({ ...verdict, mode: "live", fault: "missed" });
  if (!isDrift && isAlarm) result.verdicts.push({ ...verdict, mode: "live", fault: "false alarm" });
  if (isDrift && isConverged) result.verdicts.push({ ...verdict, mode: "restart", fault: "missed" });
  if (!isDrift && !isConverged && baseline.isTextEqual) {
    result.verdicts.push({ ...verdict, mode: "restart", fault: "false alarm" });
  }
  if (!isDrift) return baseline;

  result.drifts += 1;
  if (explainDrift(live, desired, MANAGER).length === 0) {
    result.unexplained.push({ ...verdict, mode: "live", fault: "missed" });
  }
  const repaired =
    oracle.status === 200 ? await api.apply(path, body) : await replaceParents(api, subject, live, oracle);
  if (oracle.status !== 200) result.refusedRepairs += 1;
  if ("stuck" in repaired) {
    result.stuck.push(repaired.stuck);
    return undefined;
  }
  const again = await api.apply(path, body, { dryRun: true });
  if (again.status === 200 && !isSame(repaired.body, again.body)) result.restless.push(`${scenario.name} ${path}`);
  return baselineOf(subject, repaired.body);
}

/** The second step of a repair, as `converge/apply.ts` has it: replace the parents, apply, drop the Update entry. */
async function replaceParents(
  api: Api,
  { path, desired, scenario, edit }: Subject & { readonly edit: string },
  first: Loose,
  refusal: ApiAnswer,
): Promise<ApiAnswer | { readonly stuck: Stuck }> {
  const causesOf = ({ body }: ApiAnswer): Loose[] => body?.details?.causes ?? [];
  const causes = causesOf(refusal);
  const repair = new ParentRepair(desired, causes);
  const patches: Loose[] = [];
  const query = { fieldManager: MANAGER };
  const send = (body: Loose) => api.send({ method: "PATCH", type: "json-patch", path, body, query });
  const stuck = ({ body: answer }: ApiAnswer) => ({
    stuck: { scenario: scenario.name, edit, causes, patches, answer, desired, live: first },
  });
  for (let answer = refusal; ; ) {
    const patch = repair.next((await api.get(path)).body);
    if (patch === undefined) return stuck(answer);
    patches.push(patch);
    answer = await send(patch);
    if (answer.status !== 200) {
      repair.patchRefused(causesOf(answer));
      continue;
    }
    answer = await api.apply(path, desired);
    if (answer.status !== 200) {
      repair.applyRefused(causesOf(answer));
      continue;
    }
    const cleaned = dropUpdateEntry(answer.body, MANAGER);
    if (cleaned !== undefined) answer = await send(cleaned.patch);
    return answer.status === 200 ? answer : stuck(answer);
  }
}

/** Whether an apply changes nothing: no content, and not what we own. */
function isSame(live: Loose, applied: Loose): boolean {
  return equalJson(contentOf(live), contentOf(applied)) && equalJson(ownedBy(live), ownedBy(applied));
}

function contentOf(object: Loose): Loose {
  const { managedFields: _, resourceVersion: __, generation: ___, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function ownedBy(object: Loose): Loose {
  const entry = entryOf(object, MANAGER, "Apply");
  return [entry?.apiVersion, entry?.fieldsV1];
}

async function remove(api: Api, path: string): Promise<void> {
  await api.send({ method: "PATCH", type: "merge", path, body: { metadata: { finalizers: null } } });
  await api.send({ method: "DELETE", path, query: { propagationPolicy: "Background" } });
}
