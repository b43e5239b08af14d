/**
 * The compact data file of built-in kinds, `src/apiserver/data/builtin.json`, written by
 * `tools/apiserver-data/generate.mjs` from a real API server.
 *
 * Types are letters (`s` string, `i` int32, `l` int64, `n` double, `b` boolean, `y` bytes, `t` time, `x` int-or-string,
 * `?` anything), `@name` for a named type, or an object: `{l}` a list of it, with `k` its keys (`[]`: a set; absent:
 * atomic), `{m}` a map of it, `{r}` a named type; `a` says `atomic` or `granular`; `p` and `pk` are strategic merge's
 * strategy and key. A field is `[type, flags, extra?]`; flags: `p` pointer, `e` omitempty, `z` omitzero, `!` required, then the
 * protobuf number (`2.5`: field 5 of the message in field 2);
 * extra: `d` default, `p` patch strategy.
 */
export type CompactType = string | CompactList | CompactMap | CompactRef;

/** A list type of the data file. */
export interface CompactList {
  readonly l: CompactType;
  readonly k?: readonly string[];
  readonly p?: string;
  readonly pk?: string;
}

/** A map type of the data file. */
export interface CompactMap {
  readonly m: CompactType;
  readonly a?: string;
}

/** A named type with a map type of its own. */
export interface CompactRef {
  readonly r: string;
  readonly a?: string;
}

/** `[type, flags, extra?]`. */
export type CompactField =
  | readonly [CompactType, string]
  | readonly [CompactType, string, { readonly d?: unknown; readonly p?: string }];

/** A named type: fields (`f`) or a plain type (`t`). */
export interface CompactModel {
  readonly f?: Readonly<Record<string, CompactField>>;
  readonly t?: CompactType;
  readonly a?: string;
}

/** A subresource: `gv` is the apiVersion of its kind where that differs from the resource's. */
export interface CompactSubresource {
  readonly n: string;
  readonly k: string;
  readonly v: readonly string[];
  readonly gv?: string;
}

/** A resource: plural name, kind, singular, verbs, namespaced, short names, categories, subresources. */
export interface CompactResource {
  readonly n: string;
  readonly k: string;
  readonly s: string;
  readonly v: readonly string[];
  readonly g?: string;
  readonly ns?: boolean;
  readonly sn?: readonly string[];
  readonly c?: readonly string[];
  readonly sub?: readonly CompactSubresource[];
}

/** The whole file. `kinds` maps `group/version/Kind` to a type's name. */
export interface DataFile {
  readonly version: string;
  readonly groups: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string; readonly resources: readonly CompactResource[] }[];
  }[];
  readonly kinds: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, CompactModel>>;
}
