/** What a parser makes of a text. */
export type Parsed<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "malformed"; readonly why: string };

/** Where a server listens. */
export interface HttpAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** The largest prune that runs unasked: a number of objects, or a share of the prunable ones in percent. */
export type PruneLimit =
  | { readonly kind: "count"; readonly count: number }
  | { readonly kind: "percent"; readonly percent: number };

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const DURATION_PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;
const SECONDS = /^\d+(?:\.\d+)?$/;
/** A timer holds 31 bits of milliseconds: 24.8 days. */
const MAX_DURATION_MS = 24 * 24 * 3_600_000;
/** RFC 1123 label, as Kubernetes checks names that become part of other names. */
const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export function ok<T>(value: T): Parsed<T> {
  return { kind: "ok", value };
}

export function malformed<T>(why: string): Parsed<T> {
  return { kind: "malformed", why };
}

/** Any text but the empty one. */
export function parseText(text: string): Parsed<string> {
  return text === "" ? malformed("empty") : ok(text);
}

/** A name without blanks. */
export function parseWord(text: string): Parsed<string> {
  return /^\S+$/.test(text) ? ok(text) : malformed(text === "" ? "empty" : "holds a blank");
}

/** One of `words`, as written. */
export function parseChoice<T extends string>(words: readonly T[]): (text: string) => Parsed<T> {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    return word === undefined ? malformed("not one of the accepted words") : ok(word);
  };
}

/** Words of `words`, separated by commas; at least one, each once. */
export function parseChoices<T extends string>(words: readonly T[]): (text: string) => Parsed<readonly T[]> {
  return (text) => {
    const chosen: T[] = [];
    for (const part of text.split(",").map((item) => item.trim())) {
      const word = words.find((candidate) => candidate === part);
      if (word === undefined) return malformed(`"${part}" is not one of the accepted words`);
      if (!chosen.includes(word)) chosen.push(word);
    }
    return ok(chosen);
  };
}

/** A truth value, in any case. */
export function parseSwitch(text: string): Parsed<boolean> {
  if (/^(?:true|1|yes|on)$/i.test(text)) return ok(true);
  if (/^(?:false|0|no|off)$/i.test(text)) return ok(false);
  return malformed("no truth value");
}

/** A duration with units (`250ms`, `2s`, `1m30s`), or 0; in milliseconds. */
export function parseDuration(text: string): Parsed<number> {
  if (text === "0") return ok(0);
  if (!DURATION.test(text)) return malformed(SECONDS.test(text) ? "a number without a unit" : "not a duration");
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) ms += Number(amount) * (UNIT_MS.get(unit ?? "") ?? 0);
  return ms > MAX_DURATION_MS ? malformed("longer than 24 days") : ok(Math.round(ms));
}

/** A plain number of seconds, or a duration with units; in milliseconds. */
export function parseSeconds(text: string): Parsed<number> {
  return parseDuration(SECONDS.test(text) ? `${text}s` : text);
}

/** The time between passes. The original goes on at once where it is 0; Keelson takes at least a second. */
export function parseInterval(text: string): Parsed<number> {
  const parsed = parseSeconds(text.trim());
  return parsed.kind === "ok" ? ok(Math.max(parsed.value, 1000)) : parsed;
}

/** `HOST:PORT`, `[IPv6]:PORT`, `:PORT` for every address; `off` is undefined. */
export function parseHttpAddress(text: string): Parsed<HttpAddress | undefined> {
  if (text === "off") return ok(undefined);
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s/]*)):(\d{1,5})$/.exec(text);
  if (match === null) return malformed("not an address with a port");
  const port = Number(match[3]);
  if (port > 65_535) return malformed("the port is above 65535");
  return ok({ host: match[1] ?? (match[2] === "" || match[2] === undefined ? "::" : match[2]), port });
}

/** `10` objects, or `25%` of the prunable ones; `off` is undefined. */
export function parsePruneLimit(text: string): Parsed<PruneLimit | undefined> {
  if (text === "off") return ok(undefined);
  const match = /^(\d{1,9})(%?)$/.exec(text);
  if (match === null) return malformed("neither a count nor a percentage");
  const amount = Number(match[1]);
  if (match[2] === "") return ok({ kind: "count", count: amount });
  return amount > 100 ? malformed("more than 100 %") : ok({ kind: "percent", percent: amount });
}

/** How many revisions are kept. */
export function parseRevisions(text: string): Parsed<number> {
  if (!/^\d{1,4}$/.test(text)) return malformed("no number up to 1000");
  return Number(text) > 1000 ? malformed("more than 1000") : ok(Number(text));
}

/** The name of a namespace. */
export function parseNamespace(text: string): Parsed<string> {
  return DNS_LABEL.test(text) ? ok(text) : malformed("no name of a namespace");
}

/** The name of a set; it becomes part of object names and of the field manager. */
export function parseSetName(text: string): Parsed<string> {
  return DNS_LABEL.test(text) ? ok(text) : malformed("no DNS label");
}
