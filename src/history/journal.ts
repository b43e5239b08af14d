import type { Clock } from "../async/index.ts";
import { messageOf } from "../errors/index.ts";
import { JournalFile } from "./journal-file.ts";
import { chainEntry, type JournalEntry, type JournalTail, writeEntry } from "./journal-line.ts";

/** What {@link Journal} needs. */
export interface JournalOptions {
  /** Candidates for the state directory: the first that can be written is used from then on. */
  readonly directories: readonly string[];
  /** Name of the set, "" for the only one. */
  readonly set: string;
  readonly instance: string;
  readonly clock: Clock;
  /** Called when lines can no longer be written (with why), and when they can again (undefined). */
  readonly onTrouble: (message: string | undefined) => void;
  /** Size at which a file is rotated; default 10 MiB. */
  readonly maxBytes?: number;
}

/** How a journal fares: for status and metrics. */
export interface JournalState {
  /** Lines that this process has written. */
  readonly written: number;
  /** Lines that wait in memory. */
  readonly buffered: number;
  /** Lines that did not fit into memory any more, since the start. */
  readonly lost: number;
  /** Gaps that were recorded, since the start. */
  readonly gaps: number;
  /** Why nothing can be written now; undefined where all is well. */
  readonly trouble: string | undefined;
  /** The file that is written; undefined before the first line. */
  readonly path: string | undefined;
  /** The last line written. */
  readonly tail: JournalTail | undefined;
}

/** While the disk takes nothing: so many lines, or so many characters of them, are kept. */
const MOST_LINES = 5_000;
const MOST_CHARACTERS = 4 << 20;
const RETRY_MS = 5_000;
/** Lines that come sooner than this after a write are written together: opening, locking and closing cost far more than a line. */
const TOGETHER_MS = 50;
/** Another process that writes the same file is done in microseconds. */
const BUSY_RETRY_MS = 20;
/** A power failure costs what was written within this time; a crash of the process costs nothing that was written. */
const SYNC_EVERY_MS = 1_000;

interface Lost {
  readonly count: number;
  readonly since: number;
  readonly until: number;
}

/**
 * The audit journal of one process: lines are appended as they come (those of one turn of the event loop, or of 50 ms where
 * many come, in one write) and made durable within a second. A full or read-only disk never stops anything: lines wait in
 * bounded memory, and those that do not fit are counted and become a gap line.
 */
export class Journal {
  readonly #options: JournalOptions;
  #file: JournalFile | undefined;
  #waiting: string[] = [];
  #characters = 0;
  #unrecorded: Lost | undefined;
  #written = 0;
  #lost = 0;
  #gaps = 0;
  #trouble: string | undefined;
  #tail: JournalTail | undefined;
  #isScheduled = false;
  /** On the monotonic clock. */
  #writtenAt = Number.NEGATIVE_INFINITY;
  #cancelWrite: (() => void) | undefined;
  #cancelRetry: (() => void) | undefined;
  #cancelSync: (() => void) | undefined;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  get state(): JournalState {
    return {
      written: this.#written,
      buffered: this.#waiting.length,
      lost: this.#lost,
      gaps: this.#gaps,
      trouble: this.#trouble,
      path: this.#file?.path,
      tail: this.#tail,
    };
  }

  /** Takes a line. Never throws, never waits. */
  append(entry: Omit<JournalEntry, "set" | "instance">): void {
    const { set, instance } = this.#options;
    this.#keep(writeEntry({ ...entry, set, instance }), entry.at);
    if (this.#isScheduled || this.#cancelRetry !== undefined) return;
    this.#isScheduled = true;
    const write = (): void => {
      this.#isScheduled = false;
      this.flush();
    };
    const { clock } = this.#options;
    const waitMs = this.#writtenAt + TOGETHER_MS - clock.monotonic();
    if (waitMs > 0) this.#cancelWrite = clock.after(waitMs, write);
    else setImmediate(write);
  }

  /** Writes what waits, where that is possible. */
  flush(): void {
    if (this.#waiting.length === 0 && this.#unrecorded === undefined) return;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    try {
      this.#writeWaiting();
    } catch (error) {
      const isBusy = error instanceof Error && "code" in error && error.code === "Conflict";
      if (!isBusy) this.#setTrouble(messageOf(error));
      this.#cancelRetry = this.#options.clock.after(isBusy ? BUSY_RETRY_MS : RETRY_MS, () => this.flush());
      return;
    }
    this.#setTrouble(undefined);
    this.#syncSoon();
  }

  /** Writes what can be written, makes it durable, and ends. */
  close(): void {
    this.flush();
    this.#cancelWrite?.();
    this.#cancelRetry?.();
    this.#cancelSync?.();
    this.#file?.close();
    this.#file = undefined;
  }

  #keep(text: string, at: number): void {
    const isFull = this.#waiting.length >= MOST_LINES || this.#characters + text.length > MOST_CHARACTERS;
    // Once something is lost, what comes later is too, until there is room behind the gap: lines keep their order.
    if (!isFull && this.#unrecorded === undefined) {
      this.#waiting.push(text);
      this.#characters += text.length;
      return;
    }
    const { count = 0, since = at } = this.#unrecorded ?? {};
    this.#unrecorded = { count: count + 1, since, until: at };
    this.#lost += 1;
  }

  #writeWaiting(): void {
    const { waiting, gap } = { waiting: this.#waiting, gap: this.#unrecorded };
    let lines = 0;
    const tail = this.#append((before, tornBytes) => {
      const gapText = gap === undefined ? [] : [this.#gapText(gap.count, lossCause(gap, this.#trouble))];
      const tornText = tornBytes === 0 ? [] : [this.#gapText(1, `a crash left ${tornBytes} bytes of a line`)];
      let chained: JournalTail = before;
      let text = "";
      for (const entry of [...tornText, ...waiting, ...gapText]) {
        const next = chainEntry(entry, chained);
        text += next.line;
        chained = next.tail;
        lines += 1;
      }
      this.#gaps += tornText.length + gapText.length;
      return { text, tail: chained };
    });
    this.#writtenAt = this.#options.clock.monotonic();
    this.#tail = tail;
    this.#written += lines;
    this.#waiting = [];
    this.#characters = 0;
    this.#unrecorded = undefined;
  }

  #append(make: Parameters<JournalFile["append"]>[0]): JournalTail {
    if (this.#file !== undefined) return this.#file.append(make);
    const { directories, set, maxBytes } = this.#options;
    let failure: unknown;
    for (const directory of directories) {
      const file = new JournalFile(directory, set, maxBytes);
      try {
        const tail = file.append(make);
        this.#file = file;
        return tail;
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  }

  #gapText(lost: number, cause: string): string {
    const { set, instance, clock } = this.#options;
    return writeEntry({ at: clock.now(), set, instance, action: "gap", cause, result: "lost", lost });
  }

  #setTrouble(message: string | undefined): void {
    if (this.#trouble === message) return;
    this.#trouble = message;
    this.#options.onTrouble(message);
  }

  #syncSoon(): void {
    if (this.#cancelSync !== undefined) return;
    this.#cancelSync = this.#options.clock.after(SYNC_EVERY_MS, () => {
      this.#cancelSync = undefined;
      this.#file?.sync((error) => {
        if (error !== null) this.#setTrouble(messageOf(error));
      });
    });
  }
}

function lossCause({ since, until }: Lost, trouble: string | undefined): string {
  const [from, to] = [since, until].map((at) => new Date(at).toISOString());
  return `lines from ${from} to ${to} could not be kept: ${trouble ?? "the disk took nothing"}`;
}
