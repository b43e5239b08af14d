import { fieldOf, isJsonObject, type KubeObject } from "../../object/index.ts";

/** One entry of `nicSelector.pfNames`: `ens1f0`, or `ens1f0#2-5` for some of its virtual functions. */
export interface PfEntry {
  readonly name: string;
  /** -1 to -1: the whole card. */
  readonly first: number;
  readonly last: number;
}

/** A SriovNetworkNodePolicy as the rules read it; what is absent is "", 0, false or empty. */
export interface NodePolicy {
  readonly name: string;
  readonly namespace: string;
  readonly resourceName: string;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly numVfs: number;
  readonly mtu: number;
  readonly vendor: string;
  readonly deviceID: string;
  readonly pfNames: readonly string[];
  readonly rootDevices: readonly string[];
  readonly netFilter: string;
  readonly deviceType: string;
  readonly isRdma: boolean;
  readonly linkType: string;
  readonly eSwitchMode: string;
  readonly vdpaType: string;
  readonly excludeTopology: boolean;
  readonly externallyManaged: boolean;
  readonly hasBridge: boolean;
}

/** Reads a policy. Total. */
export function parsePolicy({ metadata, spec }: KubeObject): NodePolicy {
  const nic = fieldOf(spec, "nicSelector");
  return {
    name: metadata.name ?? "",
    namespace: metadata.namespace ?? "",
    resourceName: textOf(spec, "resourceName"),
    nodeSelector: textsOf(fieldOf(spec, "nodeSelector")),
    numVfs: numberOf(spec, "numVfs"),
    mtu: numberOf(spec, "mtu"),
    vendor: textOf(nic, "vendor"),
    deviceID: textOf(nic, "deviceID"),
    pfNames: listOf(nic, "pfNames"),
    rootDevices: listOf(nic, "rootDevices"),
    netFilter: textOf(nic, "netFilter"),
    deviceType: textOf(spec, "deviceType") || "netdevice",
    isRdma: fieldOf(spec, "isRdma") === true,
    linkType: textOf(spec, "linkType"),
    eSwitchMode: textOf(spec, "eSwitchMode"),
    vdpaType: textOf(spec, "vdpaType"),
    excludeTopology: fieldOf(spec, "excludeTopology") === true,
    externallyManaged: fieldOf(spec, "externallyManaged") === true,
    hasBridge: Object.keys(textsOf(fieldOf(spec, "bridge"))).length > 0,
  };
}

/** Reads an entry of pfNames; undefined where it is malformed. */
export function parsePfName(text: string): PfEntry | undefined {
  if (!text.includes("#")) return { name: text, first: -1, last: -1 };
  const match = /^([^#]+)#(\d+)-(\d+)$/.exec(text);
  if (match === null) return undefined;
  return { name: match[1] ?? "", first: Number(match[2]), last: Number(match[3]) };
}

/** Whether a selector takes a node with these labels. */
export function selectsNode(
  selector: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

/** The text of a field; "" where it is none. */
export function textOf(value: unknown, field: string): string {
  const text = fieldOf(value, field);
  return typeof text === "string" ? text : "";
}

/** The number of a field; 0 where it is none. */
export function numberOf(value: unknown, field: string): number {
  const number = fieldOf(value, field);
  return typeof number === "number" ? number : 0;
}

function listOf(value: unknown, field: string): readonly string[] {
  const list = fieldOf(value, field);
  return Array.isArray(list) ? list.map(String) : [];
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(entries.map(([key, text]) => [key, String(text)]));
}
