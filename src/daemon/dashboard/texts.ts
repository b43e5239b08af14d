import type { FieldChange } from "../../http/index.ts";

const MAX_MESSAGE = 500;
const MAX_VALUE = 400;

/** A message of bounded length: an error of the API server may repeat a whole object. */
export function shortText(text: string, limit: number = MAX_MESSAGE): string {
  return text.length > limit ? `${text.slice(0, limit)}… (${text.length} characters)` : text;
}

/** A value of an object as text of bounded length. */
export function valueText(value: unknown, limit: number = MAX_VALUE): string {
  return shortText(typeof value === "string" ? value : (JSON.stringify(value, bigintAsText) ?? ""), limit);
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** One change of a field; undefined values are absent ones. */
export function changeOf(change: {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly manager?: string | undefined;
}): FieldChange {
  const { path, before, after, manager } = change;
  return {
    path: shortText(path),
    ...(before === undefined ? {} : { before: valueText(before) }),
    ...(after === undefined ? {} : { after: valueText(after) }),
    ...(manager === undefined ? {} : { manager: shortText(manager, 128) }),
  };
}
