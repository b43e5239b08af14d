import type { JSX } from "preact";
import type { TimelineEntry } from "../../../src/http/dashboard/types.ts";
import { kindOf, nameOf, oneLine } from "../format.ts";
import { hrefOf } from "../router.ts";
import { Changes } from "./changes.tsx";
import { lookOfEntry, Status } from "./status.tsx";
import { Ago } from "./time.tsx";

/** What happened, newest first. `isOfOne`: the object is known from the page around it. */
export function Timeline(props: {
  readonly entries: readonly TimelineEntry[];
  readonly isOfOne?: boolean;
}): JSX.Element {
  return (
    <ol class="timeline">
      {props.entries.map((entry) => (
        <Entry key={entry.id} entry={entry} isOfOne={props.isOfOne === true} />
      ))}
    </ol>
  );
}

function Entry({ entry, isOfOne }: { readonly entry: TimelineEntry; readonly isOfOne: boolean }): JSX.Element {
  const { object, key, authors, changes, file, line } = entry;
  const look = lookOfEntry(entry);
  return (
    <li class={`entry tone-${look.tone}`}>
      <div class="entry-head">
        <Status look={look} small />
        {!isOfOne && object !== undefined && key !== undefined && (
          <a class="entry-object" href={hrefOf("object", { key })}>
            <span class="muted">{kindOf(object)}</span> {nameOf(object)}
          </a>
        )}
        <span class="entry-time muted">
          <Ago at={entry.at} />
        </span>
      </div>
      <p class="entry-reason">{oneLine(entry.reason, 400)}</p>
      {authors.length > 0 && (
        <p class="entry-by muted">
          {entry.kind === "action" ? "by " : "changed by "}
          {authors.map((author) => oneLine(author, 80)).join(", ")}
        </p>
      )}
      {isOfOne && changes.length > 0 && <Changes changes={changes} />}
      {isOfOne && file !== undefined && entry.kind === "write" && (
        <p class="muted entry-by">
          {oneLine(file, 200)}
          {line === undefined ? "" : `:${line}`}
          {entry.ms === undefined ? "" : ` · ${Math.max(1, Math.round(entry.ms))} ms`}
        </p>
      )}
    </li>
  );
}
