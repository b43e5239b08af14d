import { fieldOf, type KubeObject } from "../../object/index.ts";
import type { MutationOperation } from "./admission-review.ts";
import { type NodePolicy, parsePfName } from "./node-policy.ts";
import type { SupportedNics } from "./supported-nics.ts";

const LOWEST_PRIORITY = 99;

/** What a policy that leaves things out is completed with. Pure. */
export function mutatePolicy({ metadata, spec }: KubeObject): readonly MutationOperation[] {
  if (metadata.name === "default") return [];
  const add = (field: string, value: unknown): MutationOperation => ({ op: "add", path: `/spec/${field}`, value });
  const operations: MutationOperation[] = [];
  if (fieldOf(spec, "priority") === undefined) operations.push(add("priority", LOWEST_PRIORITY));
  if (fieldOf(spec, "isRdma") === undefined) operations.push(add("isRdma", false));
  // InfiniBand is RDMA, but a device that a guest drives itself is none to the host (sriov-network-operator#1030).
  const isInfiniBand = String(fieldOf(spec, "linkType") ?? "").toLowerCase() === "ib";
  if (isInfiniBand && fieldOf(spec, "deviceType") !== "vfio-pci") operations.push(add("isRdma", true));
  return operations;
}

/** What the rules on a policy by itself depend on. */
export interface PolicyRules {
  readonly nics: SupportedNics;
  /** DEV_MODE is TRUE: any card is supported. */
  readonly isDevMode: boolean;
}

/** The first rule that a policy violates by itself, in words. Pure. */
export function faultOfPolicy(policy: NodePolicy, rules: PolicyRules): string | undefined {
  return (
    faultOfName(policy) ??
    faultOfSelector(policy) ??
    (rules.isDevMode ? undefined : faultOfModel(policy, rules.nics)) ??
    faultOfPfNames(policy) ??
    faultOfMode(policy)
  );
}

/** As in later versions of the operator, dashes may stand within the name. */
const RESOURCE_NAME = /^[a-zA-Z0-9_](?:[a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?$/;

function faultOfName({ resourceName }: NodePolicy): string | undefined {
  if (RESOURCE_NAME.test(resourceName)) return undefined;
  return `resourceName "${resourceName}" is not made of letters, digits and underscores (dashes within), 63 at most`;
}

function faultOfSelector({ vendor, deviceID, pfNames, rootDevices, netFilter }: NodePolicy): string | undefined {
  const isEmpty = vendor === "" && deviceID === "" && netFilter === "" && pfNames.length + rootDevices.length === 0;
  return isEmpty
    ? "nicSelector is empty: it needs at least one of vendor, deviceID, pfNames, rootDevices, netFilter"
    : undefined;
}

function faultOfModel({ vendor, deviceID }: NodePolicy, nics: SupportedNics): string | undefined {
  if (vendor !== "" && !nics.hasVendor(vendor)) return `vendor ${vendor} is not supported`;
  if (deviceID === "") return undefined;
  if (vendor === "") return nics.hasDevice(deviceID) ? undefined : `device ${deviceID} is not supported`;
  return nics.hasModel(vendor, deviceID) ? undefined : `device ${deviceID} of vendor ${vendor} is not supported`;
}

function faultOfPfNames({ pfNames, numVfs }: NodePolicy): string | undefined {
  for (const text of pfNames) {
    const entry = parsePfName(text);
    if (entry === undefined) return `pfNames: "${text}" is not of the form NAME#FIRST-LAST`;
    if (entry.last < entry.first) return `pfNames: "${text}" ends before it begins`;
    if (entry.last >= numVfs && entry.last >= 0) {
      return `pfNames: "${text}" reaches beyond the last of ${numVfs} virtual functions`;
    }
  }
  return undefined;
}

function faultOfMode(policy: NodePolicy): string | undefined {
  const { deviceType, isRdma, eSwitchMode, linkType, vdpaType, hasBridge, externallyManaged } = policy;
  const isSwitchdev = eSwitchMode === "switchdev";
  if (deviceType === "vfio-pci" && isRdma) return "a device of type vfio-pci cannot be RDMA";
  if (isSwitchdev && linkType !== "" && linkType.toLowerCase() !== "eth") {
    return "eSwitchMode switchdev needs linkType eth";
  }
  if (vdpaType === "virtio" || vdpaType === "vhost") {
    if (deviceType !== "netdevice") return `vdpaType ${vdpaType} needs deviceType netdevice`;
    if (!isSwitchdev) return `vdpaType ${vdpaType} needs eSwitchMode switchdev`;
  }
  if (hasBridge && !isSwitchdev) return "bridge needs eSwitchMode switchdev";
  if (hasBridge && externallyManaged) return "bridge does not go together with externallyManaged";
  return undefined;
}
