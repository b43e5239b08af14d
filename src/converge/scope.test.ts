import { describe, expect, it } from "vitest";
import type { ApiResource, Discovery } from "../kube/index.ts";
import { groupKindKey } from "../object/index.ts";
import { desired, desiredSet, resource } from "./samples.case.ts";
import { computeScope } from "./scope.ts";

const SERVED: readonly ApiResource[] = [
  resource("ConfigMap"),
  resource("Secret"),
  resource("Binding", { verbs: ["create"] }),
  resource("CronJob", { group: "batch", version: "v1" }),
  resource("CronJob", { group: "batch", version: "v1beta1" }),
];

const DISCOVERY: Discovery = {
  find: async (gvk) => SERVED.find((each) => groupKindKey(each) === groupKindKey(gvk) && each.version === gvk.version),
  preferred: async (gk) => SERVED.find((each) => groupKindKey(each) === groupKindKey(gk)),
  versions: async () => [],
  all: async () => SERVED,
  unavailableGroups: () => [],
  invalidate: () => {},
};

const shown = ({ kinds }: Awaited<ReturnType<typeof computeScope>>): readonly string[] =>
  kinds.map(
    ({ resource: each, metadataOnly }) => `${groupKindKey(each)}@${each.version}${metadataOnly ? " metadata" : ""}`,
  );

describe("computeScope", () => {
  it("watches desired kinds whole and those of the prune list by their metadata", async () => {
    const prune = {
      kinds: [
        { group: "", version: "v1", kind: "ConfigMap" },
        { group: "", version: "v1", kind: "Secret" },
      ],
      alsoKinds: [],
    };

    expect(shown(await computeScope(desiredSet([desired({})]), prune, DISCOVERY))).toEqual([
      "ConfigMap@v1",
      "Secret@v1 metadata",
    ]);
  });

  it("leaves out the kinds that are only read by name, and watches a warm list whole", async () => {
    const prune = {
      kinds: [
        { group: "", version: "v1", kind: "ConfigMap" },
        { group: "", version: "v1", kind: "Secret" },
      ],
      alsoKinds: [],
      unwatched: [{ group: "", kind: "ConfigMap" }],
      isWarm: true,
    };

    expect(shown(await computeScope(desiredSet([desired({})]), prune, DISCOVERY))).toEqual(["Secret@v1"]);
  });

  it("watches a kind in each version in which it is desired", async () => {
    const job = (name: string, version: string) =>
      desired(
        { group: "batch", kind: "CronJob", name },
        { resource: resource("CronJob", { group: "batch", version }) },
      );
    const set = desiredSet([job("a", "v1"), job("b", "v1beta1"), job("c", "v1")]);

    expect(shown(await computeScope(set, { kinds: [], alsoKinds: [] }, DISCOVERY))).toEqual([
      "CronJob.batch@v1",
      "CronJob.batch@v1beta1",
    ]);
  });

  it("names the entries of the prune list that are not served, and watches the rest", async () => {
    const unserved = { group: "extensions", version: "v1beta1", kind: "Ingress" };
    const scope = await computeScope(
      desiredSet([]),
      { kinds: [unserved, { group: "", version: "v1", kind: "Secret" }], alsoKinds: [] },
      DISCOVERY,
    );

    expect(scope.unserved).toEqual([unserved]);
    expect(shown(scope)).toEqual(["Secret@v1 metadata"]);
  });

  it("takes the served version of a kind that the prune list names in another", async () => {
    const kinds = [{ group: "batch", version: "v2", kind: "CronJob" }];

    const scope = await computeScope(desiredSet([]), { kinds, alsoKinds: [] }, DISCOVERY);

    expect(shown(scope)).toEqual(["CronJob.batch@v1 metadata"]);
    expect(scope.unserved).toEqual([]);
  });

  it("adds kinds that were applied earlier, once each", async () => {
    const prune = {
      kinds: [{ group: "", version: "v1", kind: "Secret" }],
      alsoKinds: [
        { group: "", kind: "Secret" },
        { group: "", kind: "ConfigMap" },
        { group: "x.dev", kind: "Gone" },
      ],
    };

    expect(shown(await computeScope(desiredSet([]), prune, DISCOVERY))).toEqual([
      "Secret@v1 metadata",
      "ConfigMap@v1 metadata",
    ]);
  });

  it("watches nothing that cannot be listed", async () => {
    const binding = desired({ kind: "Binding" }, { resource: resource("Binding", { verbs: ["create"] }) });
    const kinds = [{ group: "", version: "v1", kind: "Binding" }];

    expect(shown(await computeScope(desiredSet([binding]), { kinds, alsoKinds: [] }, DISCOVERY))).toEqual([]);
  });
});
