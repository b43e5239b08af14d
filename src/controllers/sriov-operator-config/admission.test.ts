import { describe, expect, it } from "vitest";
import type { JsonObject, KubeObject } from "../../object/index.ts";
import { reviewers } from "./admission.ts";
import { answerReview, type Verdict } from "./admission-review.ts";
import { parseSupportedNics } from "./supported-nics.ts";

const NICS = parseSupportedNics({ intel: "8086 158b 154c", mellanox: "15b3 1017 1018", broken: "1234" });

const INTEL = {
  name: "ens1f0",
  pciAddress: "0000:86:00.0",
  vendor: "8086",
  deviceID: "158b",
  totalvfs: 64,
  numVfs: 4,
  mtu: 1500,
  linkType: "ETH",
  netFilter: "net/1",
};
const MELLANOX = {
  name: "ens2f0",
  pciAddress: "0000:87:00.0",
  vendor: "15b3",
  deviceID: "1017",
  totalvfs: 200,
  linkType: "ETH",
};

interface Scene {
  readonly stored?: JsonObject;
  readonly syncStatus?: string;
  readonly policies?: readonly JsonObject[];
  readonly interfaces?: readonly JsonObject[];
  readonly providerID?: string;
  readonly isDevMode?: boolean;
}

const object = (kind: string, name: string, spec: JsonObject, more: JsonObject = {}): KubeObject => ({
  apiVersion: "sriovnetwork.openshift.io/v1",
  kind,
  metadata: { name, namespace: "sriov" },
  spec,
  ...more,
});

function context({
  stored,
  syncStatus = "Succeeded",
  policies = [],
  interfaces = [INTEL, MELLANOX],
  providerID = "",
  isDevMode = false,
}: Scene) {
  const node = { ...object("Node", "n1", { providerID }), metadata: { name: "n1", labels: { role: "worker" } } };
  return {
    namespace: "sriov",
    nics: NICS,
    isDevMode,
    cluster: {
      config: async () => (stored === undefined ? undefined : object("SriovOperatorConfig", "default", stored)),
      policies: async () => policies.map((spec, index) => object("SriovNetworkNodePolicy", `p${index}`, spec)),
      nodeStates: async () => [object("SriovNetworkNodeState", "n1", {}, { status: { syncStatus, interfaces } })],
      nodes: async () => [node],
    },
  };
}

async function review(
  asked: KubeObject,
  scene: Scene = {},
  operation = "UPDATE",
  path = "/validating-custom-resource",
): Promise<Verdict> {
  const reviewer = reviewers(context(scene))[path];
  return reviewer?.({ uid: "1", kind: asked.kind, operation, object: asked }) ?? { kind: "undecodable", message: path };
}

const policySpec = (spec: JsonObject = {}): JsonObject => ({
  resourceName: "intelnics",
  nodeSelector: { role: "worker" },
  numVfs: 4,
  nicSelector: { vendor: "8086", deviceID: "158b" },
  ...spec,
});
const pf = (...pfNames: string[]): JsonObject => ({ nicSelector: { pfNames } });
const IB = { ...MELLANOX, linkType: "IB" };

describe("SriovOperatorConfig", () => {
  const drain = object("SriovOperatorConfig", "default", { disableDrain: true });

  it.each([
    {
      name: "a delete of any name",
      asked: object("SriovOperatorConfig", "other", {}),
      operation: "DELETE",
      allowed: true,
    },
    { name: "the default", asked: object("SriovOperatorConfig", "default", {}), operation: "CREATE", allowed: true },
    { name: "another name", asked: object("SriovOperatorConfig", "other", {}), operation: "CREATE", allowed: false },
  ])("judges $name", async ({ asked, operation, allowed }) => {
    expect((await review(asked, {}, operation)).kind).toBe(allowed ? "allowed" : "denied");
  });

  it("says which config is used", async () => {
    expect(await review(object("SriovOperatorConfig", "other", {}))).toEqual({
      kind: "denied",
      reason: "only default SriovOperatorConfig in sriov namespace is used",
    });
  });

  it.each([
    { name: "no stored config", scene: { syncStatus: "InProgress" }, allowed: true },
    {
      name: "draining disabled before",
      scene: { stored: { disableDrain: true }, syncStatus: "InProgress" },
      allowed: true,
    },
    { name: "no node at work", scene: { stored: {}, syncStatus: "Succeeded" }, allowed: true },
    { name: "a node at work", scene: { stored: {}, syncStatus: "InProgress" }, allowed: false },
  ])("warns of disableDrain, and judges it with $name", async ({ scene, allowed }) => {
    const verdict = await review(drain, scene);

    expect(verdict).toMatchObject({ warnings: [expect.stringContaining("Node draining is disabled")] });
    expect(verdict).toMatchObject(
      allowed ? { kind: "allowed" } : { reason: "can't set Spec.DisableDrain = true while node[n1] is updating" },
    );
  });
});

