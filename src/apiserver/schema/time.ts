const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** A time as the API server writes it: UTC, whole seconds; undefined where `text` is no RFC 3339 time. */
export function canonicalTime(text: string): string | undefined {
  const ms = parseMs(text);
  return ms === undefined ? undefined : formatTime(ms);
}

/** A MicroTime as the API server writes it: UTC, six decimals. */
export function canonicalMicroTime(text: string): string | undefined {
  const ms = parseMs(text);
  if (ms === undefined) return undefined;
  const fraction = (RFC3339.exec(text)?.[3] ?? ".").slice(1).padEnd(6, "0").slice(0, 6);
  return `${formatTime(ms).slice(0, -1)}.${fraction}Z`;
}

/** Milliseconds since the epoch as RFC 3339 with whole seconds. */
export function formatTime(ms: number): string {
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since the epoch as RFC 3339 with microseconds. */
export function formatMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

function parseMs(text: string): number | undefined {
  if (!RFC3339.test(text)) return undefined;
  const ms = Date.parse(text.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}
