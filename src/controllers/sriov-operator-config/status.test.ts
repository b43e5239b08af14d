import { describe, expect, it } from "vitest";
import { KeelsonError } from "../../errors/index.ts";
import type { RenderedComponent } from "./desired.ts";
import { configStatus, type StatusInput } from "./status.ts";
import { isWritten } from "./status-writer.ts";

const DAEMON: RenderedComponent = { name: "config-daemon", isEnabled: true, keys: ["DaemonSet.apps/ns/d"], errors: [] };
const INJECTOR: RenderedComponent = { name: "injector", isEnabled: false, keys: ["Service/ns/s"], errors: [] };

function input(parts: Partial<StatusInput> = {}): StatusInput {
  return {
    generation: 7,
    components: [INJECTOR, DAEMON],
    engine: { failures: new Map(), blocked: new Map(), unavailable: new Map() },
    plan: { steps: [] },
    errors: [],
    previous: {},
    now: Date.UTC(2030, 0, 1),
    ...parts,
  };
}

const conditions = (parts: Partial<StatusInput>) =>
  Object.fromEntries(
    configStatus(input(parts)).conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );

const failure = (code: "Invalid" | "Forbidden") => {
  const error = new KeelsonError(code, "no");
  return new Map([
    ["DaemonSet.apps/ns/d", { error, count: 1, since: 0, notBefore: 0 }],
  ]) as unknown as StatusInput["engine"]["failures"];
};

describe("configStatus", () => {
  it("is ready where nothing is to be done", () => {
    expect(conditions({})).toEqual({
      Ready: "True AsDeclared",
      Progressing: "False Settled",
      Degraded: "False AsDeclared",
    });
    expect(configStatus(input())).toMatchObject({
      injector: "Disabled",
      operatorWebhook: "Disabled",
      observedGeneration: 7,
      components: [
        { name: "injector", enabled: false, objects: 1, ready: true },
        { name: "config-daemon", enabled: true, objects: 1, ready: true },
      ],
    });
  });

  it("names component and object of a failure", () => {
    const status = configStatus(input({ engine: { ...input().engine, failures: failure("Invalid") } }));

    expect(status.conditions[0]).toMatchObject({
      status: "False",
      reason: "ComponentFailed",
      message: "config-daemon: DaemonSet ns/d: no",
    });
    expect(status.components[1]).toMatchObject({ ready: false, message: "DaemonSet ns/d: no" });
  });

  it("tells a missing right by its own reason", () => {
    expect(conditions({ engine: { ...input().engine, failures: failure("Forbidden") } }).Degraded).toBe(
      "True MissingRights",
    );
    const unavailable = new Map([["Secret", new KeelsonError("Forbidden", "no")]]);
    expect(conditions({ engine: { ...input().engine, unavailable } })).toMatchObject({
      Ready: "True AsDeclared",
      Degraded: "True MissingRights",
    });
  });

  it("is degraded, not progressing, by what is not supported", () => {
    const errors = [new KeelsonError("Refused", "systemd mode is not supported on hypershift")];

    expect(conditions({ components: [{ ...DAEMON, keys: [], errors }] })).toEqual({
      Ready: "False UnsupportedConfiguration",
      Progressing: "False Settled",
      Degraded: "True UnsupportedConfiguration",
    });
  });

  it("waits for what is blocked", () => {
    const blocked = new Map([["DaemonSet.apps/ns/d", "the API server does not serve its kind"]]);

    expect(conditions({ engine: { ...input().engine, blocked } })).toEqual({
      Ready: "False Waiting",
      Progressing: "True Waiting",
      Degraded: "False AsDeclared",
    });
  });

  it("keeps the time of a condition that has not changed", () => {
    const first = configStatus(input());
    const again = configStatus(input({ previous: { ...first }, now: Date.UTC(2031, 0, 1) }));

    expect(again).toEqual(first);
    expect(isWritten({ ...first, other: 1 }, { ...again })).toBe(true);
  });
});
