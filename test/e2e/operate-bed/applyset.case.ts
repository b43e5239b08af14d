import { expect, it } from "vitest";
import { eventually } from "../../control-plane/index.ts";
import { type Bed, configMap } from "./bed.ts";

const PART_OF = "applyset.kubernetes.io/part-of";
const KUBECTL = { environment: { KUBECTL_APPLYSET: "true" } };

interface Live {
  readonly data: Readonly<Record<string, string>>;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
}

/** `--applyset` and `keelson adopt`, with kubectl's own ApplySets as the other party. */
export function applySetCases({ directory, apply, inSet, daemon, kubectl }: Bed): void {
  const get = async (kind: string, name: string, namespace = "default"): Promise<Live> =>
    JSON.parse((await kubectl("get", kind, name, "-n", namespace, "-o", "json")).stdout);
  const parent = (): Promise<Live> => get("cm", "keelson-applyset-as", "kube-system");
  const membersOf = async (id: string): Promise<readonly string[]> =>
    (await kubectl("get", "cm", "-A", "-l", `${PART_OF}=${id}`, "-o", "name")).stdout.trim().split("\n");

  it("adopts a set of kubectl's, keeps it as an ApplySet, and stops when told so", async () => {
    const legacy = ["as-a", "as-b", "as-left"].map((name) => `${configMap(name, "x")}  more: m\n`).join("---\n");
    const pruning = [
      "apply",
      "--server-side",
      "--field-manager=pipeline",
      "--applyset=secret/legacy",
      "--prune",
      "-n",
      "default",
      "-f",
      "-",
    ] as const;
    await kubectl(...pruning, { input: legacy, ...KUBECTL });
    const path = directory("as", { "a.yaml": configMap("as-a", "x"), "b.yaml": configMap("as-b", "x") });
    const old = (await get("cm", "as-left")).metadata.labels[PART_OF] ?? "";
    const adopt = (...args: readonly string[]): ReturnType<Bed["inSet"]> =>
      inSet("as", "adopt", "secret/legacy", path, "-n", "default", ...args);

    const wrong = adopt();
    expect(wrong.code).toBe(3);
    expect(wrong.err).toMatch(/ConfigMap default\/as-a was applied by pipeline, not by kubectl: .*--field-manager/);
    const dry = adopt("--dry-run", "--field-manager", "pipeline");
    expect(dry.out).toMatch(/ConfigMap default\/as-a +adopt +a\.yaml:1/);
    expect(dry.out).toMatch(/ConfigMap default\/as-left +leave +- +the directory does not declare it/);
    expect((await get("secret", "legacy")).metadata.annotations["applyset.kubernetes.io/tooling"]).toMatch(
      /^kubectl\//,
    );

    const { out, code } = adopt("--field-manager=pipeline", "-o", "json");
    expect(code).toBe(0);
    expect(JSON.parse(out).members.map(({ action }: { readonly action: string }) => action)).toEqual([
      "adopt",
      "adopt",
      "leave",
    ]);
    const refused = await kubectl(...pruning, { input: configMap("as-a", "theirs"), check: false, ...KUBECTL });
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toMatch(/managed by tooling "?keelson/);
    expect(await membersOf(old)).toEqual(["configmap/as-left"]);

    const id = (await parent()).metadata.labels["applyset.kubernetes.io/id"] ?? "";
    const running = daemon("as", path, "--applyset");
    // kubectl's field is gone: what it had applied has become ours, and the manifests do not have it.
    await eventually("the members are as declared", async () => {
      expect((await get("cm", "as-a")).data).toEqual({ key: "x" });
      expect((await get("cm", "as-b")).data).toEqual({ key: "x" });
      return true;
    });
    expect(await membersOf(id)).toEqual(["configmap/as-a", "configmap/as-b"]);
    expect((await get("cm", "as-left")).data).toEqual({ key: "x", more: "m" });
    running.child.kill("SIGTERM");
    await running.ended;

    const before = await parent();
    expect(before.metadata.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap",
      "applyset.kubernetes.io/additional-namespaces": "default",
    });
    expect(inSet("as", "plan", path, "--applyset").code).toBe(0);
    expect(apply("as", path, "--applyset").out).toContain("Done: 2 unchanged");
    expect((await parent()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(apply("as", path).out).toContain("Done: 2 configured");
    expect((await get("cm", "as-a")).metadata.labels[PART_OF]).toBeUndefined();
    expect(apply("as", path, "--applyset").out).toContain("Done: 2 configured");
    expect(await membersOf(id)).toEqual(["configmap/as-a", "configmap/as-b"]);
  });

  it("touches no parent that another tool keeps, and marks nothing then", async () => {
    await kubectl(
      "annotate",
      "cm",
      "-n",
      "kube-system",
      "keelson-applyset-as",
      "--overwrite",
      "applyset.kubernetes.io/tooling=other/v1",
    );
    const text = configMap("as-a", "z").replace("labels: {", `labels: {${PART_OF}: elsewhere, `);
    const path = directory("as-other", { "a.yaml": text, "b.yaml": configMap("as-b", "z") });
    const before = await parent();

    const { out } = apply("as", path, "--applyset", "--no-prune");

    expect(out).toMatch(/keelson-applyset-as is not touched: other\/v1 keeps it/);
    expect(out).toMatch(/a\.yaml:1 +label applyset\.kubernetes\.io\/part-of="elsewhere" makes it a member of another/);
    expect((await parent()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect((await get("cm", "as-b")).data).toEqual({ key: "z" });
    expect((await get("cm", "as-b")).metadata.labels[PART_OF]).toBeUndefined();
    expect((await get("cm", "as-a")).data).toEqual({ key: "x" });
    const { code, err } = inSet("as", "adopt", "cm/keelson-applyset-as", path, "-n", "kube-system");
    expect(code).toBe(3);
    expect(err).toContain("nothing was written");
  });
}
