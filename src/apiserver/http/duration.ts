const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** A span of seconds as kubectl's AGE column shows it: two units at most, coarser with size. */
export function humanDuration(seconds: number): string {
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * MINUTE) return `${Math.floor(seconds)}s`;
  if (seconds < 10 * MINUTE) return parts(seconds, [MINUTE, "m"], [SECOND, "s"]);
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return parts(seconds, [HOUR, "h"], [MINUTE, "m"]);
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return parts(seconds, [DAY, "d"], [HOUR, "h"]);
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return parts(seconds, [YEAR, "y"], [DAY, "d"]);
  return `${Math.floor(seconds / YEAR)}y`;
}

function parts(seconds: number, [big, bigName]: [number, string], [small, smallName]: [number, string]): string {
  const whole = Math.floor(seconds / big);
  const rest = Math.floor((seconds % big) / small);
  return rest === 0 ? `${whole}${bigName}` : `${whole}${bigName}${rest}${smallName}`;
}

/** The time since an RFC 3339 text, as an AGE column shows it. */
export function ageOf(timestamp: unknown, nowMs: number): string {
  if (typeof timestamp !== "string" || timestamp === "") return "<unknown>";
  return humanDuration((nowMs - Date.parse(timestamp)) / 1000);
}
