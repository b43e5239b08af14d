import type { TypeNode } from "../schema/index.ts";
import type { Api } from "./api.ts";

/** The APIs that are served, by group, version and resource; custom ones come and go. */
export class ApiRegistry {
  readonly #builtin: readonly Api[];
  /** The type of autoscaling/v1 Scale objects. */
  readonly scaleType: TypeNode;
  #custom: readonly Api[] = [];
  #byPath: Map<string, Api> = new Map();
  #byKind: Map<string, Api> = new Map();

  constructor(builtin: readonly Api[], scaleType: TypeNode) {
    this.#builtin = builtin;
    this.scaleType = scaleType;
    this.#index();
  }

  /** Every served API, built-in ones first. */
  get all(): readonly Api[] {
    return [...this.#builtin, ...this.#custom];
  }

  /** Replaces the custom APIs. */
  setCustom(apis: readonly Api[]): void {
    this.#custom = apis;
    this.#index();
  }

  /** The API at `/apis/<group>/<version>/…/<resource>`. */
  find(group: string, version: string, resource: string): Api | undefined {
    return this.#byPath.get(`${group}/${version}/${resource}`);
  }

  /** The API of a kind at an apiVersion. */
  ofKind(apiVersion: string, kind: string): Api | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  /** One API per resource, whatever its versions. */
  perTable(): readonly Api[] {
    return [...new Map([...this.all].reverse().map((api) => [api.table, api])).values()];
  }

  hasGroup(group: string): boolean {
    return this.all.some((api) => api.group === group);
  }

  hasVersion(group: string, version: string): boolean {
    return this.all.some((api) => api.group === group && api.version === version);
  }

  isBuiltinGroup(group: string): boolean {
    return this.#builtin.some((api) => api.group === group);
  }

  #index(): void {
    const all = this.all;
    this.#byPath = new Map(all.map((api) => [`${api.group}/${api.version}/${api.resource}`, api]));
    this.#byKind = new Map(all.map((api) => [`${api.apiVersion}/${api.kind}`, api]));
  }
}
