import { fieldOf, isJsonObject, type JsonObject, type KubeObject } from "../../object/index.ts";
import type { AdmissionCluster } from "./admission-cluster.ts";
import type { PolicyRules } from "./admission-policy.ts";
import {
  type NodePolicy,
  numberOf,
  type PfEntry,
  parsePfName,
  parsePolicy,
  selectsNode,
  textOf,
} from "./node-policy.ts";

const INTEL = "8086";
const MELLANOX = "15b3";
const MELLANOX_MAX_VFS = 128;

/** The first rule that a policy violates on the nodes that it selects, in words. */
export async function faultOnNodes(
  policy: NodePolicy,
  rules: PolicyRules,
  cluster: Pick<AdmissionCluster, "nodes" | "nodeStates" | "policies">,
): Promise<string | undefined> {
  const [nodes, states, stored] = await Promise.all([cluster.nodes(), cluster.nodeStates(), cluster.policies()]);
  const selected = nodes.filter((node) => selectsNode(policy.nodeSelector, node.metadata.labels ?? {}));
  if (selected.length === 0) return "nodeSelector selects no node";
  const others = stored
    .map(parsePolicy)
    .filter(({ name, namespace }) => name !== policy.name && name !== "default" && namespace === policy.namespace);
  let isMatched = false;
  for (const node of selected) {
    const state = states.find(({ metadata }) => metadata.name === node.metadata.name);
    for (const card of cardsOf(state).filter((each) => matches(policy, each, { node, rules }))) {
      isMatched = true;
      const fault = faultOnCard(policy, card);
      if (fault !== undefined) return `node ${node.metadata.name}: ${fault}`;
    }
    for (const other of others) {
      if (!selectsNode(other.nodeSelector, node.metadata.labels ?? {})) continue;
      const fault = conflictOf(policy, other);
      if (fault !== undefined) return fault;
    }
  }
  return isMatched ? undefined : "nicSelector matches no supported network card on any selected node";
}

function cardsOf(state: KubeObject | undefined): readonly JsonObject[] {
  const interfaces = fieldOf(state?.status, "interfaces");
  return Array.isArray(interfaces) ? interfaces.filter(isJsonObject) : [];
}

interface Place {
  readonly node: KubeObject;
  readonly rules: PolicyRules;
}

function matches(policy: NodePolicy, card: JsonObject, { node, rules }: Place): boolean {
  const { vendor, deviceID, rootDevices, pfNames, netFilter } = policy;
  const [cardVendor, cardDevice] = [textOf(card, "vendor"), textOf(card, "deviceID")];
  if (vendor !== "" && vendor !== cardVendor) return false;
  if (deviceID !== "" && deviceID !== cardDevice) return false;
  if (rootDevices.length > 0 && !rootDevices.includes(textOf(card, "pciAddress"))) return false;
  if (pfNames.length > 0 && !pfNames.some((text) => text.split("#")[0] === textOf(card, "name"))) return false;
  const isVirtual = textOf(node.spec, "providerID").includes("openstack");
  if (isVirtual && netFilter !== "") {
    return netFilter === textOf(card, "netFilter") && rules.nics.hasVfModel(cardVendor, cardDevice);
  }
  return rules.isDevMode || rules.nics.hasModel(cardVendor, cardDevice);
}

function faultOnCard(policy: NodePolicy, card: JsonObject): string | undefined {
  const { numVfs, vdpaType } = policy;
  const name = textOf(card, "name") || textOf(card, "pciAddress");
  const vendor = textOf(card, "vendor");
  if (numVfs === 0) return "numVfs is 0: a policy has to make at least one virtual function";
  const total = numberOf(card, "totalvfs");
  if (vendor === INTEL && numVfs > total) return `numVfs ${numVfs} is more than the ${total} that ${name} can have`;
  if (vendor === MELLANOX && numVfs > MELLANOX_MAX_VFS) {
    return `numVfs ${numVfs} is more than the ${MELLANOX_MAX_VFS} that ${name} can have`;
  }
  if (vdpaType !== "" && vendor !== MELLANOX) return `vdpaType ${vdpaType} is not supported by ${name} (${vendor})`;
  return policy.externallyManaged ? faultOfExternal(policy, card, name) : undefined;
}

/** What somebody else set up is only used, never changed. */
function faultOfExternal(policy: NodePolicy, card: JsonObject, name: string): string | undefined {
  const { numVfs, mtu, linkType } = policy;
  const [vfs, cardMtu, cardLink] = [numberOf(card, "numVfs"), numberOf(card, "mtu"), textOf(card, "linkType")];
  if (numVfs > vfs) return `externallyManaged: numVfs ${numVfs} is more than the ${vfs} that ${name} has`;
  if (mtu > cardMtu) return `externallyManaged: mtu ${mtu} is more than ${name}'s ${cardMtu}`;
  if (linkType !== "" && linkType.toLowerCase() !== cardLink.toLowerCase()) {
    return `externallyManaged: linkType ${linkType} is not that of ${name}, ${cardLink}`;
  }
  return undefined;
}

/** Why two policies cannot be in force on one node. Pure. */
export function conflictOf(policy: NodePolicy, other: NodePolicy): string | undefined {
  return pfConflict(policy, other) ?? deviceConflict(policy, other) ?? topologyConflict(policy, other);
}

function pfConflict(policy: NodePolicy, other: NodePolicy): string | undefined {
  for (const mine of entriesOf(policy)) {
    for (const theirs of entriesOf(other).filter(({ name }) => name === mine.name)) {
      if (policy.externallyManaged !== other.externallyManaged) {
        return `externallyManaged differs from that of policy ${other.name} for ${mine.name}`;
      }
      if (mine.first <= theirs.last && theirs.first <= mine.last) {
        return `the virtual functions of ${mine.name} overlap with those of policy ${other.name}`;
      }
    }
  }
  return undefined;
}

function entriesOf({ pfNames }: NodePolicy): readonly PfEntry[] {
  return pfNames.flatMap((text) => parsePfName(text) ?? []);
}

function deviceConflict(policy: NodePolicy, other: NodePolicy): string | undefined {
  const shared = policy.rootDevices.find((device) => other.rootDevices.includes(device));
  return shared === undefined ? undefined : `root device ${shared} is selected by policy ${other.name}, too`;
}

function topologyConflict(policy: NodePolicy, other: NodePolicy): string | undefined {
  const isSame = policy.resourceName !== other.resourceName || policy.excludeTopology === other.excludeTopology;
  return isSame ? undefined : `excludeTopology differs from that of policy ${other.name} for ${policy.resourceName}`;
}
