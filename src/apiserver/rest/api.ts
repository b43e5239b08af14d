import type { JsonObject } from "../../object/index.ts";
import type { TypedObject, Versions } from "../merge/index.ts";
import type { TypeNode } from "../schema/index.ts";
import type { TableName } from "../storage/index.ts";
import type { Draft, FieldError, Strategy } from "../strategy/index.ts";

/** A subresource of an API. */
export interface Subresource {
  readonly name: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly verbs: readonly string[];
}

/** How objects of one API are read from requests and storage, and written back. */
export interface Codec {
  /** Reads a request's object into a fresh one: unknown fields dropped and reported. Throws DecodeError. */
  decode(object: JsonObject): { readonly object: Draft; readonly unknownFields: readonly string[] };
  /** Fills in defaults; the object must not be shared. */
  fillDefaults(object: Draft): void;
  /** The object of this version as it would come back from storage: equal content is equal in this form. */
  canonical(object: JsonObject): JsonObject;
  /** The stored form of an object of this version. */
  toStored(object: JsonObject): JsonObject;
  /** An object of this version from its stored form. */
  fromStored(stored: JsonObject): JsonObject;
  /** A new object with nothing set. */
  empty(): JsonObject;
}

/** One resource of one served version. */
export interface Api {
  readonly group: string;
  readonly version: string;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly table: TableName;
  readonly type: TypeNode;
  readonly strategy: Strategy;
  readonly codec: Codec;
  /** Conversion between the versions of the kind, for managedFields. `subresource` decides which fields are reset. */
  versions(subresource: string): Versions;
  /** The object as server-side apply types it. */
  typed(object: JsonObject): TypedObject;
  /** Further checks, after those of the strategy (structural schemas of custom resources). */
  validate?(object: JsonObject, old: JsonObject | undefined): readonly FieldError[];
  /** Present for custom resources. */
  readonly custom?: CustomApi;
}

/** What a custom resource's definition adds. */
export interface CustomApi {
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  readonly columns: readonly JsonObject[];
  readonly selectableFields: readonly string[];
  readonly schema: JsonObject;
}

/** Whether the API has a subresource of that name. */
export function hasSubresource(api: Api, name: string): boolean {
  return api.subresources.some((subresource) => subresource.name === name);
}
