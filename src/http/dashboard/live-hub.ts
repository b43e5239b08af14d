import { type Clock, Signal } from "../../async/index.ts";
import type { ReplyStream } from "../route.ts";
import type { DashboardSource } from "./ports.ts";
import type { LiveEvent, ObjectRow, TimelineEntry } from "./types.ts";

/** A page takes twelve seconds of silence for a dead line. */
const HEARTBEAT_MS = 4_000;
/** Changes come in bursts: rows and overview are told together, this long after the first. */
const TOGETHER_MS = 250;
/** Telling all that changed takes at most a tenth of the time. */
const SHARE = 10;
/** More rows than this are fetched as a list. */
const MAX_ROWS = 1_000;
/** What a page that does not read may pile up before it is sent away; it comes back and asks for everything. */
const MAX_BACKLOG_BYTES = 4 << 20;

interface Page {
  backlog: string[];
  bytes: number;
  readonly wake: Signal;
}

/**
 * Tells open pages what happens, by server-sent events: an entry of the timeline at once, rows and overview a moment
 * later and together. Without an open page nothing is computed, remembered or asked.
 */
export class LiveHub {
  readonly #source: DashboardSource;
  readonly #clock: Clock;
  readonly #pages: Set<Page> = new Set();
  #unsubscribe: () => void = () => {};
  /** What the pages know. */
  #told: Map<string, ObjectRow> = new Map();
  #cancelTurn: (() => void) | undefined;
  #tookMs = 0;

  constructor(source: DashboardSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Writes events to one page until it goes. */
  async stream(out: ReplyStream): Promise<void> {
    const page: Page = { backlog: [], bytes: 0, wake: new Signal() };
    if (this.#pages.size === 0) this.#open();
    this.#pages.add(page);
    const overview = this.#source.overview();
    push(page, { kind: "hello", instance: overview.instance });
    push(page, { kind: "overview", overview });
    try {
      await this.#write(page, out);
    } finally {
      this.#pages.delete(page);
      if (this.#pages.size === 0) this.#close();
    }
  }

  /** Pages that are open. */
  get size(): number {
    return this.#pages.size;
  }

  async #write(page: Page, out: ReplyStream): Promise<void> {
    while (!out.signal.aborted && page.bytes <= MAX_BACKLOG_BYTES) {
      const text = page.backlog.length === 0 ? ": still here\n\n" : page.backlog.join("");
      page.backlog = [];
      page.bytes = 0;
      await out.write(text);
      if (page.backlog.length > 0) continue;
      const stopBeat = this.#clock.after(HEARTBEAT_MS, () => page.wake.notify());
      await page.wake.wait(out.signal).catch(() => {});
      stopBeat();
    }
  }

  #open(): void {
    this.#told = new Map(this.#source.rows().map((row) => [row.key, row]));
    this.#unsubscribe = this.#source.subscribe({
      onEntry: (entry) => this.#onEntry(entry),
      onStatus: () => this.#soon(),
    });
  }

  #close(): void {
    this.#unsubscribe();
    this.#cancelTurn?.();
    this.#cancelTurn = undefined;
    this.#told = new Map();
  }

  #onEntry(entry: TimelineEntry): void {
    this.#tell({ kind: "timeline", entry });
    this.#soon();
  }

  #soon(): void {
    if (this.#cancelTurn !== undefined) return;
    const delay = Math.max(TOGETHER_MS, this.#tookMs * SHARE);
    this.#cancelTurn = this.#clock.after(delay, () => {
      this.#cancelTurn = undefined;
      const started = this.#clock.monotonic();
      this.#tellRows();
      this.#tell({ kind: "overview", overview: this.#source.overview() });
      this.#tookMs = this.#clock.monotonic() - started;
    });
  }

  #tellRows(): void {
    const before = this.#told;
    const now = new Map<string, ObjectRow>();
    const changed: ObjectRow[] = [];
    for (const row of this.#source.rows()) {
      const known = before.get(row.key);
      const isSame = known !== undefined && isEqual(known, row);
      now.set(row.key, isSame ? known : row);
      if (!isSame) changed.push(row);
    }
    const removed = [...before.keys()].filter((key) => !now.has(key));
    this.#told = now;
    if (changed.length + removed.length === 0) return;
    this.#tell(changed.length + removed.length > MAX_ROWS ? { kind: "reload" } : { kind: "rows", changed, removed });
  }

  #tell(event: LiveEvent): void {
    for (const page of this.#pages) push(page, event);
  }
}

function push(page: Page, event: LiveEvent): void {
  // It is sent away as soon as its last write has ended.
  if (page.bytes > MAX_BACKLOG_BYTES) return;
  const { kind, ...data } = event;
  const text = `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
  page.backlog.push(text);
  page.bytes += text.length;
  page.wake.notify();
}

function isEqual(a: ObjectRow, b: ObjectRow): boolean {
  return (
    a.state === b.state &&
    a.readiness === b.readiness &&
    a.message === b.message &&
    a.file === b.file &&
    a.line === b.line &&
    a.mode === b.mode
  );
}