describe("SriovNetworkPoolConfig", () => {
  it.each([
    { spec: {}, allowed: true },
    { spec: { maxUnavailable: 1, nodeSelector: {} }, allowed: true },
    { spec: { maxUnavailable: "50%" }, allowed: true },
    { spec: { maxUnavailable: "0%" }, allowed: false },
    { spec: { maxUnavailable: "101%" }, allowed: false },
    { spec: { maxUnavailable: "some" }, allowed: false },
    { spec: { maxUnavailable: -1 }, allowed: false },
    { spec: { ovsHardwareOffloadConfig: { name: "x" } }, allowed: true },
    { spec: { ovsHardwareOffloadConfig: { name: "x" }, maxUnavailable: 1 }, allowed: false },
    { spec: { ovsHardwareOffloadConfig: { name: "x" }, nodeSelector: {} }, allowed: false },
  ])("judges $spec: $allowed", async ({ spec, allowed }) => {
    expect((await review(object("SriovNetworkPoolConfig", "p", spec), {}, "DELETE")).kind).toBe(
      allowed ? "allowed" : "denied",
    );
  });
});

describe("SriovNetworkNodePolicy", () => {
  it.each<{ name: string; spec: JsonObject; scene?: Scene; says?: string }>([
    { name: "a valid one", spec: {} },
    { name: "63 functions", spec: { numVfs: 63 } },
    { name: "more functions than the card has", spec: { numVfs: 65 }, says: "more than the 64" },
    { name: "no function", spec: { numVfs: 0 }, says: "numVfs is 0" },
    { name: "128 functions of Mellanox", spec: { numVfs: 128, nicSelector: { vendor: "15b3" } } },
    {
      name: "129 functions of Mellanox",
      spec: { numVfs: 129, nicSelector: { vendor: "15b3" } },
      says: "more than the 128",
    },
    { name: "a bad name", spec: { resourceName: "a.b" }, says: "resourceName" },
    { name: "a dash within the name", spec: { resourceName: "a-b" } },
    { name: "an empty selector", spec: { nicSelector: {} }, says: "nicSelector is empty" },
    { name: "a bad vendor", spec: { nicSelector: { vendor: "ffff" } }, says: "vendor ffff is not supported" },
    { name: "a bad device", spec: { nicSelector: { deviceID: "ffff" } }, says: "device ffff is not supported" },
    { name: "a bad pair", spec: { nicSelector: { vendor: "8086", deviceID: "1017" } }, says: "of vendor 8086" },
    {
      name: "a bad vendor in development",
      spec: { nicSelector: { vendor: "ffff" } },
      scene: { isDevMode: true, interfaces: [{ ...INTEL, vendor: "ffff" }] },
    },
    { name: "a range", spec: pf("ens1f0#0-3") },
    { name: "a range beyond the last", spec: pf("ens1f0#0-4"), says: "beyond the last of 4" },
    { name: "a range backwards", spec: pf("ens1f0#3-1"), says: "ends before it begins" },
    { name: "two ranges in one", spec: pf("ens1f0#0-1#2-3"), says: "not of the form" },
    { name: "a range of words", spec: pf("ens1f0#a-b"), says: "not of the form" },
    { name: "vfio and RDMA", spec: { deviceType: "vfio-pci", isRdma: true }, says: "cannot be RDMA" },
    {
      name: "InfiniBand and switchdev",
      spec: { linkType: "IB", eSwitchMode: "switchdev" },
      says: "needs linkType eth",
    },
    {
      name: "vdpa with vfio",
      spec: { vdpaType: "virtio", deviceType: "vfio-pci" },
      says: "needs deviceType netdevice",
    },
    { name: "vdpa without switchdev", spec: { vdpaType: "vhost" }, says: "needs eSwitchMode switchdev" },
    {
      name: "vdpa on Intel",
      spec: { vdpaType: "virtio", eSwitchMode: "switchdev" },
      says: "is not supported by ens1f0",
    },
    {
      name: "vdpa on Mellanox",
      spec: { vdpaType: "virtio", eSwitchMode: "switchdev", nicSelector: { vendor: "15b3" } },
    },
    { name: "a bridge without switchdev", spec: { bridge: { ovs: {} } }, says: "bridge needs" },
    {
      name: "a bridge on another's card",
      spec: { bridge: { ovs: {} }, eSwitchMode: "switchdev", externallyManaged: true },
      says: "does not go together",
    },
    { name: "no node", spec: { nodeSelector: { role: "none" } }, says: "selects no node" },
    { name: "no card", spec: pf("ens9f0"), says: "matches no supported network card" },
    { name: "another's card", spec: { externallyManaged: true } },
    { name: "more than another made", spec: { externallyManaged: true, numVfs: 5 }, says: "more than the 4" },
    { name: "another's MTU", spec: { externallyManaged: true, mtu: 9000 }, says: "mtu 9000" },
    { name: "another's link", spec: { externallyManaged: true, linkType: "eth" } },
    { name: "a link that another's is not", spec: { externallyManaged: true, linkType: "ib" }, says: "linkType ib" },
    {
      name: "a link of InfiniBand",
      spec: { nicSelector: { vendor: "15b3" }, linkType: "ib" },
      scene: { interfaces: [IB] },
    },
    {
      name: "a network filter in a virtual machine",
      spec: { nicSelector: { netFilter: "net/1" } },
      scene: { providerID: "openstack:///1", interfaces: [{ ...INTEL, deviceID: "154c" }] },
    },
    {
      name: "another network filter",
      spec: { nicSelector: { netFilter: "net/2" } },
      scene: { providerID: "openstack:///1", interfaces: [{ ...INTEL, deviceID: "154c" }] },
      says: "matches no",
    },
    { name: "ranges side by side", spec: pf("ens1f0#2-3"), scene: { policies: [policySpec(pf("ens1f0#0-1"))] } },
    {
      name: "ranges that overlap",
      spec: pf("ens1f0#1-3"),
      scene: { policies: [policySpec(pf("ens1f0#0-1"))] },
      says: "overlap",
    },
    {
      name: "a second pair that overlaps",
      spec: pf("ens1f0#2-3"),
      scene: { policies: [policySpec(pf("ens1f0#0-1", "ens1f0#3-3"))] },
      says: "overlap",
    },
    { name: "one card twice", spec: pf("ens1f0"), scene: { policies: [policySpec(pf("ens1f0"))] }, says: "overlap" },
    {
      name: "managers that differ",
      spec: pf("ens1f0#2-3"),
      scene: { policies: [policySpec({ ...pf("ens1f0#0-1"), externallyManaged: true })] },
      says: "externallyManaged differs",
    },
    {
      name: "one device twice",
      spec: { nicSelector: { rootDevices: ["0000:86:00.0"] } },
      scene: { policies: [policySpec({ nicSelector: { rootDevices: ["0000:86:00.0"] } })] },
      says: "root device",
    },
    {
      name: "topologies that differ",
      spec: {},
      scene: { policies: [policySpec({ excludeTopology: true })] },
      says: "excludeTopology differs",
    },
    {
      name: "a policy of other nodes",
      spec: pf("ens1f0"),
      scene: { policies: [policySpec({ ...pf("ens1f0"), nodeSelector: { a: "b" } })] },
    },
  ])("judges $name", async ({ spec, scene, says }) => {
    const verdict = await review(object("SriovNetworkNodePolicy", "mine", policySpec(spec)), scene);

    expect(verdict).toMatchObject(
      says === undefined ? { kind: "allowed" } : { kind: "denied", reason: expect.stringContaining(says) },
    );
  });

  it("lets a policy change its own range", async () => {
    const scene = { policies: [policySpec(pf("ens1f0#0-1"))] };

    expect((await review(object("SriovNetworkNodePolicy", "p0", policySpec(pf("ens1f0#1-3"))), scene)).kind).toBe(
      "allowed",
    );
  });

  it("never judges the default policy, and warns of another namespace", async () => {
    expect(await review(object("SriovNetworkNodePolicy", "default", {}))).toEqual({ kind: "allowed" });
    const elsewhere = {
      ...object("SriovNetworkNodePolicy", "a", policySpec()),
      metadata: { name: "a", namespace: "x" },
    };
    expect(await review(elsewhere)).toMatchObject({
      kind: "allowed",
      warnings: [expect.stringContaining("namespace x")],
    });
  });

  it.each([
    {
      name: "a bare one",
      spec: {},
      patch: [
        ["priority", 99],
        ["isRdma", false],
      ],
    },
    { name: "a complete one", spec: { priority: 0, isRdma: true }, patch: [] },
    { name: "InfiniBand", spec: { priority: 1, isRdma: false, linkType: "ib" }, patch: [["isRdma", true]] },
    {
      name: "InfiniBand for a guest",
      spec: { priority: 1, linkType: "IB", deviceType: "vfio-pci" },
      patch: [["isRdma", false]],
    },
  ])("completes $name", async ({ spec, patch }) => {
    const verdict = await review(
      object("SriovNetworkNodePolicy", "a", spec),
      {},
      "CREATE",
      "/mutating-custom-resource",
    );

    expect(verdict).toEqual({
      kind: "allowed",
      patch: patch.map(([field, value]) => ({ op: "add", path: `/spec/${field}`, value })),
    });
  });
});

