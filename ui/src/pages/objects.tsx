import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ObjectRow } from "../../../src/http/dashboard/types.ts";
import { count, oneLine } from "../format.ts";
import { choicesOf, type Filter, filterRows, kindKey } from "../objects/filter.ts";
import { ObjectGrid } from "../objects/grid.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, Ready } from "../parts/panel.tsx";
import { STATES } from "../parts/status.tsx";
import { replaceParams } from "../router.ts";
import { useStore } from "../store.ts";

const STATE_CHOICES: readonly (readonly [string, string])[] = [
  ["", "Any state"],
  ["trouble", "Needs a look"],
  ["not-ready", "Not ready"],
  ...Object.entries(STATES).map(([state, { label }]) => [state, label] as const),
];

/** Every object of the set. */
export function ObjectsPage(): JSX.Element {
  const store = useStore();
  useEffect(() => store.wantRows(), []);
  const rows = store.rows.value;
  return (
    <div class="page page-tall">
      <header class="page-head">
        <h1>Objects</h1>
      </header>
      <Ready state={rows} again={() => store.wantRows()} rows={12}>
        {(value) => <Objects rows={value} />}
      </Ready>
    </div>
  );
}

function Objects({ rows }: { readonly rows: ReadonlyMap<string, ObjectRow> }): JSX.Element {
  const store = useStore();
  const filter = filterOf(store.route.value.params);
  const found = useComputed(() => {
    const loaded = store.rows.value;
    return loaded.kind === "ready" ? filterRows(loaded.value.values(), filterOf(store.route.value.params)) : [];
  });
  if (rows.size === 0) {
    return <Empty title="No objects yet">What the directory declares appears here.</Empty>;
  }
  return (
    <>
      <Filters rows={rows} filter={filter} found={found.value.length} />
      {found.value.length === 0 ? (
        <Empty title="No object fits" icon="search">
          <button type="button" class="button" onClick={() => replaceParams(store.route, {})}>
            Clear the filter
          </button>
        </Empty>
      ) : (
        <ObjectGrid rows={found.value} />
      )}
    </>
  );
}

function filterOf(params: URLSearchParams): Filter {
  const of = (name: string): string => params.get(name) ?? "";
  return { text: of("q"), kind: of("kind"), namespace: of("ns"), state: of("state"), file: of("file") };
}

function Filters(props: {
  readonly rows: ReadonlyMap<string, ObjectRow>;
  readonly filter: Filter;
  readonly found: number;
}): JSX.Element {
  const { route, rows } = useStore();
  const { filter } = props;
  const set = (change: Partial<Filter>): void => {
    const { text, kind, namespace, state, file } = { ...filter, ...change };
    replaceParams(route, { q: text, kind, ns: namespace, state, file });
  };
  const kinds = useComputed(() => (rows.value.kind === "ready" ? choicesOf(rows.value.value.values(), kindKey) : []));
  const namespaces = useComputed(() =>
    rows.value.kind === "ready" ? choicesOf(rows.value.value.values(), ({ namespace }) => namespace) : [],
  );
  return (
    <search class="filters">
      <SearchBox text={filter.text} onText={(text) => set({ text })} />
      <Choice
        label="Kind"
        any="Any kind"
        value={filter.kind}
        choices={kinds.value}
        onChoice={(kind) => set({ kind })}
      />
      <Choice
        label="Namespace"
        any="Any namespace"
        value={filter.namespace}
        choices={namespaces.value}
        onChoice={(namespace) => set({ namespace })}
      />
      <label class="choice">
        <span class="hidden">State</span>
        <select value={filter.state} onChange={(event) => set({ state: event.currentTarget.value })}>
          {STATE_CHOICES.map(([state, label]) => (
            <option key={state} value={state}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {filter.file !== "" && (
        <button type="button" class="chip" onClick={() => set({ file: "" })}>
          {oneLine(filter.file, 60)} <Icon name="close" size={12} />
          <span class="hidden">remove this filter</span>
        </button>
      )}
      <output class="muted found" aria-live="polite">
        {props.found === props.rows.size
          ? count(props.rows.size, "object")
          : `${props.found.toLocaleString("en")} of ${count(props.rows.size, "object")}`}
      </output>
    </search>
  );
}

/** The slash key leads here from anywhere on the page. */
function SearchBox({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
      if (event.key !== "/" || isTyping || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <label class="search search-wide">
      <Icon name="search" />
      <span class="hidden">Filter by text</span>
      <input
        ref={input}
        type="search"
        placeholder="Name, kind, file, message"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <kbd>/</kbd>
    </label>
  );
}

function Choice(props: {
  readonly label: string;
  readonly any: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, number])[];
  readonly onChoice: (value: string) => void;
}): JSX.Element {
  return (
    <label class="choice">
      <span class="hidden">{props.label}</span>
      <select value={props.value} onChange={(event) => props.onChoice(event.currentTarget.value)}>
        <option value="">{props.any}</option>
        {props.choices.map(([value, number]) => (
          <option key={value} value={value}>
            {oneLine(value, 80)} ({number.toLocaleString("en")})
          </option>
        ))}
      </select>
    </label>
  );
}
