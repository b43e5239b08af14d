/** How grave a line is. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Every level, least grave first. */
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** How lines are written: `text` in the original addon manager's shape, `json` as one object a line. */
export type LogFormat = "text" | "json";

/** Values that go with a message; `undefined` ones are left out, errors are reduced to code and message. */
export type LogFields = { readonly [name: string]: unknown };
