import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Bed, configMap, RECONCILE } from "./bed.ts";

const secret = (value: string): string => `apiVersion: v1
kind: Secret
metadata:
  name: review-key
  namespace: default
  labels: {${RECONCILE}}
stringData:
  password: ${value}
`;

/** `keelson plan` and `keelson apply --plan`. */
export function planCases({ root, apply, inSet, directory, kubectl }: Bed): void {
  function planTo(file: string, set: string, path: string): string {
    const { out, code } = inSet(set, "plan", path, "-o", "json");
    if (code !== 1) throw new TypeError(`plan ended with ${code}: ${out}`);
    const to = join(root(), file);
    writeFileSync(to, out);
    return to;
  }

  const get = async (kind: string, name: string): Promise<string> =>
    (await kubectl("get", kind, name, "--ignore-not-found", "-o", "jsonpath={.data.key}")).stdout;

  it("executes exactly the plan that was reviewed", async () => {
    const path = directory("exact", { "a.yaml": configMap("exact-a", "one"), "b.yaml": configMap("exact-b", "one") });
    expect(apply("exact", path).code).toBe(0);
    const next = directory("exact-next", {
      "a.yaml": configMap("exact-a", "two"),
      "c.yaml": configMap("exact-c", "x"),
    });

    const plan = planTo("exact.json", "exact", next);
    const { steps, desired, cluster } = JSON.parse(readFileSync(plan, "utf8"));
    const done = apply("exact", "--plan", plan, "-o", "json");

    expect(
      steps.map((step: { action: string; object: { name: string } }) => `${step.action} ${step.object.name}`),
    ).toEqual(["apply exact-a", "create exact-c", "delete exact-b"]);
    expect(steps[0]).toMatchObject({
      uid: expect.any(String),
      resourceVersion: expect.any(String),
      digest: expect.stringMatching(/^v1:/),
      file: "a.yaml",
      line: 1,
    });
    expect(steps[0].diff).toContainEqual({ path: "data.key", before: "one", after: "two" });
    expect(desired).toMatch(/^v1:/);
    expect(cluster).toMatch(/-/);
    expect(done.err).toBe("");
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out).summary).toEqual({ unchanged: 0, created: 1, configured: 1, deleted: 1 });
    expect([await get("cm", "exact-a"), await get("cm", "exact-b"), await get("cm", "exact-c")]).toEqual([
      "two",
      "",
      "x",
    ]);
    expect(inSet("exact", "plan", next).code).toBe(0);
  });

  it("refuses, naming what moved, and writes nothing", async () => {
    const path = directory("moved", { "a.yaml": configMap("moved-a", "one"), "b.yaml": configMap("moved-b", "one") });
    expect(apply("moved", path).code).toBe(0);
    writeFileSync(join(path, "a.yaml"), configMap("moved-a", "two"));
    rmSync(join(path, "b.yaml"));
    const plan = planTo("moved.json", "moved", path);

    await kubectl("annotate", "cm", "moved-a", "who=somebody");
    await kubectl("delete", "cm", "moved-b");
    writeFileSync(join(path, "c.yaml"), configMap("moved-c", "x"));
    const refused = apply("moved", "--plan", plan);

    expect(refused.code).toBe(3);
    expect(refused.err).toContain("moved.json does not fit any more: nothing was written; plan again");
    expect(refused.err).toMatch(/- the directory asks for something else/);
    expect(refused.err).toMatch(/- ConfigMap default\/moved-a: it changed: resourceVersion \d+, planned \d+/);
    expect(refused.err).toMatch(
      /- ConfigMap default\/moved-b: planned to delete, and there is nothing to do about it now/,
    );
    expect(refused.err).toMatch(/- ConfigMap default\/moved-c: it is not planned to create it/);
    expect([await get("cm", "moved-a"), await get("cm", "moved-c")]).toEqual(["one", ""]);

    expect(apply("other", "--plan", plan).err).toContain('it is for set "moved", and this is set "other"');
  });

  it("refuses a delete that would take more with it than was shown", async () => {
    const namespace = `apiVersion: v1\nkind: Namespace\nmetadata: {name: takes-more, labels: {${RECONCILE}}}\n`;
    const path = directory("takes", { "ns.yaml": namespace, "a.yaml": configMap("takes-a", "one") });
    expect(apply("takes", path).code).toBe(0);
    rmSync(join(path, "ns.yaml"));
    const plan = planTo("takes.json", "takes", path);
    await kubectl("create", "cm", "precious", "-n", "takes-more");

    const refused = apply("takes", "--plan", plan);

    expect(refused.code).toBe(3);
    expect(refused.err).toMatch(/Namespace takes-more: it would take with it .*ConfigMap.*, planned /);
    expect((await kubectl("get", "ns", "takes-more", "-o", "jsonpath={.status.phase}")).stdout).toBe("Active");
  });

  it("reviews a directory that is not the live one, with exit codes for a pipeline", async () => {
    const live = directory("pipe", { "a.yaml": configMap("pipe-a", "one") });
    expect(apply("pipe", live).code).toBe(0);

    const same = directory("pipe-same", { "other-name.yaml": configMap("pipe-a", "one") });
    const changed = directory("pipe-new", { "a.yaml": configMap("pipe-a", "two") });
    const broken = directory("pipe-bad", { "a.yaml": configMap("pipe-a", "one"), "b.yaml": "a: [1\n" });

    expect(inSet("pipe", "plan", same).code).toBe(0);
    expect(inSet("pipe", "plan", changed).code).toBe(1);
    expect(inSet("pipe", "plan", broken).code).toBe(3);
    expect(await get("cm", "pipe-a")).toBe("one");
  });

  it("counts what the server refuses as a problem at the field's own line, also of EnsureExists", () => {
    const typo = configMap("refused-a", "one").replace("\ndata:", "\ndatum:");
    const service = `apiVersion: v1
kind: Service
metadata:
  name: refused-b
  namespace: default
  labels: {addonmanager.kubernetes.io/mode: EnsureExists}
spec:
  ports:
    - name: http
      port: 0
`;
    const path = directory("refused", { "a.yaml": typo, "b.yaml": service });

    const { code, out } = inSet("refused", "plan", path, "-o", "json");
    const report = JSON.parse(out);

    expect(code).toBe(3);
    expect(report.steps).toEqual([]);
    expect(report.summary).toEqual({ unchanged: 0, refused: 2 });
    expect(report.problems).toEqual([
      { file: "a.yaml", line: 7, message: expect.stringContaining("datum") },
      { file: "b.yaml", line: 10, message: expect.stringContaining("spec.ports[0].port") },
    ]);
  });

  it("lists what no label selects, with a hint for a slip", () => {
    const path = directory("omitted", {
      "a.yaml": configMap("omitted-a", "one", "addonmanager.kubernetes.io/mode: Reconsile"),
      "b.yaml": configMap("omitted-b", "one"),
    });

    const { out } = inSet("omitted", "plan", path);

    expect(out).toContain("Left out, as no label selects them:");
    expect(out).toMatch(/a\.yaml:1 +ConfigMap default\/omitted-a +label .*did you mean Reconcile\?/);
  });

  it("shows no value of a Secret, neither in the plan nor in what applies it", async () => {
    const path = directory("secret", { "a.yaml": secret("first-value") });
    expect(apply("secret", path).code).toBe(0);
    writeFileSync(join(path, "a.yaml"), secret("second-value"));

    const plan = planTo("secret.json", "secret", path);
    const applied = apply("secret", "--plan", plan, "-o", "json");

    expect(applied.code).toBe(0);
    const text = readFileSync(plan, "utf8") + applied.out + applied.err;
    for (const value of ["first-value", "second-value"]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(Buffer.from(value).toString("base64"));
    }
    expect(text).toContain("***");
    const { stdout } = await kubectl("get", "secret", "review-key", "-o", "jsonpath={.data.password}");
    expect(Buffer.from(stdout, "base64").toString()).toBe("second-value");
  });
}
