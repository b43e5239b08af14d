import { KeelsonError } from "../../errors/index.ts";
import type { CompactField, CompactModel, CompactType, DataFile } from "./data-file.ts";
import {
  type FieldNode,
  type GoKind,
  type ScalarKind,
  type TypeNode,
  type TypeNodeDraft,
  UNTYPED_ATOMIC,
  UNTYPED_DEDUCED,
} from "./type-node.ts";

const LETTERS: Readonly<Record<string, TypeNode>> = {
  s: { scalar: "string", go: "string" },
  i: { scalar: "numeric", go: "int32" },
  l: { scalar: "numeric", go: "int64" },
  n: { scalar: "numeric", go: "double" },
  b: { scalar: "boolean", go: "bool" },
  y: { scalar: "string", go: "bytes" },
  t: { scalar: "untyped", go: "time" },
  x: { ...UNTYPED_DEDUCED, go: "int-or-string" },
  "?": UNTYPED_DEDUCED,
};

/** Types that the schema conversion or Go's codec treats apart, by name. */
const SPECIAL: Readonly<
  Record<string, { readonly go: GoKind; readonly scalar?: ScalarKind; readonly base?: TypeNode }>
> = {
  "resource.Quantity": { go: "quantity", scalar: "untyped" },
  "meta.v1.MicroTime": { go: "microtime", scalar: "untyped" },
  "runtime.RawExtension": { go: "raw", base: UNTYPED_ATOMIC },
};

/** Compiles the types of the data file, each when it is first asked for. */
export class BuiltinTypes {
  readonly #data: DataFile;
  readonly #nodes: Map<string, TypeNode> = new Map();

  constructor(data: DataFile) {
    this.#data = data;
  }

  /** The type of a kind, `group/version/Kind` (`v1/Pod`, `apps/v1/Deployment`); undefined where it is not built in. */
  ofKind(apiVersion: string, kind: string): TypeNode | undefined {
    const name = this.#data.kinds[`${apiVersion}/${kind}`];
    return name === undefined ? undefined : this.named(name);
  }

  /** A type by its short name, `meta.v1.ObjectMeta`. */
  named(name: string): TypeNode {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const model = this.#data.types[name];
    if (model === undefined) throw new KeelsonError("Internal", `the data file has no type ${name}`);
    const draft: TypeNodeDraft = { name };
    this.#nodes.set(name, draft);
    this.#fill(draft, name, model);
    return draft;
  }

  #fill(draft: TypeNodeDraft, name: string, model: CompactModel): void {
    const special = SPECIAL[name];
    if (special !== undefined) {
      Object.assign(draft, special.base ?? { scalar: special.scalar }, { go: special.go });
      return;
    }
    if (model.f === undefined) {
      Object.assign(draft, this.#typeOf(model.t ?? "?"), { name });
      return;
    }
    const fields = new Map<string, FieldNode>();
    draft.go = "struct";
    draft.map = { fields, element: undefined, atomic: model.a === "atomic" };
    for (const [key, field] of Object.entries(model.f)) fields.set(key, this.#fieldOf(field));
    // A struct without fields is free-form to the schema conversion.
    if (fields.size === 0) draft.map = { fields, element: UNTYPED_DEDUCED, atomic: false };
  }

  #fieldOf(field: CompactField): FieldNode {
    const [type, flags, extra] = field;
    const list = typeof type === "object" && "l" in type ? type : undefined;
    const strategy = list?.p ?? extra?.p;
    const proto = /[\d.]+$/.exec(flags)?.[0];
    return {
      type: this.#typeOf(type),
      pointer: flags.includes("p"),
      omitEmpty: flags.includes("e"),
      omitZero: flags.includes("z"),
      required: flags.includes("!"),
      ...(proto === undefined ? {} : { proto: proto.split(".").map(Number) }),
      ...(extra?.d === undefined ? {} : { default: extra.d }),
      ...(strategy === undefined ? {} : { patchStrategy: strategy }),
      ...(list?.pk === undefined ? {} : { patchMergeKey: list.pk }),
    };
  }

  #typeOf(type: CompactType): TypeNode {
    if (typeof type === "string") {
      return type.startsWith("@") ? this.named(type.slice(1)) : (LETTERS[type] ?? UNTYPED_DEDUCED);
    }
    if ("l" in type) {
      return {
        go: "list",
        list: { element: this.#typeOf(type.l), atomic: type.k === undefined, keys: type.k ?? [] },
      };
    }
    if ("m" in type) {
      return { go: "map", map: { fields: new Map(), element: this.#typeOf(type.m), atomic: type.a === "atomic" } };
    }
    const named = this.named(type.r);
    if (named.map === undefined) return named;
    return { ...named, map: { ...named.map, atomic: type.a === "atomic" } };
  }
}
