import type { Clock } from "../../async/index.ts";
import {
  type Cluster,
  type DesiredInput,
  type DesiredObject,
  executeStep,
  resolveDesired,
  type SetIdentity,
} from "../../converge/index.ts";
import { isAborted, KeelsonError, messageOf } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import type { Logger } from "../../log/index.ts";
import type { ManifestSnapshot } from "../../manifest/index.ts";
import { describeRef } from "../../object/index.ts";
import { treatmentOf } from "./desired.ts";
import { type AdmissionResult, type AdmissionStep, admissionEntry, type Entry } from "./journal-entries.ts";

/** The original's patience with one file. */
const MAX_TRIES = 100;
const RETRY_MS = 10_000;
/** Objects of admission controls live here; one that names another namespace is an error of its file. */
const NAMESPACE = "default";

/** Never proof for prune: what this manager applied is never deleted. */
const IDENTITY: SetIdentity = {
  manager: "keelson-admission",
  selectors: [],
  classLabels: () => [],
  releasedLabels: [],
  modeLabel: undefined,
};

/** What applying the admission controls needs. */
export interface AdmissionOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Reads the directory anew, so that a file that is mended between two tries is seen. */
  readonly load: (signal: AbortSignal) => Promise<ManifestSnapshot>;
  /** Takes a line for the journal, for each write that was made or refused; default: nothing is put down. */
  readonly note?: ((entry: Entry) => void) | undefined;
}

/**
 * Applies the admission controls, each file by itself: its Reconcile objects, then the others, which are only ensured.
 * A file that fails is tried again every ten seconds, a hundred times at most.
 *
 * `firstTry` resolves when every file has succeeded or failed once, `done` when no file is left to try; both with the files
 * that have failed so far. Neither rejects but for an abort.
 */
export function applyAdmissionControls(
  options: AdmissionOptions,
  signal: AbortSignal,
): { readonly firstTry: Promise<readonly AdmissionFailure[]>; readonly done: Promise<readonly AdmissionFailure[]> } {
  const files = options.load(signal).then((snapshot) => [...filesOf(snapshot)].sort());
  const runs = files.then((names) => names.map((file) => tryFile(options, file, signal)));
  const all = async (
    pick: (run: FileRun) => Promise<KeelsonError | undefined>,
  ): Promise<readonly AdmissionFailure[]> => {
    const [names, errors] = [await files, await Promise.all((await runs).map(pick))];
    return errors.flatMap((error, at) => (error === undefined ? [] : [{ file: names[at] ?? "", error }]));
  };
  return { firstTry: all((run) => run.firstTry), done: all((run) => run.done) };
}

/** A file of admission controls that could not be applied. */
export interface AdmissionFailure {
  readonly file: string;
  readonly error: KeelsonError;
}

/** How a file's tries end: with its last error, or undefined where it succeeded. */
interface FileRun {
  readonly firstTry: Promise<KeelsonError | undefined>;
  readonly done: Promise<KeelsonError | undefined>;
}

function tryFile(options: AdmissionOptions, file: string, signal: AbortSignal): FileRun {
  const { clock, log } = options;
  const first = attempt(options, file, signal);
  const rest = async (): Promise<KeelsonError | undefined> => {
    let outcome = await first;
    for (let left = MAX_TRIES - 1; outcome !== undefined; left -= 1) {
      const message = `Failed to apply admission control ${file}: ${outcome.message}`;
      if (left === 0) {
        log.error(`${message}; given up after ${MAX_TRIES} tries`);
        return outcome;
      }
      log.warn(`${message}; ${left} tries left`);
      await clock.sleep(RETRY_MS, signal);
      outcome = await attempt(options, file, signal);
    }
    return undefined;
  };
  return { firstTry: first, done: rest() };
}

/** One try of one file; the error that it fails with, or undefined. */
async function attempt(
  options: AdmissionOptions,
  file: string,
  signal: AbortSignal,
): Promise<KeelsonError | undefined> {
  try {
    await applyFile(options, file, signal);
    return undefined;
  } catch (error) {
    if (isAborted(error)) throw error;
    return error instanceof KeelsonError ? error : new KeelsonError("Internal", messageOf(error), { cause: error });
  }
}

async function applyFile(options: AdmissionOptions, file: string, signal: AbortSignal): Promise<void> {
  const { client, clock } = options;
  const snapshot = await options.load(signal);
  const problem = snapshot.problems.find((each) => each.file === file);
  if (problem !== undefined) throw new KeelsonError(problem.code, `line ${problem.line ?? 1}: ${problem.message}`);
  const input = treatedAdmission({
    ...snapshot,
    objects: snapshot.objects.filter(({ origin }) => origin.file === file),
  });
  const desired = await resolveDesired(input, { discovery: client.discovery, defaultNamespace: NAMESPACE, signal });
  const objects = [...desired.objects.values()];
  for (const object of objects) requireNamespace(object);
  const cluster: Cluster = { client, clock, identity: IDENTITY };
  for (const mode of ["Reconcile", "EnsureExists"] as const) {
    for (const object of objects.filter((each) => each.mode === mode)) {
      const kind = mode === "Reconcile" ? "create" : "ensure";
      const step = { kind, key: object.key, desired: object, reason: { kind: "missing" } } as const;
      await execute(options, { cluster, step }, signal);
    }
  }
}

/** One write, with its line in log and journal. */
async function execute(
  { log, clock, note }: AdmissionOptions,
  { cluster, step }: { readonly cluster: Cluster; readonly step: AdmissionStep },
  signal: AbortSignal,
): Promise<void> {
  const { desired } = step;
  const started = clock.monotonic();
  const tell = (result: AdmissionResult): void =>
    note?.(admissionEntry(step, { ...result, ms: clock.monotonic() - started, at: clock.now() }));
  try {
    const { outcome, live } = await executeStep(cluster, step, signal);
    if (outcome !== "unchanged" && outcome !== "skipped") tell({ outcome, uid: live?.uid, error: undefined });
    if (outcome === "created")
      log.info(`Admission control ${describeRef(desired.ref)} created from ${desired.origin.file}`);
  } catch (error) {
    if (error instanceof KeelsonError && !isAborted(error)) tell({ outcome: "failed", uid: undefined, error });
    throw error;
  }
}

/** What the labels of admission controls say: unlabelled objects are ensured, too. */
export function treatedAdmission({ objects }: Pick<ManifestSnapshot, "objects">): DesiredInput {
  const declared = objects.map((manifest) => {
    const treatment = treatmentOf(manifest.labels);
    return { manifest, mode: treatment.kind === "declared" ? treatment.mode : ("EnsureExists" as const) };
  });
  return { declared, mentioned: [], broken: [], isMissing: false, reduced: new Map() };
}

function requireNamespace({ ref, origin }: DesiredObject): void {
  if (ref.namespace === "" || ref.namespace === NAMESPACE) return;
  const message = `line ${origin.line}: ${describeRef(ref)}: admission controls are applied in namespace ${NAMESPACE}`;
  throw new KeelsonError("InvalidManifest", message);
}

function filesOf(snapshot: ManifestSnapshot): ReadonlySet<string> {
  if (snapshot.state.kind === "missing") return new Set();
  return new Set([...snapshot.objects.map(({ origin }) => origin.file), ...snapshot.problems.map(({ file }) => file)]);
}
