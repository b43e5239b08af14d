import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../../control-plane/index.ts";
import { type Bed, configMap, RECONCILE } from "./bed.ts";

/** There is no kubelet: Pods never become ready. */
const deployment = (replicas: number): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: front
  namespace: default
  labels: {${RECONCILE}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front}}
    spec: {containers: [{name: front, image: registry.example/front:1}]}
`;

/** `keelson status`, `keelson status --watch` and `keelson wait`. */
export function statusCases({ directory, daemon, keelson, start, kubectl }: Bed): void {
  const of = (...args: readonly string[]) => keelson(...args, "--set", "status");
  const report = () => JSON.parse(of("status", "-o", "json").out);

  it("tells of add-ons by file, of readiness, drift, problems and holds, and waits for scripts", async () => {
    const path = directory("status", { "front.yaml": deployment(1), "map.yaml": configMap("status-a", "one") });
    const running = daemon("status", path);

    expect(of("wait", "--for", "converged", "--timeout", "60s").code).toBe(0);
    const late = of("wait", "--timeout", "1s");
    expect(late.code).toBe(4);
    expect(late.err).toMatch(/not ready within 1s: 1 of 2 are ready: Deployment front: /);

    writeFileSync(join(path, "front.yaml"), deployment(0));
    expect(of("wait", "--timeout", "60s").code).toBe(0);

    const watching = start("status", "--watch", "--set", "status");
    await eventually("the view begins", () => watching.output().includes("converged: 2 desired, 2 converged, 2 ready"));
    await kubectl("patch", "cm", "status-a", "--type=merge", "-p", '{"data":{"key":"nine"}}');
    await eventually("the drift is told", () =>
      /ConfigMap default\/status-a configured: drift: data\.key one→nine by kubectl-patch/.test(watching.output()),
    );
    expect(watching.output()).not.toContain("\u001b");
    watching.child.kill("SIGINT");

    writeFileSync(join(path, "bad.yaml"), "a: [1\n");
    rmSync(join(path, "map.yaml"));
    await eventually("the problem and the hold show", () => {
      const { problems, held } = report();
      return problems.length === 1 && held.objects.length === 1;
    });
    const { files, lastDrift, leader, daemon: alive } = report();
    expect(files).toMatchObject([
      { file: "bad.yaml", state: "broken", objects: 0 },
      { file: "front.yaml", state: "ready", objects: 1, converged: 1, ready: 1 },
    ]);
    expect(files[1].lastChange.text).toBe("configured: file front.yaml:1 changed");
    expect(lastDrift).toMatchObject({ object: { name: "status-a" }, at: expect.stringMatching(/^20/) });
    expect(leader).toEqual({ election: "always" });
    expect(alive.state).toBe("running");
    const text = of("status").out;
    expect(text).toMatch(/bad\.yaml:\d+ /);
    expect(text).toMatch(/Mend the file first: .*keelson prune --confirm v1:[0-9a-f]+ --set status/);

    running.child.kill("SIGKILL");
    await running.ended;
    await eventually("it is seen to be gone", () => report().daemon.state === "stopped", { timeoutMs: 40_000 });
    expect(of("status").out).toMatch(/^The daemon does not run: nobody answers/);
  });
}
