import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { FieldView, ManifestView, ObjectDetail } from "../../../src/http/dashboard/types.ts";
import { useLoaded } from "../api/loaded.ts";
import { block, count, fullTime, kindOf, oneLine } from "../format.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, Panel, Ready } from "../parts/panel.tsx";
import { Path } from "../parts/path.tsx";
import { READINESS, STATES, Status } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { hrefOf } from "../router.ts";
import { useStore } from "../store.ts";

/** One object: what happened to it, who owns its fields, what the file says. */
export function ObjectPage(): JSX.Element {
  const store = useStore();
  const key = store.route.value.params.get("key") ?? "";
  const { state, again } = useLoaded(key, () => store.api.object(key), store.version.value);
  return (
    <div class="page">
      <p class="crumb">
        <a href={hrefOf("objects")}>
          <Icon name="back" size={14} /> Objects
        </a>
      </p>
      <Ready state={state.value} again={again} rows={10}>
        {(detail) => <Detail detail={detail} />}
      </Ready>
    </div>
  );
}

function Detail({ detail }: { readonly detail: ObjectDetail }): JSX.Element {
  const { row, manifest, timeline } = detail;
  return (
    <>
      <header class="object-head">
        <div>
          <p class="object-kind muted">
            {kindOf(row)}
            {detail.apiVersion !== undefined && <> · {oneLine(detail.apiVersion, 80)}</>}
            {row.namespace !== "" && <> · {oneLine(row.namespace, 80)}</>}
          </p>
          <h1 class="object-name">{oneLine(row.name, 300)}</h1>
          <p class="object-states">
            <Status look={STATES[row.state]} />
            <Status look={READINESS[row.readiness]} />
            {row.mode !== undefined && <span class="chip chip-still">{oneLine(row.mode, 40)}</span>}
            {detail.created !== undefined && (
              <span class="muted">
                created <Ago at={detail.created} />
              </span>
            )}
          </p>
        </div>
        <PauseAction detail={detail} />
      </header>
      {row.message !== undefined && <p class="object-message">{oneLine(row.message, 1000)}</p>}
      <div class="columns columns-wide-left">
        <div class="column">
          <Fields detail={detail} />
        </div>
        <div class="column">
          <Panel title="Timeline">
            {timeline.length === 0 ? (
              <Empty title="Nothing has happened">Since this instance started, nobody has changed this object.</Empty>
            ) : (
              <Timeline entries={timeline} isOfOne />
            )}
          </Panel>
          {manifest !== undefined && <Manifest manifest={manifest} />}
        </div>
      </div>
    </>
  );
}

const TWO_HOURS = 2 * 3_600_000;

function PauseAction({ detail }: { readonly detail: ObjectDetail }): JSX.Element | null {
  const { dialog } = useStore();
  const { row, pause } = detail;
  if (row.mode === undefined) return null;
  const target = { kind: "object", key: row.key } as const;
  if (pause === undefined) {
    const request = { kind: "pause", target, forMs: TWO_HOURS } as const;
    return (
      <button type="button" class="button" onClick={() => (dialog.value = { kind: "action", request })}>
        Pause repairs…
      </button>
    );
  }
  return (
    <div class="pause-note">
      <span class="muted">
        Paused until {fullTime(pause.until)}
        {pause.by === undefined ? "" : ` by ${oneLine(pause.by, 60)}`}
      </span>
      <button
        type="button"
        class="button"
        onClick={() => (dialog.value = { kind: "action", request: { kind: "unpause", target: pause.target } })}
      >
        Unpause…
      </button>
    </div>
  );
}

type Owner = "ours" | "others" | "all";

function Fields({ detail }: { readonly detail: ObjectDetail }): JSX.Element {
  const shown = useSignal<Owner>("ours");
  const { fields, live, moreFields } = detail;
  const ours = fields.filter(({ isOurs }) => isOurs);
  const others = fields.filter((field) => !field.isOurs && field.owners.length > 0);
  const lists: Readonly<Record<Owner, readonly FieldView[]>> = { ours, others, all: fields };
  return (
    <Panel title="Fields" aside={live === "present" && <OwnerChoice shown={shown} lists={lists} />}>
      {live === "absent" && <Empty title="Not in the cluster">{oneLine(detail.liveMessage ?? "", 300)}</Empty>}
      {live === "unknown" && (
        <Empty title="The object could not be read" icon="warn">
          {oneLine(detail.liveMessage ?? "", 500)}
        </Empty>
      )}
      {live === "present" && (
        <>
          <FieldTable fields={lists[shown.value]} />
          {moreFields > 0 && <p class="muted pad">{count(moreFields, "more field")} left out</p>}
        </>
      )}
    </Panel>
  );
}

const OWNERS: readonly (readonly [Owner, string])[] = [
  ["ours", "Ours"],
  ["others", "Others’"],
  ["all", "All"],
];

function OwnerChoice(props: {
  readonly shown: Signal<Owner>;
  readonly lists: Readonly<Record<Owner, readonly FieldView[]>>;
}): JSX.Element {
  const { shown, lists } = props;
  return (
    <fieldset class="segments">
      <legend class="hidden">Whose fields</legend>
      {OWNERS.map(([owner, label]) => (
        <label key={owner}>
          <input
            type="radio"
            name="owner"
            checked={shown.value === owner}
            onChange={() => {
              shown.value = owner;
            }}
          />
          <span>
            {label} <small>{lists[owner].length}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function FieldTable({ fields }: { readonly fields: readonly FieldView[] }): JSX.Element {
  if (fields.length === 0) return <Empty title="None" />;
  return (
    <div class="scroll-x">
      <table class="fields">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
            <th scope="col">Owner</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field.path}>
              <th scope="row">
                <Path path={field.path} />
              </th>
              <td>
                <code class="value">{block(field.value, 600)}</code>
              </td>
              <td class="owners">
                {field.owners.length === 0 ? (
                  <span class="muted">server default</span>
                ) : (
                  field.owners.map((owner) => (
                    <span
                      key={`${owner.manager} ${owner.operation} ${owner.subresource ?? ""}`}
                      class={owner.isUs ? "owner owner-us" : "owner"}
                      title={owner.time === undefined ? "" : `last wrote ${fullTime(owner.time)}`}
                    >
                      {owner.isUs ? "Keelson" : oneLine(owner.manager, 60)}
                      <small>
                        {oneLine(owner.operation.toLowerCase(), 20)}
                        {owner.subresource === undefined || owner.subresource === ""
                          ? ""
                          : ` ${oneLine(owner.subresource, 30)}`}
                      </small>
                    </span>
                  ))
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Manifest({ manifest }: { readonly manifest: ManifestView }): JSX.Element {
  const place = `${manifest.file}:${manifest.line}`;
  return (
    <Panel title="Manifest" aside={<code class="place">{oneLine(place, 200)}</code>}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard */}
      <pre class="manifest" tabIndex={0}>
        <code>{block(manifest.text, 60_000)}</code>
      </pre>
    </Panel>
  );
}
