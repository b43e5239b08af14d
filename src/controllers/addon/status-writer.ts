import type { Clock } from "../../async/index.ts";
import type { EngineState } from "../../converge/index.ts";
import { isAborted, isKeelsonError, type KeelsonError } from "../../errors/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import type { SetNames } from "./identity.ts";
import { type OwnConfigMap, readOwn, writeOwn } from "./own-config-map.ts";
import { decodeState, encodeState, STATE_KEY, STATUS_KEY } from "./state.ts";
import { statusContent, urgentContent } from "./status.ts";
import type { StatusReport } from "./status-reports.ts";

/** What a writer works with. */
export interface StatusWriterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly names: SetNames;
  /** Computes what there is to say now. */
  readonly report: () => StatusReport;
  readonly state: () => EngineState;
  readonly onError: (error: KeelsonError) => void;
  /** Told of each report that is computed. */
  readonly onReport?: (report: StatusReport) => void;
}

/** Changes come in bursts: they are written together, this long after the first. */
const TOGETHER_MS = 1_000;
/** While much is under way each status is soon outdated, and each looks at every object. */
const UNDER_WAY_MS = 5_000;
const RETRY_MS = 10_000;
/** Readiness flaps and drift comes in rows: where nothing else moved, they wait for each other this long. */
const CALM_MS = 5_000;
/** Above so many characters nobody reads it in an editor, and indents only cost. */
const INDENTED = 200_000;

/** Keeps the status ConfigMap current: one write for a burst of changes, none where nothing differs. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #written = "";
  /** The part of what was written that is worth a write at once, and when (monotonic) that was. */
  #urgent = "";
  #writtenAt = Number.NEGATIVE_INFINITY;
  #signal: AbortSignal | undefined;
  /** When the next look is due (monotonic), and what calls it off. */
  #due: { readonly at: number; readonly cancel: () => void } | undefined;
  #isUnderWay = false;
  #mustRead = false;

  constructor(options: StatusWriterOptions, stored: OwnConfigMap | undefined) {
    this.#options = options;
    this.#written = contentOf(stored);
  }

  /** Writes from now on, until `signal` fires. Another leader may have written since what is known was read. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    this.#mustRead = true;
    this.changed();
  }

  /** Something may have changed. */
  changed(): void {
    this.#soon(this.#isUnderWay ? UNDER_WAY_MS : TOGETHER_MS);
  }

  /** Writes what is due now. Rejects where that fails. */
  async flush(signal: AbortSignal): Promise<void> {
    const { client, names, report, state } = this.#options;
    if (this.#mustRead) {
      this.#written = contentOf(await readOwn(client, names.statusConfigMap, signal));
      this.#mustRead = false;
    }
    await this.#write(report(), state(), signal);
  }

  /** What is due now, unless it can wait; then it is written later. */
  async #flushSoon(signal: AbortSignal): Promise<void> {
    const { report, clock } = this.#options;
    const rest = this.#writtenAt + CALM_MS - clock.monotonic();
    if (rest <= 0 || this.#mustRead) return this.flush(signal);
    const [now, state] = [report(), this.#options.state()];
    if (`${urgentContent(now)} ${encodeState(state)}` !== this.#urgent) return this.#write(now, state, signal);
    this.#soon(rest);
  }

  async #write(now: StatusReport, state: EngineState, signal: AbortSignal): Promise<void> {
    const { client, names, clock } = this.#options;
    this.#options.onReport?.(now);
    this.#isUnderWay = now.phase === "progressing" || now.phase === "starting";
    const encoded = encodeState(state);
    const content = `${statusContent(now)} ${encoded}`;
    if (content === this.#written) return;
    const data = { [STATUS_KEY]: textOf(now), [STATE_KEY]: encoded };
    await writeOwn(client, names.statusConfigMap, { data, manager: `${names.manager}-status`, signal });
    this.#written = content;
    this.#urgent = `${urgentContent(now)} ${encoded}`;
    this.#writtenAt = clock.monotonic();
  }

  #soon(delayMs: number): void {
    const { clock } = this.#options;
    const signal = this.#signal;
    if (signal === undefined || signal.aborted) return;
    const at = clock.monotonic() + delayMs;
    // What may wait must not make wait what may not.
    if (this.#due !== undefined && this.#due.at <= at) return;
    this.#due?.cancel();
    const cancel = clock.after(delayMs, () => {
      this.#due = undefined;
      if (signal.aborted) return;
      this.#flushSoon(signal).catch((error: unknown) => {
        if (isAborted(error)) return;
        if (isKeelsonError(error)) this.#options.onError(error);
        this.#soon(RETRY_MS);
      });
    });
    this.#due = { at, cancel };
  }
}

function textOf(report: StatusReport): string {
  const text = JSON.stringify(report);
  return text.length > INDENTED ? text : JSON.stringify(report, undefined, 2);
}

/** What is stored, in the form that a new status is compared with; "" where it cannot be read. */
function contentOf(stored: OwnConfigMap | undefined): string {
  const status = stored?.data[STATUS_KEY];
  const decoded = decodeState(stored?.data[STATE_KEY]);
  if (status === undefined || decoded === undefined) return "";
  try {
    return `${statusContent(JSON.parse(status) as StatusReport)} ${encodeState(decoded)}`;
  } catch {
    return "";
  }
}
