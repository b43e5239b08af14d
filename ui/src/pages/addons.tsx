import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Addon, ObjectState } from "../../../src/http/dashboard/types.ts";
import { useLoaded } from "../api/loaded.ts";
import { count, fullTime, oneLine } from "../format.ts";
import { rankOf } from "../objects/filter.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, Ready } from "../parts/panel.tsx";
import { READINESS, STATES, Status } from "../parts/status.tsx";
import { hrefOf } from "../router.ts";
import { useStore } from "../store.ts";

/** The files of the directory, and how their objects fare. */
export function AddonsPage(): JSX.Element {
  const store = useStore();
  const text = useSignal("");
  const { state, again } = useLoaded("addons", () => store.api.addons(), store.version.value);
  const word = text.value.trim().toLowerCase();
  return (
    <div class="page">
      <header class="page-head">
        <h1>Add-ons</h1>
        <label class="search">
          <Icon name="search" />
          <span class="hidden">Filter by file</span>
          <input
            type="search"
            placeholder="Filter by file"
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
      </header>
      <Ready state={state.value} again={again} rows={8}>
        {(addons) => (
          <Files addons={addons.filter(({ file }) => file.toLowerCase().includes(word))} isAll={word === ""} />
        )}
      </Ready>
    </div>
  );
}

function Files({ addons, isAll }: { readonly addons: readonly Addon[]; readonly isAll: boolean }): JSX.Element {
  if (addons.length === 0) {
    return isAll ? (
      <Empty title="The directory declares nothing" icon="file">
        Put manifests with the label <code>addonmanager.kubernetes.io/mode: Reconcile</code> into it.
      </Empty>
    ) : (
      <Empty title="No file fits" icon="search" />
    );
  }
  const inOrder = [...addons].sort((a, b) => rankOf(a.state) - rankOf(b.state) || (a.file < b.file ? -1 : 1));
  return (
    <ul class="cards">
      {inOrder.slice(0, 1000).map((addon) => (
        <File key={addon.file} addon={addon} />
      ))}
    </ul>
  );
}

function File({ addon }: { readonly addon: Addon }): JSX.Element {
  const store = useStore();
  const { file, pause } = addon;
  const slash = file.lastIndexOf("/");
  const target = { kind: "file", file } as const;
  return (
    <li class="card">
      <div class="card-head">
        <h2 class="card-title">
          <a href={hrefOf("objects", { file })}>
            {slash >= 0 && <span class="muted">{oneLine(file.slice(0, slash + 1), 120)}</span>}
            {oneLine(file.slice(slash + 1), 160)}
          </a>
        </h2>
        <Status look={STATES[addon.state]} small />
        <Status look={READINESS[addon.readiness]} small />
      </div>
      <p class="card-line">
        {count(addon.objects, "object")}
        {Object.entries(addon.states)
          .filter(([name]) => name !== "converged")
          .map(([name, number]) => ` · ${number} ${STATES[name as ObjectState].label.toLowerCase()}`)
          .join("")}
        {addon.ready < addon.objects && ` · ${addon.ready} ready`}
      </p>
      {addon.message !== undefined && <p class="card-message">{oneLine(addon.message, 300)}</p>}
      {addon.problems.map((problem) => (
        <p key={`${problem.line}${problem.message}`} class="card-problem tone-bad">
          <Icon name="bad" size={14} />
          <span>
            {problem.line > 0 && <code class="place">line {problem.line}</code>} {oneLine(problem.message, 400)}
          </span>
        </p>
      ))}
      <div class="card-foot">
        {pause === undefined ? (
          <PauseButton file={file} />
        ) : (
          <>
            <span class="muted">Paused until {fullTime(pause.until)}</span>
            <button
              type="button"
              class="link"
              onClick={() => (store.dialog.value = { kind: "action", request: { kind: "unpause", target } })}
            >
              Unpause…
            </button>
          </>
        )}
      </div>
    </li>
  );
}

const TWO_HOURS = 2 * 3_600_000;

function PauseButton({ file }: { readonly file: string }): JSX.Element {
  const store = useStore();
  const request = { kind: "pause", target: { kind: "file", file }, forMs: TWO_HOURS } as const;
  return (
    <button type="button" class="link" onClick={() => (store.dialog.value = { kind: "action", request })}>
      Pause repairs…<span class="hidden"> of {oneLine(file, 100)}</span>
    </button>
  );
}