describe("answerReview", () => {
  const body = (request: JsonObject): string =>
    JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
  const allow = async (): Promise<Verdict> => ({
    kind: "allowed",
    warnings: ["w"],
    patch: [{ op: "add", path: "/a", value: 1 }],
  });

  it("answers under the same uid, with patch and warnings", async () => {
    const answer = await answerReview(body({ uid: "u1", operation: "CREATE", object: { metadata: {} } }), allow);

    expect(answer).toEqual({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: {
        uid: "u1",
        allowed: true,
        warnings: ["w"],
        patchType: "JSONPatch",
        patch: Buffer.from('[{"op":"add","path":"/a","value":1}]').toString("base64"),
      },
    });
  });

  it.each(["", "{}", '{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{}}'])(
    "refuses %j",
    async (text) => {
      expect(await answerReview(text, allow)).toBeUndefined();
    },
  );

  it("looks at the old object of a delete", async () => {
    const seen: string[] = [];
    const look = async ({ object: { metadata } }: { object: KubeObject }): Promise<Verdict> => {
      seen.push(metadata.name ?? "");
      return { kind: "allowed" };
    };
    await answerReview(body({ operation: "DELETE", oldObject: { metadata: { name: "old" } } }), look);

    expect(seen).toEqual(["old"]);
  });

  it("denies what it cannot read, and what it cannot judge", async () => {
    const broken = await answerReview(body({ operation: "CREATE", object: null }), allow);
    const failed = await answerReview(body({ operation: "CREATE", object: { metadata: {} } }), () =>
      Promise.reject(new TypeError("no cluster")),
    );

    expect(broken).toMatchObject({
      response: { allowed: false, status: { message: expect.stringContaining("cannot be read") } },
    });
    expect(failed).toMatchObject({ response: { allowed: false, status: { reason: "no cluster" } } });
  });
});
