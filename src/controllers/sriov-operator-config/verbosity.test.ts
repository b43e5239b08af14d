import { expect, it } from "vitest";
import { type Logger, silentLogger } from "../../log/index.ts";
import { Verbosity } from "./verbosity.ts";

it.each([
  { level: 0, shown: ["v0"] },
  { level: 1, shown: ["v0", "v1"] },
  { level: 2, shown: ["v0", "v1", "v2"] },
])("shows at level $level: $shown", ({ level, shown }) => {
  const lines: string[] = [];
  const log: Logger = { ...silentLogger, info: (message) => void lines.push(message) };
  const verbosity = new Verbosity(log);

  verbosity.set(level);
  for (const each of [0, 1, 2] as const) verbosity.write(each, `v${each}`);

  const changes = level === 0 ? [] : [`Set log verbose level {"new-level": ${level}, "current-level": 0}`];
  expect(lines).toEqual([...changes, ...shown]);
});
