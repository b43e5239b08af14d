import { KeelsonError } from "../errors/index.ts";
import { DEFAULT_REQUEST_TIMEOUT_MS } from "./cluster-config.ts";

/** Go takes the micro sign and the Greek letter. Escapes: one character beyond Latin-1 makes V8 keep the whole bundle at two bytes each. */
const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "\u00b5s": 1e-3,
  "\u03bcs": 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Reads `--request-timeout` as kubectl does: whole seconds or a Go duration, in milliseconds; 0 means none. */
export function requestTimeoutOf(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_REQUEST_TIMEOUT_MS;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/.test(text)) {
    const parts = text.matchAll(/([\d.]+)([a-z\u00b5\u03bc]+)/g);
    return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ""] ?? 0), 0);
  }
  throw new KeelsonError(
    "InvalidFlag",
    `--request-timeout: ${JSON.stringify(text)} is no timeout: give whole seconds or a duration such as 30s or 1m30s`,
  );
}
