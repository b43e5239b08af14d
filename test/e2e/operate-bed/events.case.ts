import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../../control-plane/index.ts";
import { type Bed, configMap, RECONCILE } from "./bed.ts";

const badService = `apiVersion: v1
kind: Service
metadata:
  name: ev-bad
  namespace: default
  labels: {${RECONCILE}}
spec:
  ports: [{port: 0}]
`;

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ev-scaled
  namespace: default
  labels: {${RECONCILE}}
spec:
  replicas: 1
  selector: {matchLabels: {app: ev}}
  template:
    metadata: {labels: {app: ev}}
    spec: {containers: [{name: a, image: registry.example/a:1}]}
`;

interface Told {
  readonly reason: string;
  readonly note: string;
  readonly type: string;
  readonly action: string;
  readonly regarding: { readonly name: string; readonly uid?: string };
}

/** Events on the objects, attribution of drift, and the fight detector. */
export function eventCases({ directory, daemon, keelson, kubectl }: Bed): void {
  const events = async (): Promise<readonly Told[]> =>
    JSON.parse((await kubectl("get", "events.events.k8s.io", "-A", "-o", "json")).stdout).items;
  const told = (name: string, reason: string): Promise<Told> =>
    eventually(`${reason} on ${name}`, async () => {
      const all = await events();
      return all.find((each) => each.regarding.name === name && each.reason === reason);
    });
  const patch = (name: string, value: string) =>
    kubectl("patch", "cm", name, "--type=merge", "-p", `{"data":{"key":"${value}"}}`, "--field-manager=rival");

  it("tells on each object what was done to it, by whose doing, and finds a fight", async () => {
    const path = directory("events", {
      "a.yaml": configMap("ev-a", "one"),
      "gone.yaml": configMap("ev-gone", "one"),
      "bad.yaml": badService,
      "scaled.yaml": deployment,
    });
    const running = daemon("events", path);
    expect(await told("ev-a", "Created")).toMatchObject({ type: "Normal", action: "Create" });
    expect(await told("ev-bad", "Failed")).toMatchObject({
      type: "Warning",
      note: expect.stringMatching(/Invalid: .*port/),
    });

    writeFileSync(join(path, "a.yaml"), configMap("ev-a", "two"));
    expect((await told("ev-a", "Configured")).note).toBe("file a.yaml:1 changed");
    rmSync(join(path, "gone.yaml"));
    expect(await told("ev-gone", "Pruned")).toMatchObject({ action: "Prune", note: "left the directory" });

    // As the HorizontalPodAutoscaler's controller writes.
    const scale = ["--subresource=scale", "--type=merge", "-p", '{"spec":{"replicas":3}}'] as const;
    await kubectl("patch", "deployment", "ev-scaled", ...scale, "--field-manager=kube-controller-manager");
    const scaled = await told("ev-scaled", "DriftReverted");
    expect(scaled.note).toMatch(/spec\.replicas 1→3 by kube-controller-manager \(scale\)/);
    await eventually("the autoscaler is suspected", () =>
      /Deployment default\/ev-scaled: an autoscaler scales it: leave spec\.replicas out/.test(running.output()),
    );

    for (let round = 1; round <= 6; round += 1) {
      await patch("ev-a", `round-${round}`);
      await eventually(`round ${round} is repaired`, async () => {
        const { stdout } = await kubectl("get", "cm", "ev-a", "-o", "jsonpath={.data.key}");
        return stdout === "two";
      });
    }
    const fight = await told("ev-a", "Fighting");
    expect(fight).toMatchObject({ type: "Warning", note: expect.stringMatching(/^rival keeps changing data\.key; /) });
    const drift = (await events()).filter(
      ({ regarding, reason }) => regarding.name === "ev-a" && reason === "DriftReverted",
    );
    expect(drift).toHaveLength(1);
    expect(drift[0]?.note).toMatch(/data\.key two→round-1 by rival at 20\d\d-.*Z$/);
    await eventually("the status tells of the fight", () => {
      const { objects } = JSON.parse(keelson("status", "--set", "events", "-o", "json").out);
      const state = objects.find(({ object }: { object: { name: string } }) => object.name === "ev-a");
      return state?.state === "fighting" && /rival keeps changing data\.key: leave data\.key out/.test(state.message);
    });

    writeFileSync(join(path, "bad.yaml"), "a: [1\n");
    rmSync(join(path, "scaled.yaml"));
    expect((await told("ev-scaled", "PruneHeld")).note).toMatch(/mend the file bad\.yaml first/);
    running.child.kill("SIGTERM");
    expect(await running.ended).toBe(0);
  });
}
