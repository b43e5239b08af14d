/** Characters that could turn the reading, hide, or move a cursor: shown as what they are. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const LINE_BREAKS = /[\n\t]/g;

/** Text of unknown origin on one line: cut after `limit` characters, control characters made visible. */
export function oneLine(text: string, limit: number = 300): string {
  return block(text, limit).replace(LINE_BREAKS, (character) => (character === "\n" ? "⏎" : " "));
}

/** The same with its line breaks. */
export function block(text: string, limit: number = 20_000): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}… (${text.length.toLocaleString("en")} characters)` : text;
  return cut.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, in the words of a glance: `just now`, `4 min ago`, `3 h ago`, `12 Nov`. */
export function ago(at: string, now: number): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return "at an unknown time";
  const passed = now - time;
  if (passed < 10_000) return "just now";
  if (passed < MINUTE) return `${Math.floor(passed / 1000)} s ago`;
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  if (passed < 7 * DAY) return `${Math.floor(passed / DAY)} d ago`;
  return new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

/** For how long: `12 s`, `4 min`, `3 h 20 min`, `6 d`. */
export function duration(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < DAY) {
    const minutes = Math.round((ms % HOUR) / MINUTE);
    return minutes === 0 ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / HOUR)} h ${minutes} min`;
  }
  return `${Math.floor(ms / DAY)} d`;
}

/** A time in full, in the reader's own zone. */
export function fullTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? oneLine(at, 40) : time.toLocaleString();
}

/** `1 object`, `1,204 objects`. */
export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** `Deployment.apps`: kind and group, the group only where it is no built-in one. */
export function kindOf(object: { readonly kind: string; readonly group: string }): string {
  const isForeign = object.group.includes(".") && !object.group.endsWith(".k8s.io");
  return oneLine(isForeign ? `${object.kind}.${object.group}` : object.kind, 120);
}

/** `kube-system/dns`, or the name alone of a cluster-scoped object. */
export function nameOf(object: { readonly namespace: string; readonly name: string }): string {
  return oneLine(object.namespace === "" ? object.name : `${object.namespace}/${object.name}`, 300);
}
