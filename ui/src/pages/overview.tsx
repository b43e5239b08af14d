import type { JSX } from "preact";
import type { Counts, HeldList, Hold, Overview, Pause } from "../../../src/http/dashboard/types.ts";
import { count, fullTime, kindOf, nameOf, oneLine } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, Panel, Ready } from "../parts/panel.tsx";
import { PHASES, STATES, Status, type Tone } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { hrefOf } from "../router.ts";
import { useStore } from "../store.ts";

/** How things stand, in one look. */
export function OverviewPage(): JSX.Element {
  const { overview } = useStore();
  return (
    <div class="page">
      <h1 class="hidden">Overview</h1>
      <Ready state={overview.value} rows={8}>
        {(value) => <OverviewOf overview={value} />}
      </Ready>
    </div>
  );
}

function OverviewOf({ overview }: { readonly overview: Overview }): JSX.Element {
  const { hold, held, problems, attention, pauses } = overview;
  return (
    <>
      <Hero overview={overview} />
      {hold !== undefined && <HoldBanner hold={hold} />}
      <Facts overview={overview} />
      <div class="columns">
        <div class="column">
          {attention.length > 0 && (
            <Panel title="Needs a look">
              <ul class="rows">
                {attention.map((row) => (
                  <li key={row.key}>
                    <a class="row-link" href={hrefOf("object", { key: row.key })}>
                      <Status look={STATES[row.state]} small />
                      <span class="row-name">
                        <span class="muted">{kindOf(row)}</span> {nameOf(row)}
                      </span>
                      <span class="row-message">{oneLine(row.message ?? "", 300)}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </Panel>
          )}
          {held.objects.length > 0 && <HeldPanel held={held} />}
          {problems.length > 0 && (
            <Panel title="Problems" aside={<span class="muted">{problems.length}</span>}>
              <ul class="rows">
                {problems.map((problem) => (
                  <li key={`${problem.file}:${problem.line}:${problem.message}`} class="problem">
                    {problem.file !== "" && (
                      <code class="place">
                        {oneLine(problem.file, 200)}
                        {problem.line > 0 ? `:${problem.line}` : ""}
                      </code>
                    )}
                    <span>{oneLine(problem.message, 500)}</span>
                  </li>
                ))}
              </ul>
            </Panel>
          )}
          {pauses.length > 0 && <PausesPanel pauses={pauses} />}
          {attention.length + held.objects.length + problems.length + pauses.length === 0 && (
            <Panel title="Needs a look">
              <Empty title="Nothing needs you" icon="good">
                No failures, no held prunes, no problems in the files.
              </Empty>
            </Panel>
          )}
        </div>
        <div class="column">
          <Panel title="Recent changes">
            {overview.recent.length === 0 ? (
              <Empty title="Nothing has changed">What Keelson writes and repairs appears here while it happens.</Empty>
            ) : (
              <Timeline entries={overview.recent} />
            )}
          </Panel>
        </div>
      </div>
    </>
  );
}

function Hero({ overview }: { readonly overview: Overview }): JSX.Element {
  const { counts, phase } = overview;
  const look = overview.isReachable ? PHASES[phase] : { tone: "bad" as const, label: "API server unreachable" };
  return (
    <section class={`hero tone-${look.tone}`} aria-label="State of the set">
      <div class="hero-sign">
        <Icon name={look.tone} size={40} />
      </div>
      <div class="hero-text">
        <p class="hero-title">{look.label}</p>
        <p class="hero-line">
          {sentenceOf(overview)}
          <span class="muted">
            {" "}
            Since <Ago at={overview.since} />.
          </span>
        </p>
      </div>
      <CountsBar counts={counts} />
    </section>
  );
}

function sentenceOf({ counts, isReachable, phase }: Overview): string {
  if (!isReachable) return "Nothing can be written until the API server answers again.";
  if (phase === "starting") return "Looking at the cluster for the first time.";
  if (counts.desired === 0) return "The directory declares no objects.";
  if (counts.converged === counts.desired) return `${counted(counts.desired)} as declared.`;
  return `${counts.converged.toLocaleString("en")} of ${count(counts.desired, "object")} are as declared.`;
}

function counted(number: number): string {
  return number === 1 ? "The one object is" : `All ${count(number, "object")} are`;
}

const SEGMENTS: readonly (readonly [keyof Counts & string, Tone, string, string])[] = [
  ["converged", "good", "Converged", "converged"],
  ["pending", "busy", "Pending", "pending"],
  ["blocked", "warn", "Blocked", "blocked"],
  ["failed", "bad", "Failed", "failed"],
  ["fighting", "bad", "Fighting", "fighting"],
  ["paused", "hold", "Paused", "paused"],
  ["held", "hold", "Held", "held"],
  ["kept", "quiet", "Kept", "kept"],
];

const BAR = 1000;
const LEAST = 10;
const GAP = 3;

/** Where each part of the bar stands: in proportion, but one of ten thousand is still seen. */
function segmentsOf(numbers: readonly number[]): readonly { readonly at: number; readonly width: number }[] {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  const wide = numbers.map((number) => Math.max(LEAST, (number / total) * BAR));
  const scale = BAR / wide.reduce((sum, width) => sum + width, 0);
  let at = 0;
  return wide.map((width, index) => {
    const gap = index === wide.length - 1 ? 0 : GAP;
    const segment = { at, width: Math.max(1, width * scale - gap) };
    at += width * scale;
    return segment;
  });
}

/** How many objects are in which state: a bar, and the same as links. */
function CountsBar({ counts }: { readonly counts: Counts }): JSX.Element {
  const shown = SEGMENTS.filter(([state]) => counts[state] > 0);
  return (
    <div class="counts">
      <svg class="bar" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {segmentsOf(shown.map(([state]) => counts[state])).map(({ at, width }, index) => (
          <rect key={shown[index]?.[0]} class={`fill-${shown[index]?.[1]}`} x={at} y="0" width={width} height="8" />
        ))}
      </svg>
      <ul class="legend">
        {shown.map(([state, tone, label, filter]) => (
          <li key={state}>
            <a href={hrefOf("objects", { state: filter })} class={`tone-${tone}`}>
              <Icon name={tone} size={14} />
              <span class="legend-number">{counts[state].toLocaleString("en")}</span> {label}
            </a>
          </li>
        ))}
        {counts.notReady > 0 && (
          <li>
            <a href={hrefOf("objects", { state: "not-ready" })} class="tone-busy">
              <Icon name="busy" size={14} />
              <span class="legend-number">{counts.notReady.toLocaleString("en")}</span> Not ready yet
            </a>
          </li>
        )}
      </ul>
    </div>
  );
}

function Facts({ overview }: { readonly overview: Overview }): JSX.Element {
  const { leader, revision, path, instance, version } = overview;
  const leading =
    leader.kind === "leading"
      ? "This instance"
      : leader.kind === "following"
        ? (leader.holder ?? "Another instance")
        : "Unknown";
  return (
    <dl class="facts">
      <div>
        <dt>Leader</dt>
        <dd>
          {oneLine(leading, 80)}
          <small>{oneLine(leader.kind === "leading" ? instance : (leader.reason ?? instance), 120)}</small>
        </dd>
      </div>
      <div>
        <dt>Revision</dt>
        <dd>
          {revision === undefined ? (
            "None yet"
          ) : (
            <>
              <a href={hrefOf("history", { revision: String(revision.revision) })}>{revision.revision}</a>
              {revision.at !== undefined && (
                <small title={fullTime(revision.at)}>
                  <Ago at={revision.at} />
                  {revision.cause !== undefined && <>, {oneLine(revision.cause, 80)}</>}
                </small>
              )}
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Directory</dt>
        <dd>
          <span class="mono">{oneLine(path, 120)}</span>
          <small>Keelson {version}</small>
        </dd>
      </div>
    </dl>
  );
}

/** The set stays at a revision: nobody should wonder why a file has no effect. */
export function HoldBanner({ hold }: { readonly hold: Hold }): JSX.Element {
  const store = useStore();
  const waiting = hold.waiting ?? 0;
  return (
    <section class="banner banner-big tone-hold" aria-label="Hold">
      <Icon name="hold" size={20} />
      <div class="banner-text">
        <strong>Held at revision {hold.revision}.</strong> Changes of the directory wait
        {waiting > 0 ? ` (${count(waiting, "object")})` : ""} until somebody resumes.
        <p class="muted">
          {hold.by !== undefined && <>By {oneLine(hold.by, 80)}</>}
          {hold.since !== undefined && (
            <>
              {" "}
              <Ago at={hold.since} />
            </>
          )}
          {hold.reason !== undefined && hold.reason !== "" && <>: {oneLine(hold.reason, 300)}</>}
        </p>
      </div>
      <button
        type="button"
        class="button"
        onClick={() => (store.dialog.value = { kind: "action", request: { kind: "resume" } })}
      >
        Resume…
      </button>
    </section>
  );
}

function HeldPanel({ held }: { readonly held: HeldList }): JSX.Element {
  const store = useStore();
  const { digest } = held;
  const release =
    digest === undefined ? undefined : (
      <button
        type="button"
        class="button button-small"
        onClick={() => (store.dialog.value = { kind: "action", request: { kind: "confirm-prune", digest } })}
      >
        Confirm prune of {held.confirmable}…
      </button>
    );
  return (
    <Panel title="Held prunes" aside={release}>
      <ul class="rows">
        {held.objects.slice(0, 100).map((object) => (
          <li key={object.uid}>
            <a class="row-link" href={hrefOf("object", { key: object.key })}>
              <Status look={object.confirmable ? STATES.held : STATES.kept} small />
              <span class="row-name">
                <span class="muted">{kindOf(object)}</span> {nameOf(object)}
              </span>
              <span class="row-message">{oneLine(object.reason, 300)}</span>
            </a>
          </li>
        ))}
      </ul>
      {held.objects.length > 100 && <p class="muted pad">and {held.objects.length - 100} more</p>}
    </Panel>
  );
}

function PausesPanel({ pauses }: { readonly pauses: readonly Pause[] }): JSX.Element {
  const store = useStore();
  return (
    <Panel title="Paused">
      <ul class="rows">
        {pauses.map((pause) => (
          <li key={JSON.stringify(pause.target)} class="pause">
            <Status look={STATES.paused} small />
            <span class="row-name">
              {pause.target.kind === "file" ? (
                <a href={hrefOf("objects", { file: pause.target.file })}>{oneLine(pause.target.file, 200)}</a>
              ) : (
                <a href={hrefOf("object", { key: pause.target.key })}>{oneLine(pause.target.key, 200)}</a>
              )}
            </span>
            <span class="row-message">
              until {fullTime(pause.until)}
              {pause.by === undefined ? "" : `, by ${oneLine(pause.by, 80)}`}
              {pause.reason === undefined || pause.reason === "" ? "" : `: ${oneLine(pause.reason, 200)}`}
            </span>
            <button
              type="button"
              class="button button-small"
              onClick={() =>
                (store.dialog.value = { kind: "action", request: { kind: "unpause", target: pause.target } })
              }
            >
              Unpause…
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
