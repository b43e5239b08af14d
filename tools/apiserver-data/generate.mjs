#!/usr/bin/env node
// Writes src/apiserver/data/builtin.json: the built-in kinds of Kubernetes in compact form, from the discovery and
// OpenAPI documents of a real API server and the struct tags of its API packages.
//
// Usage: node tools/apiserver-data/generate.mjs --server URL --token TOKEN [--ca FILE] --modules DIR [--out FILE]
//   --server   a running kube-apiserver of the wanted version (tools/control-plane starts one)
//   --modules  the folder that holds api@…, apimachinery@…, apiextensions-apiserver@…, kube-aggregator@…
//              (`$(go env GOMODCACHE)/k8s.io` after tools/control-plane was built)
//
// The format is described in src/apiserver/schema/data-file.ts.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readGoStructs } from "./go-structs.mjs";

const { values: flags } = parseArgs({
  options: {
    server: { type: "string" },
    token: { type: "string" },
    ca: { type: "string" },
    modules: { type: "string" },
    out: { type: "string", default: new URL("../../src/apiserver/data/builtin.json", import.meta.url).pathname },
  },
});

function get(path, accept = "application/json") {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${flags.token}`, accept };
    const tls = flags.ca === undefined ? { rejectUnauthorized: false } : { ca: readFileSync(flags.ca) };
    request(new URL(path, flags.server), { headers, ...tls }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => {
        if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode} ${text.slice(0, 200)}`));
        else resolve(JSON.parse(text));
      });
    })
      .on("error", reject)
      .end();
  });
}

/** Long model names without what they share: `core.v1.PodSpec`, `meta.v1.ObjectMeta`. */
export function shortName(name) {
  return name
    .replace(/^io\.k8s\.api\./, "")
    .replace(/^io\.k8s\.apimachinery\.pkg\.apis\./, "")
    .replace(/^io\.k8s\.apimachinery\.pkg\.(api\.|util\.)?/, "")
    .replace(/^io\.k8s\.apiextensions-apiserver\.pkg\.apis\./, "")
    .replace(/^io\.k8s\.kube-aggregator\.pkg\.apis\./, "");
}

function goFilesOf(model) {
  const roots = [
    [/^io\.k8s\.api\.(.+)\.\w+$/, "api", ""],
    [/^io\.k8s\.apimachinery\.pkg\.(.+)\.\w+$/, "apimachinery", "pkg"],
    [/^io\.k8s\.apiextensions-apiserver\.pkg\.apis\.(.+)\.\w+$/, "apiextensions-apiserver", "pkg/apis"],
    [/^io\.k8s\.kube-aggregator\.pkg\.apis\.(.+)\.\w+$/, "kube-aggregator", "pkg/apis"],
  ];
  for (const [pattern, module, sub] of roots) {
    const found = pattern.exec(model);
    if (found === null) continue;
    const version = readdirSync(flags.modules)
      .filter((name) => name.startsWith(`${module}@`))
      .sort()
      .at(-1);
    const folder = join(flags.modules, version, sub, ...found[1].split("."));
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((file) => /^types.*\.go$/.test(file))
      .map((file) => join(folder, file));
  }
  return [];
}

const structsByPackage = new Map();
function structOf(model) {
  const at = model.lastIndexOf(".");
  const [pkg, name] = [model.slice(0, at), model.slice(at + 1)];
  if (!structsByPackage.has(pkg)) structsByPackage.set(pkg, readGoStructs(goFilesOf(model)));
  const structs = structsByPackage.get(pkg);
  const own = structs.get(name);
  if (own === undefined) return undefined;
  const all = new Map(own);
  for (const key of own.keys()) {
    const embedded = key.startsWith("<") ? structs.get(key.slice(1, -1)) : undefined;
    // An embedded struct is a message of its own on the wire.
    const outer = own.get(key).number;
    for (const [field, tag] of embedded ?? []) {
      all.set(field, { ...tag, number: outer === "" || tag.number === "" ? tag.number : `${outer}.${tag.number}` });
    }
  }
  return all;
}

function refOf(schema) {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref === undefined ? undefined : shortName(ref.split("/").at(-1));
}

const MAP_TYPE = "x-kubernetes-map-type";

/** A list: its keys where it is associative, and strategic merge's strategy and key. */
function listTypeOf(schema) {
  const list = { l: typeOf(schema.items) };
  const kind = schema["x-kubernetes-list-type"];
  const strategy = schema["x-kubernetes-patch-strategy"];
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  if (kind === "map") list.k = schema["x-kubernetes-list-map-keys"];
  if (kind === "set") list.k = [];
  // Without a list type the old patch strategy decides (kube-openapi's schema conversion).
  if (kind === undefined && strategy?.startsWith("merge")) list.k = mergeKey === undefined ? [] : [mergeKey];
  if (strategy !== undefined) list.p = strategy;
  if (mergeKey !== undefined) list.pk = mergeKey;
  return list;
}

