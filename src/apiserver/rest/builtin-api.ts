import type { JsonObject } from "../../object/index.ts";
import { FieldSet, fieldElement, type TypedObject, type Versions } from "../merge/index.ts";
import { type BuiltinTypes, type CompactResource, type DataFile, type TypeNode, toGoForm } from "../schema/index.ts";
import { copyObject, type Draft, defaultObject, isDraft, strategyOf } from "../strategy/index.ts";
import type { Api, Codec, Subresource } from "./api.ts";
import { type Conversion, conversionOf } from "./conversions.ts";

/** The APIs of all built-in kinds. */
export function builtinApis(data: DataFile, types: BuiltinTypes): readonly Api[] {
  const apis: Api[] = [];
  for (const group of data.groups) {
    for (const { version, resources } of group.versions) {
      for (const resource of resources) {
        const apiVersion = group.name === "" ? version : `${group.name}/${version}`;
        const type = types.ofKind(apiVersion, resource.k);
        if (type !== undefined) apis.push(buildApi({ group: group.name, version, resource, type, types }));
      }
    }
  }
  return apis;
}

interface Source {
  readonly group: string;
  readonly version: string;
  readonly resource: CompactResource;
  readonly type: TypeNode;
  readonly types: BuiltinTypes;
}

function buildApi({ group, version, resource, type, types }: Source): Api {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const kind = resource.k;
  const strategy = strategyOf(group, kind);
  const subresources: readonly Subresource[] = (resource.sub ?? []).map((sub) => ({
    name: sub.n,
    kind: sub.k,
    apiVersion: sub.gv ?? apiVersion,
    verbs: sub.v,
  }));
  const conversion = conversionOf(apiVersion, kind);
  const hasStatus = subresources.some((sub) => sub.name === "status");
  const typed = (object: JsonObject): TypedObject => ({ value: object, type });
  return {
    group,
    version,
    apiVersion,
    resource: resource.n,
    singular: resource.s,
    kind,
    listKind: `${kind}List`,
    namespaced: resource.ns === true,
    verbs: resource.v,
    shortNames: resource.sn ?? [],
    categories: resource.c ?? [],
    subresources,
    table: conversion?.table ?? (group === "" ? resource.n : `${resource.n}.${group}`),
    type,
    strategy,
    codec: buildCodec({ apiVersion, kind, type, conversion }),
    typed,
    versions: (subresource) => ({
      ignored: (at) =>
        at.startsWith(group === "" ? "v" : `${group}/`)
          ? resetFields(subresource, hasStatus, strategy.statusResets)
          : undefined,
      convert: (object, at) => convertBuiltin(object, at, kind, types),
    }),
  };
}

const STATUS = FieldSet.of(["f:status"]);
const SPEC = FieldSet.of(["f:spec"]);

/** The fields that a request through `subresource` cannot change, whatever it sends. */
export function resetFields(
  subresource: string,
  hasStatus: boolean,
  statusResets: readonly (readonly string[])[] | undefined,
): FieldSet | undefined {
  if (subresource === "") return hasStatus ? STATUS : undefined;
  if (subresource !== "status") return undefined;
  return statusResets === undefined ? SPEC : FieldSet.of(...statusResets.map((path) => path.map(fieldElement)));
}

/** Between the versions of a built-in kind: through the stored form. */
function convertBuiltin(
  object: TypedObject,
  to: string,
  kind: string,
  types: BuiltinTypes,
): ReturnType<Versions["convert"]> {
  const from = String(object.value.apiVersion);
  if (from === to) return object;
  const type = types.ofKind(to, kind);
  if (type === undefined) return undefined;
  const stored = conversionOf(from, kind)?.toStored(object.value) ?? object.value;
  const value = conversionOf(to, kind)?.fromStored(stored) ?? { ...stored, apiVersion: to };
  return { value, type };
}

function buildCodec(of: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: TypeNode;
  readonly conversion: Conversion | undefined;
}): Codec {
  const { apiVersion, kind, type, conversion } = of;
  // The phase of these is defaulted when they are read, not when they are created: their next write stores it.
  const defaultsOnRead = kind === "PersistentVolumeClaim" || kind === "PersistentVolume";
  return {
    decode(object) {
      const decoded = toGoForm(normalize(object, kind), type);
      return { object: { ...decoded.object, apiVersion, kind }, unknownFields: decoded.unknownFields };
    },
    fillDefaults: (object) => defaultObject(object, type),
    canonical: (object) => ({ ...toGoForm(object, type, { stored: true }).object, apiVersion, kind }),
    toStored(object) {
      // Decoding makes a fresh object, which nobody else holds yet.
      const canonical: Draft = { ...toGoForm(object, type, { stored: true }).object, apiVersion, kind };
      if (!defaultsOnRead) defaultObject(canonical, type);
      return conversion === undefined ? canonical : conversion.toStored(canonical);
    },
    fromStored(stored) {
      if (conversion !== undefined) return conversion.fromStored(stored);
      if (!defaultsOnRead) return stored;
      const draft = copyObject(stored);
      defaultObject(draft, type);
      return draft;
    },
    empty: () => toGoForm({ apiVersion, kind }, type).object,
  };
}

/** Write-only fields are folded into what they stand for, as the server's conversions do. */
function normalize(object: JsonObject, kind: string): JsonObject {
  if (kind !== "Secret" || !isDraft(object.stringData)) return object;
  const data: Draft = isDraft(object.data) ? { ...object.data } : {};
  for (const [key, value] of Object.entries(object.stringData))
    data[key] = Buffer.from(String(value)).toString("base64");
  const { stringData: _, ...rest } = object;
  return { ...rest, data };
}
