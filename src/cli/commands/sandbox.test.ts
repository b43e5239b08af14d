import { describe, expect, it } from "vitest";
import type { DemoOptions, SandboxOptions } from "../../daemon/index.ts";
import { runCli } from "../test-host.case.ts";

const NOTHING = { objects: [], problems: [], steps: [], summary: {}, held: { objects: [] } };

describe("keelson sandbox", () => {
  it("hands its options over, and prints where the kubeconfig is", async () => {
    const seen: SandboxOptions[] = [];
    const sandbox = async (options: SandboxOptions): Promise<void> => {
      seen.push(options);
      options.onReady("/tmp/kubeconfig");
    };

    const ran = await runCli(["sandbox", "--load", "state", "--port", "6443", "--simulate-workloads"], {
      operations: { sandbox },
    });

    expect(ran).toEqual({ code: 0, out: "KUBECONFIG=/tmp/kubeconfig\n", err: "" });
    expect(seen).toMatchObject([{ load: "state", save: undefined, port: 6443, simulateWorkloads: true }]);
  });

  it.each([["65536"], ["-1"], ["http"], ["1.5"]])("refuses the port %s", async (port) => {
    const { code, err } = await runCli(["sandbox", `--port=${port}`]);

    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`--port="${port}"`) });
  });

  it("refuses an empty path", async () => {
    expect(await runCli(["sandbox", "--save="])).toMatchObject({ code: 2, err: expect.stringContaining('--save=""') });
  });
});

describe("keelson demo", () => {
  it("prints the tour, and stays where it is asked to", async () => {
    const demo = async ({ keep, say }: DemoOptions): Promise<void> => say(`keep: ${keep}`);

    expect(await runCli(["demo"], { operations: { demo } })).toEqual({ code: 0, out: "keep: false\n", err: "" });
    expect((await runCli(["demo", "--keep"], { operations: { demo } })).out).toBe("keep: true\n");
  });
});

describe("keelson plan --offline", () => {
  it("plans against a snapshot, or against an empty cluster", async () => {
    const seen: (string | undefined)[] = [];
    const planOffline = async (_: unknown, snapshot: string | undefined): Promise<never> => {
      seen.push(snapshot);
      return NOTHING as never;
    };

    await runCli(["plan", "--offline", "--snapshot", "state.json", "-o", "json"], { operations: { planOffline } });
    await runCli(["plan", "--offline", "-o", "json"], { operations: { planOffline } });

    expect(seen).toEqual(["state.json", undefined]);
  });

  it("refuses a snapshot for a real cluster", async () => {
    expect(await runCli(["plan", "--snapshot", "state.json"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--offline"),
    });
  });
});