function mapTypeOf(schema) {
  if (schema.additionalProperties === undefined) return "?";
  const map = { m: typeOf(schema.additionalProperties) };
  if (schema[MAP_TYPE] !== undefined) map.a = schema[MAP_TYPE];
  return map;
}

const SCALARS = {
  string: (schema) => ({ byte: "y", "date-time": "t" })[schema.format] ?? (schema.format === undefined ? "s" : "?"),
  integer: (schema) => (schema.format === "int64" ? "l" : "i"),
  number: () => "n",
  boolean: () => "b",
  array: listTypeOf,
  object: mapTypeOf,
};

/** A type: a scalar letter, `@name`, or an object for lists (`l`), maps (`m`) and refs with an own map type. */
function typeOf(schema) {
  const ref = refOf(schema);
  if (ref !== undefined) return schema[MAP_TYPE] === undefined ? `@${ref}` : { r: ref, a: schema[MAP_TYPE] };
  const convert = SCALARS[schema.type];
  if (convert !== undefined) return convert(schema);
  return schema.format === "int-or-string" ? "x" : "?";
}

/** `p` pointer, `e` omitempty, `z` omitzero, `!` required, then the protobuf number; a guess where Go is silent. */
function flagsOf(name, required, struct) {
  const tag = struct?.get(name) ?? { pointer: true, omitEmpty: true, omitZero: false, number: "" };
  const flags = `${tag.pointer ? "p" : ""}${tag.omitEmpty ? "e" : ""}${tag.omitZero ? "z" : ""}`;
  return `${flags}${required.includes(name) ? "!" : ""}${tag.number}`;
}

function compactModel(model, schema) {
  const struct = structOf(model);
  if (struct === undefined && schema.properties !== undefined) console.error(`no Go struct: ${model}`);
  const fields = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = [typeOf(property), flagsOf(name, schema.required ?? [], struct)];
    const extra = {};
    if (property.default !== undefined) extra.d = property.default;
    if (property.type !== "array" && property["x-kubernetes-patch-strategy"])
      extra.p = property["x-kubernetes-patch-strategy"];
    if (Object.keys(extra).length > 0) field.push(extra);
    fields[name] = field;
  }
  const compact = {};
  if (schema.properties !== undefined) compact.f = fields;
  else compact.t = typeOf(schema);
  if (schema[MAP_TYPE] !== undefined) compact.a = schema[MAP_TYPE];
  return compact;
}

function compactResource(resource, group, version) {
  const { kind } = resource.responseKind;
  const out = { n: resource.resource, k: kind, s: resource.singularResource, v: resource.verbs };
  if (resource.responseKind.group && resource.responseKind.group !== group) out.g = resource.responseKind.group;
  if (resource.scope === "Namespaced") out.ns = true;
  if (resource.shortNames) out.sn = resource.shortNames;
  if (resource.categories) out.c = resource.categories;
  if (resource.subresources) {
    out.sub = resource.subresources.map((sub) => {
      const gk = sub.responseKind ?? {};
      const compact = { n: sub.subresource, k: gk.kind ?? "", v: sub.verbs };
      if (gk.group || gk.version) compact.gv = gk.group ? `${gk.group}/${gk.version}` : gk.version || version;
      return compact;
    });
  }
  return out;
}

const DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const definitions = (await get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")).items;
const customGroups = new Set(definitions.map((definition) => definition.spec.group));
const groups = [...(await get("/api", DISCOVERY)).items, ...(await get("/apis", DISCOVERY)).items].filter(
  (group) => !customGroups.has(group.metadata.name),
);
const openapi = await get("/openapi/v3");

const types = {};
const kinds = {};
for (const [path, { serverRelativeURL }] of Object.entries(openapi.paths)) {
  if (customGroups.has(path.split("/")[1])) continue;
  const document = await get(serverRelativeURL);
  for (const [model, schema] of Object.entries(document.components?.schemas ?? {})) {
    types[shortName(model)] = compactModel(model, schema);
    for (const gvk of schema["x-kubernetes-group-version-kind"] ?? []) {
      const key = `${gvk.group === "" ? "" : `${gvk.group}/`}${gvk.version}/${gvk.kind}`;
      if (!/^(.*List|.*Options|WatchEvent|Status)$/.test(gvk.kind)) kinds[key] ??= shortName(model);
    }
  }
}
const data = {
  version: (await get("/version")).gitVersion,
  groups: groups.map((group) => ({
    name: group.metadata.name ?? "",
    versions: group.versions.map((version) => ({
      version: version.version,
      resources: version.resources.map((r) => compactResource(r, group.metadata.name ?? "", version.version)),
    })),
  })),
  kinds: Object.fromEntries(Object.entries(kinds).sort()),
  types: Object.fromEntries(Object.entries(types).sort()),
};
writeFileSync(flags.out, `${JSON.stringify(data)}\n`);
console.error(`${flags.out}: ${data.groups.length} groups, ${Object.keys(types).length} types`);
