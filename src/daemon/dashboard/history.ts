import { type HistoryPorts, readHistory, readRevisionDiff } from "../../controllers/addon/index.ts";
import type { RevisionSummary } from "../../history/index.ts";
import type { FieldChange, ObjectDiff, Revision, RevisionDiff, Revisions } from "../../http/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import { holdOf } from "./control.ts";
import { nameOf } from "./rows.ts";
import { changeOf, shortText } from "./texts.ts";

/** Where the revisions are. */
export interface HistoryPlace {
  readonly client: KubeClient;
  /** Name of the set, "" for the only one. */
  readonly set: string;
  readonly revisionNamespace: string;
}

const MAX_OBJECTS = 200;
const MAX_FIELDS = 40;

/** The revisions of the set, read from the cluster while a page shows them. */
export class DashboardHistory {
  readonly #place: HistoryPlace;
  /** Of the newest revisions that were read. */
  #known: Revision | undefined;
  #isAsking = false;

  constructor(place: HistoryPlace) {
    this.#place = place;
  }

  /** How the place is named elsewhere. */
  ports(signal: AbortSignal): HistoryPorts {
    return { ...this.#place, signal };
  }

  async revisions(signal: AbortSignal): Promise<Revisions> {
    const { revisions, hold } = await readHistory(this.ports(signal));
    const newestFirst = revisions.map(revisionOf).sort((a, b) => b.revision - a.revision);
    this.#known = newestFirst[0] ?? this.#known;
    return { revisions: newestFirst, ...(hold === undefined ? {} : { hold: holdOf(hold) }) };
  }

  async diff(from: number, to: number, signal: AbortSignal): Promise<RevisionDiff> {
    const { changes } = await readRevisionDiff(this.ports(signal), { from, to });
    const objects = changes.slice(0, MAX_OBJECTS).map(
      ({ action, object, diff }): ObjectDiff => ({
        object: nameOf(object),
        change: action,
        changes: action === "changed" ? changesOf(diff) : [],
      }),
    );
    return { from, to, objects, more: Math.max(0, changes.length - MAX_OBJECTS) };
  }

  /** What is known of the newest revision; the rest is looked up, and `onKnown` called. Asks nobody without a number. */
  newest(revision: number | undefined, onKnown: () => void): Overviewed | undefined {
    if (revision === undefined) return undefined;
    if (this.#known?.revision === revision) return this.#known;
    this.#lookUp(onKnown);
    return { revision };
  }

  #lookUp(onKnown: () => void): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.revisions(AbortSignal.timeout(LOOK_UP_WITHIN_MS))
      .then(onKnown, () => {})
      .finally(() => {
        this.#isAsking = false;
      });
  }
}

type Overviewed = Pick<Revision, "revision"> & Partial<Revision>;

const LOOK_UP_WITHIN_MS = 10_000;

function revisionOf(summary: RevisionSummary): Revision {
  const { revision, time, cause, objects, added, changed, removed, result, failed } = summary;
  return {
    revision,
    at: time,
    cause: shortText(cause),
    objects,
    added,
    changed,
    removed,
    result: result === "failed" ? `${failed} failed` : result,
  };
}

function changesOf(
  diff: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[],
): readonly FieldChange[] {
  return diff.slice(0, MAX_FIELDS).map(({ path, before, after }) => changeOf({ path, before, after }));
}
