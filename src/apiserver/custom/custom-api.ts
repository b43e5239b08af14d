import { isJsonObject, type JsonObject } from "../../object/index.ts";
import { metaText } from "../managers/index.ts";
import { FieldSet, SchemaMismatch, type TypedObject, type Versions, validateTyped } from "../merge/index.ts";
import type { Api, CustomApi, Subresource } from "../rest/index.ts";
import { type BuiltinTypes, structuralType, type TypeNode, toGoForm } from "../schema/index.ts";
import {
  copyObject,
  type Draft,
  type FieldError,
  isDraft,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../strategy/index.ts";
import { defaultStructural, pruneUnknown } from "./structural-object.ts";
import { validateStructural } from "./validate-structural.ts";

const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const STATUS_VERBS = ["get", "patch", "update"];

interface CustomVersion {
  readonly name: string;
  readonly apiVersion: string;
  readonly schema: JsonObject;
  readonly type: TypeNode;
  readonly definition: JsonObject;
}

/** The APIs that a CustomResourceDefinition serves; none while it is being deleted. */
export function customApis(definition: JsonObject, types: BuiltinTypes): readonly Api[] {
  const spec = objectAt(definition, "spec") ?? {};
  const group = textAt(spec, "group");
  const metadata = types.named("meta.v1.ObjectMeta");
  const versions = objectsAt(spec, "versions").map((version): CustomVersion => {
    const schema = objectAt(objectAt(version, "schema"), "openAPIV3Schema") ?? {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
    };
    return {
      name: textAt(version, "name"),
      apiVersion: `${group}/${textAt(version, "name")}`,
      schema,
      type: structuralType(schema, metadata),
      definition: version,
    };
  });
  const storage = versions.find((version) => version.definition.storage === true) ?? versions[0];
  if (storage === undefined || metaText(definition, "deletionTimestamp") !== "") return [];
  return versions
    .filter((version) => version.definition.served === true)
    .map((version) => buildApi({ spec, group, version, versions, storage, metadata }));
}

interface Source {
  readonly spec: JsonObject;
  readonly group: string;
  readonly version: CustomVersion;
  readonly versions: readonly CustomVersion[];
  readonly storage: CustomVersion;
  readonly metadata: TypeNode;
}

function buildApi(source: Source): Api {
  const { spec, group, version, versions } = source;
  const names = objectAt(spec, "names") ?? {};
  const kind = textAt(names, "kind");
  const subresources = subresourcesOf(version, kind);
  const hasStatus = subresources.some((sub) => sub.name === "status");
  return {
    group,
    version: version.name,
    apiVersion: version.apiVersion,
    resource: textAt(names, "plural"),
    singular: textAt(names, "singular"),
    kind,
    listKind: textAt(names, "listKind"),
    namespaced: spec.scope === "Namespaced",
    verbs: VERBS,
    shortNames: textsAt(names, "shortNames"),
    categories: textsAt(names, "categories"),
    subresources,
    table: `${textAt(names, "plural")}.${group}`,
    type: version.type,
    strategy: {},
    codec: codecOf(source, kind),
    typed: (object) => ({ value: object, type: version.type }),
    versions: (subresource) => ({
      ignored: (at) => (at === version.apiVersion ? ignoredFields(subresource, hasStatus) : undefined),
      convert: (object, at) => convertCustom(object, at, versions),
    }),
    validate: (object) => validateCustom(object, version.schema),
    custom: customOf(version),
  };
}

function validateCustom(object: JsonObject, schema: JsonObject): readonly FieldError[] {
  return validateStructural(object, schema).list;
}

function subresourcesOf(version: CustomVersion, kind: string): readonly Subresource[] {
  const declared = objectAt(version.definition, "subresources");
  const out: Subresource[] = [];
  if (isJsonObject(declared?.status))
    out.push({ name: "status", kind, apiVersion: version.apiVersion, verbs: STATUS_VERBS });
  if (isJsonObject(declared?.scale))
    out.push({ name: "scale", kind: "Scale", apiVersion: "autoscaling/v1", verbs: STATUS_VERBS });
  return out;
}

function customOf(version: CustomVersion): CustomApi {
  const scale = objectAt(objectAt(version.definition, "subresources"), "scale");
  const labelSelectorPath = textAt(scale, "labelSelectorPath");
  return {
    schema: version.schema,
    columns: objectsAt(version.definition, "additionalPrinterColumns"),
    selectableFields: objectsAt(version.definition, "selectableFields").map((field) =>
      textAt(field, "jsonPath").replace(/^\./, ""),
    ),
    ...(scale === undefined
      ? {}
      : {
          scale: {
            specReplicasPath: textAt(scale, "specReplicasPath"),
            statusReplicasPath: textAt(scale, "statusReplicasPath"),
            ...(labelSelectorPath === "" ? {} : { labelSelectorPath }),
          },
        }),
  };
}

const STATUS = FieldSet.of(["f:status"]);
const NOT_STATUS = FieldSet.of(["f:metadata"], ["f:spec"]);

function ignoredFields(subresource: string, hasStatus: boolean): FieldSet | undefined {
  if (subresource === "status") return NOT_STATUS;
  return subresource === "" && hasStatus ? STATUS : undefined;
}

/** Without a conversion webhook only the apiVersion changes; a version that is gone cannot be converted to. */
function convertCustom(
  object: TypedObject,
  to: string,
  versions: readonly CustomVersion[],
): ReturnType<Versions["convert"]> {
  if (object.value.apiVersion === to) return object;
  const version = versions.find((candidate) => candidate.apiVersion === to);
  if (version === undefined) {
    throw new SchemaMismatch([{ path: "", message: `request to convert CR to an invalid group/version: ${to}` }]);
  }
  const value = { ...object.value, apiVersion: to };
  validateTyped(value, version.type, { allowDuplicates: false });
  return { value, type: version.type };
}

function codecOf({ version, storage, metadata }: Source, kind: string): Api["codec"] {
  const read = new WeakMap<JsonObject, JsonObject>();
  const decode = (object: JsonObject): { object: Draft; unknownFields: string[] } => {
    const unknownFields: string[] = [];
    const draft = copyObject({ ...object, apiVersion: version.apiVersion, kind });
    const meta = toGoForm(isDraft(draft.metadata) ? draft.metadata : {}, metadata);
    unknownFields.push(...meta.unknownFields.map((field) => `metadata.${field}`));
    // Metadata is read as the built-in type, which drops what is empty.
    const { apiVersion: _, kind: __, ...fields } = meta.object;
    draft.metadata = fields;
    pruneUnknown(draft, version.schema, unknownFields);
    return { object: draft, unknownFields };
  };
  return {
    decode,
    fillDefaults: (object) => defaultStructural(object, version.schema),
    // Custom resources are compared as they are: empty is not absent.
    canonical: (object) => object,
    toStored(object) {
      return { ...decode(object).object, apiVersion: storage.apiVersion };
    },
    // As the real server does, an object is pruned and defaulted by the schema of now whenever it is read.
    fromStored(stored) {
      const known = read.get(stored);
      if (known !== undefined) return known;
      const draft = decode(stored).object;
      defaultStructural(draft, version.schema);
      read.set(stored, draft);
      return draft;
    },
    empty: () => ({ apiVersion: version.apiVersion, kind }),
  };
}
