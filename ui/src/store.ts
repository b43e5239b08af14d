import { batch, type Signal, signal } from "@preact/signals";
import { type Context, createContext } from "preact";
import { useContext } from "preact/hooks";
import type {
  ActionRequest,
  LiveEvent,
  Me,
  ObjectRow,
  Overview,
  TimelineEntry,
} from "../../src/http/dashboard/types.ts";
import { type Api, ApiFailure } from "./api/client.ts";
import { afterFailure, type Loaded } from "./api/loaded.ts";
import { Connection, type ConnectionState } from "./live/connection.ts";
import type { StreamEvent } from "./live/event-stream.ts";
import { followRoute, type Route } from "./router.ts";

type Rows = ReadonlyMap<string, ObjectRow>;

/** A word at the edge of the page. */
export interface Toast {
  readonly id: number;
  readonly tone: "good" | "bad";
  readonly text: string;
}

/** What the dialog on top of the page is about. */
export type Dialog =
  | { readonly kind: "action"; readonly request: ActionRequest }
  | { readonly kind: "sign-in"; readonly next?: Dialog | undefined };

const TICK_MS = 5_000;
const TOAST_MS = 8_000;

/** Everything that the pages show, kept current by the stream of events. */
export class Store {
  readonly api: Api;
  readonly route: Signal<Route> = followRoute();
  readonly connection: Signal<ConnectionState> = signal({ kind: "connecting", since: Date.now() });
  readonly overview: Signal<Loaded<Overview>> = signal({ kind: "loading" });
  readonly rows: Signal<Loaded<Rows>> = signal({ kind: "loading" });
  readonly me: Signal<Me | undefined> = signal(undefined);
  /** Grows with whatever may change the answer of a page's query. */
  readonly version: Signal<number> = signal(0);
  /** The newest entry; what happens to an object is shown while it happens. */
  readonly latest: Signal<TimelineEntry | undefined> = signal(undefined);
  /** The server's time, as far as this page knows: for "4 min ago". */
  readonly now: Signal<number> = signal(Date.now());
  readonly toasts: Signal<readonly Toast[]> = signal([]);
  readonly dialog: Signal<Dialog | undefined> = signal(undefined);
  readonly #connection: Connection;
  #clockSkew = 0;
  #toasted = 0;
  #rowsWanted = false;
  #versionDue = false;

  constructor(api: Api) {
    this.api = api;
    this.#connection = new Connection({
      open: (abort) => api.events(abort),
      onEvent: (event) => this.#onEvent(event),
      onState: (state) => this.#onState(state),
      now: () => Date.now(),
      random: () => Math.random(),
      sleep,
    });
  }

  /** Starts to follow the daemon; runs as long as the page. */
  start(): void {
    void this.#connection.run(new AbortController().signal);
    this.#askWho();
    setInterval(() => this.#tick(), TICK_MS);
    addEventListener("online", () => this.#connection.retry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible") return;
      this.#tick();
      this.#connection.retry();
    });
  }

  /** The objects, fetched when first wanted. */
  wantRows(): void {
    if (this.#rowsWanted) return;
    this.#rowsWanted = true;
    this.#fetchRows();
  }

  /** Tries again now. */
  reconnect(): void {
    this.#connection.retry();
  }

  /** Signs in with a token, or out; everything is asked again. */
  signIn(token: string | undefined): void {
    this.api.setToken(token);
    this.me.value = undefined;
    this.#askWho();
    this.#connection.retry();
    this.#grow();
    if (this.#rowsWanted) this.#fetchRows();
  }

  say(tone: Toast["tone"], text: string): void {
    this.#toasted += 1;
    const id = this.#toasted;
    this.toasts.value = [...this.toasts.value, { id, tone, text }];
    setTimeout(() => this.unsay(id), TOAST_MS);
  }

  unsay(id: number): void {
    this.toasts.value = this.toasts.value.filter((toast) => toast.id !== id);
  }

  #askWho(): void {
    this.api.me().then(
      (me) => {
        this.me.value = me;
      },
      (error: unknown) => {
        if (!(error instanceof ApiFailure) || error.kind !== "unauthenticated" || this.api.token === undefined) return;
        this.say("bad", "The cluster does not know this token.");
        this.signIn(undefined);
      },
    );
  }

  #fetchRows(): void {
    this.api.objects().then(
      (rows) => {
        this.rows.value = { kind: "ready", value: new Map(rows.map((row) => [row.key, row])) };
      },
      (error: unknown) => {
        this.rows.value = afterFailure(this.rows.value, error);
        this.#rowsWanted = false;
      },
    );
  }

  #onState(state: ConnectionState): void {
    const isBack = state.kind === "live" && this.connection.value.kind === "lost";
    this.connection.value = state;
    // What happened while nobody listened is asked for.
    if (isBack) this.#onReload();
  }

  #onEvent({ event, data }: StreamEvent): void {
    const live = { ...(JSON.parse(data) as LiveEvent), kind: event } as LiveEvent;
    batch(() => this.#take(live));
  }

  #take(live: LiveEvent): void {
    switch (live.kind) {
      case "overview":
        this.#clockSkew = Date.parse(live.overview.now) - Date.now();
        this.overview.value = { kind: "ready", value: live.overview };
        this.#tick();
        this.#grow();
        break;
      case "rows":
        this.#onRows(live.changed, live.removed);
        break;
      case "timeline":
        this.latest.value = live.entry;
        this.#onEntry(live.entry);
        this.#grow();
        break;
      case "reload":
        this.#onReload();
        break;
      case "hello":
        break;
    }
  }

  #onRows(changed: readonly ObjectRow[], removed: readonly string[]): void {
    this.#grow();
    const before = this.rows.value;
    if (before.kind !== "ready") return;
    const rows = new Map(before.value);
    for (const row of changed) rows.set(row.key, row);
    for (const key of removed) rows.delete(key);
    this.rows.value = { kind: "ready", value: rows };
  }

  /** The overview comes a little later: what just happened is shown at once. */
  #onEntry(entry: TimelineEntry): void {
    const before = this.overview.value;
    if (before.kind !== "ready") return;
    const recent = [entry, ...before.value.recent.filter(({ id }) => id !== entry.id)].slice(0, 12);
    this.overview.value = { kind: "ready", value: { ...before.value, recent } };
  }

  #onReload(): void {
    if (this.#rowsWanted) this.#fetchRows();
    this.#grow();
    this.#askWho();
  }

  /** A burst of events makes one new query of a page. */
  #grow(): void {
    if (this.#versionDue) return;
    this.#versionDue = true;
    setTimeout(() => {
      this.#versionDue = false;
      this.version.value += 1;
    }, 150);
  }

  #tick(): void {
    this.now.value = Date.now() + this.#clockSkew;
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = Number.isFinite(ms) ? setTimeout(resolve, ms) : undefined;
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
  });
}

/** The store that the pages share. */
export const StoreContext: Context<Store | undefined> = createContext<Store | undefined>(undefined);

/** Thrown where a component stands outside of the application: a fault of ours. */
class MissingStore extends Error {
  override readonly name = "MissingStore";
}

/** The store, for components. */
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === undefined) throw new MissingStore("no store around this component");
  return store;
}
