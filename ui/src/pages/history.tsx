import type { JSX } from "preact";
import type { ObjectDiff, Overview, Revision, Revisions } from "../../../src/http/dashboard/types.ts";
import { type Loaded, useLoaded } from "../api/loaded.ts";
import { count, fullTime, kindOf, nameOf, oneLine } from "../format.ts";
import { Changes } from "../parts/changes.tsx";
import { Empty, Panel, Ready } from "../parts/panel.tsx";
import { Status, type Tone } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { hrefOf } from "../router.ts";
import { useStore } from "../store.ts";
import { HoldBanner } from "./overview.tsx";

/** What the set was, when and why it changed, and the way back. */
export function HistoryPage(): JSX.Element {
  const store = useStore();
  const { state, again } = useLoaded("history", () => store.api.revisions(), versionOf(store.overview.value));
  return (
    <div class="page">
      <header class="page-head">
        <h1>History</h1>
      </header>
      <Ready state={state.value} again={again} rows={8}>
        {(value) => <HistoryOf history={value} />}
      </Ready>
    </div>
  );
}

/** Revisions are read from the cluster: again when there is another one or another hold, not at every change. */
function versionOf(overview: Loaded<Overview>): number {
  if (overview.kind !== "ready") return 0;
  const { revision, hold } = overview.value;
  return (revision?.revision ?? 0) + (hold === undefined ? 0.5 : 0) + (hold?.revision ?? 0) * 1_000_000;
}

function HistoryOf({ history }: { readonly history: Revisions }): JSX.Element {
  const store = useStore();
  const { revisions, hold } = history;
  const [newest] = revisions;
  if (newest === undefined) {
    return (
      <Empty title="No revision yet" icon="history">
        {history.unavailable ?? "The first is kept as soon as the directory has been applied."}
      </Empty>
    );
  }
  const asked = Number(store.route.value.params.get("revision") ?? newest.revision);
  const chosen = revisions.find(({ revision }) => revision === asked) ?? newest;
  const inForce = newest.revision;
  const before = revisions[revisions.indexOf(chosen) + 1];
  return (
    <>
      {hold !== undefined && <HoldBanner hold={hold} />}
      <div class="columns columns-narrow-left">
        <div class="column">
          <ol class="revisions">
            {revisions.map((revision) => (
              <RevisionItem
                key={revision.revision}
                revision={revision}
                isChosen={revision === chosen}
                isInForce={revision.revision === inForce}
              />
            ))}
          </ol>
        </div>
        <div class="column">
          <RevisionPanel revision={chosen} before={before} isInForce={chosen.revision === inForce} />
        </div>
      </div>
    </>
  );
}

function RevisionItem(props: {
  readonly revision: Revision;
  readonly isChosen: boolean;
  readonly isInForce: boolean;
}): JSX.Element {
  const { revision, isChosen, isInForce } = props;
  return (
    <li>
      <a
        class={`revision${isChosen ? " is-chosen" : ""}`}
        href={hrefOf("history", { revision: String(revision.revision) })}
        aria-current={isChosen ? "true" : undefined}
      >
        <span class="revision-number">{revision.revision}</span>
        <span class="revision-text">
          <span>{oneLine(revision.cause, 160)}</span>
          <small class="muted">
            <Ago at={revision.at} /> · {deltaOf(revision)}
          </small>
        </span>
        {isInForce && <Status look={{ tone: "good", label: "In force" }} small />}
      </a>
    </li>
  );
}

function deltaOf({ added, changed, removed, objects }: Revision): string {
  const parts = [
    added > 0 ? `${added} added` : "",
    changed > 0 ? `${changed} changed` : "",
    removed > 0 ? `${removed} removed` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? count(objects, "object") : parts.join(", ");
}

function RevisionPanel(props: {
  readonly revision: Revision;
  readonly before: Revision | undefined;
  readonly isInForce: boolean;
}): JSX.Element {
  const store = useStore();
  const { revision, before, isInForce } = props;
  const rollback = isInForce ? undefined : (
    <button
      type="button"
      class="button"
      onClick={() =>
        (store.dialog.value = { kind: "action", request: { kind: "rollback", revision: revision.revision } })
      }
    >
      Roll back to {revision.revision}…
    </button>
  );
  return (
    <Panel title={`Revision ${revision.revision}`} aside={rollback}>
      <p class="pad muted">
        {fullTime(revision.at)} · {count(revision.objects, "object")}
        {revision.result === undefined ? "" : ` · ${oneLine(revision.result, 80)}`}
      </p>
      {before === undefined ? (
        <Empty title="The first revision that is kept">There is nothing before it to compare with.</Empty>
      ) : (
        <DiffOf from={before.revision} to={revision.revision} />
      )}
    </Panel>
  );
}

function DiffOf({ from, to }: { readonly from: number; readonly to: number }): JSX.Element {
  const store = useStore();
  const { state, again } = useLoaded(`${from} ${to}`, () => store.api.diff(from, to), 0);
  return (
    <Ready state={state.value} again={again}>
      {(diff) => (
        <>
          <p class="pad muted">Compared with revision {from}</p>
          {diff.objects.length === 0 ? (
            <Empty title="No object differs" />
          ) : (
            <ul class="diffs">
              {diff.objects.map((object) => (
                <DiffObject key={JSON.stringify(object.object)} diff={object} />
              ))}
            </ul>
          )}
          {diff.more > 0 && <p class="pad muted">and {count(diff.more, "more object")}</p>}
        </>
      )}
    </Ready>
  );
}

const CHANGES: Readonly<Record<ObjectDiff["change"], { readonly tone: Tone; readonly label: string }>> = {
  added: { tone: "good", label: "Added" },
  changed: { tone: "busy", label: "Changed" },
  removed: { tone: "quiet", label: "Removed" },
};

function DiffObject({ diff }: { readonly diff: ObjectDiff }): JSX.Element {
  return (
    <li class="diff">
      <p class="diff-head">
        <Status look={CHANGES[diff.change]} small />
        <span>
          <span class="muted">{kindOf(diff.object)}</span> {nameOf(diff.object)}
        </span>
      </p>
      {diff.change === "changed" && <Changes changes={diff.changes} />}
    </li>
  );
}
