import { BUILTIN_KINDS, CUSTOM_KINDS, type KindSpec } from "./kinds.ts";
import { Random } from "./random.ts";
import type { Call, Json } from "./target.ts";

/** One step: a call that may depend on what the server holds. */
export interface Step {
  readonly what: string;
  /** Whether the answer is the object as it is now (no dry run, no deletion, no subresource). */
  readonly changes: boolean;
  /** Builds the call from the live object of the same server (undefined where there is none). */
  readonly call: (live: Json | undefined) => Call;
}

/** A generated sequence on one object. */
export interface Sequence {
  readonly seed: number;
  readonly spec: KindSpec;
  readonly name: string;
  readonly steps: readonly Step[];
}

export const NAMESPACE = "conformance";
const MANAGERS = ["alpha", "beta", "gamma", "kubectl"] as const;

/** The path of a kind's collection. */
export function collectionOf(spec: KindSpec): string {
  const root = spec.apiVersion.includes("/") ? `/apis/${spec.apiVersion}` : `/api/${spec.apiVersion}`;
  return spec.namespaced ? `${root}/namespaces/${NAMESPACE}/${spec.resource}` : `${root}/${spec.resource}`;
}

/** The sequence that a seed stands for. */
export function sequenceOf(seed: number, only?: string): Sequence {
  const random = new Random(seed);
  const kinds = [...BUILTIN_KINDS, ...CUSTOM_KINDS, ...CUSTOM_KINDS].filter(
    (spec) => only === undefined || spec.kind === only,
  );
  const spec = kinds[random.below(kinds.length)] as KindSpec;
  const name = `s${seed}`;
  const steps: Step[] = [];
  const length = 3 + random.below(6);
  for (let i = 0; i < length; i++) steps.push(stepOf(spec, name, random, i));
  return { seed, spec, name, steps };
}

function metadataOf(random: Random, name: string): Json {
  return {
    name,
    ...(random.chance(0.5)
      ? {
          labels: Object.fromEntries(
            random.some(["l1", "l2", "l3"], 0.5).map((key) => [key, random.pick<string>(["1", "2"])]),
          ),
        }
      : {}),
    ...(random.chance(0.4)
      ? {
          annotations: Object.fromEntries(
            random.some(["n1", "n2"], 0.6).map((key) => [key, random.pick<string>(["1", "2"])]),
          ),
        }
      : {}),
    ...(random.chance(0.1)
      ? { finalizers: random.shuffled(random.some(["example.com/a", "example.com/b"], 0.7)) }
      : {}),
  };
}

function objectOf(spec: KindSpec, name: string, random: Random): Json {
  return clean({
    apiVersion: spec.apiVersion,
    kind: spec.kind,
    ...spec.content(random),
    metadata: metadataOf(random, name),
  });
}

/** Custom resources store empty metadata maps for a moment only: whether that moves the resourceVersion is a matter of the second. */
function clean(object: Json): Json {
  for (const field of ["labels", "annotations", "finalizers"]) {
    const value = object.metadata[field];
    if (value !== undefined && Object.keys(value).length === 0) delete object.metadata[field];
  }
  return object;
}

function merged(target: Json, patch: Json): Json {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const out = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = merged(out[key], value);
  }
  return out;
}

function withoutNulls(value: Json): Json {
  return merged({}, value);
}

type Maker = (spec: KindSpec, name: string, random: Random) => Omit<Step, "changes">;

/** Makers of steps whose answer is the live object. */
const CHANGING = (): ReadonlySet<Maker> => new Set([create, reapply, update, mergePatch, jsonPatch, strategicPatch]);

const create: Maker = (spec, name, random) => {
  const body = objectOf(spec, name, random);
  const fieldManager = random.pick<string>([...MANAGERS]);
  return { what: "create", call: () => ({ method: "POST", path: collectionOf(spec), query: { fieldManager }, body }) };
};

const apply: Maker = (spec, name, random) => {
  const body = objectOf(spec, name, random);
  const query: Record<string, string> = { fieldManager: random.pick<string>([...MANAGERS]) };
  if (random.chance(0.4)) query.force = "true";
  if (random.chance(0.05)) query.dryRun = "All";
  const path = `${collectionOf(spec)}/${name}`;
  return {
    what: `apply as ${query.fieldManager}${query.force ? " (forced)" : ""}`,
    call: () => ({ method: "PATCH", path, query, body, contentType: "application/apply-patch+yaml" }),
  };
};

/** Applies a part of what the manager could apply: fields dropped since are given up. */
const reapply: Maker = (spec, name, random) => {
  const full = objectOf(spec, name, random);
  const dropped = random.some(Object.keys(full.spec ?? {}), 0.4);
  for (const key of dropped) if (!REQUIRED.has(key)) delete full.spec[key];
  const query: Record<string, string> = { fieldManager: random.pick<string>(["alpha", "beta"]), force: "true" };
  return {
    what: `apply less as ${query.fieldManager}`,
    call: () => ({
      method: "PATCH",
      path: `${collectionOf(spec)}/${name}`,
      query,
      body: full,
      contentType: "application/apply-patch+yaml",
    }),
  };
};
const REQUIRED = new Set([
  "selector",
  "template",
  "schedule",
  "jobTemplate",
  "scaleTargetRef",
  "maxReplicas",
  "ports",
  "controller",
  "accessModes",
  "resources",
  "rules",
  "limits",
  "hard",
]);

const update: Maker = (spec, name, random) => {
  const edit = withoutNulls(random.chance(0.7) ? spec.edits(random) : spec.content(random));
  const metadata = random.chance(0.3) ? { metadata: { labels: { l1: random.pick<string>(["1", "9"]) } } } : {};
  const managed = random.below(12);
  const fieldManager = random.pick<string>([...MANAGERS]);
  const withVersion = random.chance(0.8);
  return {
    what: `update${managed === 0 ? " (managedFields [])" : managed === 1 ? " (without managedFields)" : ""}`,
    call: (live) => {
      const body = merged(
        merged(live ?? { apiVersion: spec.apiVersion, kind: spec.kind, metadata: { name } }, edit),
        metadata,
      );
      body.metadata = { ...body.metadata };
      if (managed === 0) body.metadata.managedFields = [];
      if (managed === 1) delete body.metadata.managedFields;
      if (!withVersion) delete body.metadata.resourceVersion;
      return { method: "PUT", path: `${collectionOf(spec)}/${name}`, query: { fieldManager }, body };
    },
  };
};

const mergePatch: Maker = (spec, name, random) => {
  const body = random.chance(0.2)
    ? { metadata: { labels: { l2: random.pick<Json>([null, "5"]) } } }
    : spec.edits(random);
  const query = { fieldManager: random.pick<string>([...MANAGERS]) };
  return {
    what: "merge patch",
    call: () => ({
      method: "PATCH",
      path: `${collectionOf(spec)}/${name}`,
      query,
      body,
      contentType: "application/merge-patch+json",
    }),
  };
};

const strategicPatch: Maker = (spec, name, random) => {
  const body = random.chance(0.5) ? withoutNulls(spec.content(random)) : spec.edits(random);
  const query = { fieldManager: random.pick<string>([...MANAGERS]) };
  return {
    what: "strategic patch",
    call: () => ({
      method: "PATCH",
      path: `${collectionOf(spec)}/${name}`,
      query,
      body,
      contentType: "application/strategic-merge-patch+json",
    }),
  };
};

const jsonPatch: Maker = (spec, name, random) => {
  const operations = random.pick<Json>([
    [{ op: "add", path: "/metadata/labels", value: { j: random.pick<string>(["1", "2"]) } }],
    [{ op: "replace", path: "/metadata/labels/l1", value: "7" }],
    [{ op: "remove", path: "/metadata/annotations" }],
    [{ op: "remove", path: "/metadata/managedFields" }],
    [
      { op: "test", path: "/kind", value: spec.kind },
      { op: "add", path: "/metadata/annotations", value: { n1: "j" } },
    ],
    [{ op: "replace", path: "/metadata/managedFields", value: [{}] }],
    [{ op: "test", path: "/metadata/name", value: "other" }],
  ]);
  const query = { fieldManager: random.pick<string>([...MANAGERS]) };
  return {
    what: "json patch",
    call: () => ({
      method: "PATCH",
      path: `${collectionOf(spec)}/${name}`,
      query,
      body: operations,
      contentType: "application/json-patch+json",
    }),
  };
};

const status: Maker = (spec, name, random) => {
  const content = spec.status?.(random) ?? {};
  const path = `${collectionOf(spec)}/${name}/status`;
  const fieldManager = random.pick<string>([...MANAGERS]);
  const annotations = random.chance(0.3) ? { metadata: { annotations: { s: "1" } } } : {};
  if (random.chance(0.5)) {
    const body = { apiVersion: spec.apiVersion, kind: spec.kind, metadata: { name }, status: content };
    return {
      what: "apply status",
      call: () => ({
        method: "PATCH",
        path,
        query: { fieldManager, force: "true" },
        body,
        contentType: "application/apply-patch+yaml",
      }),
    };
  }
  return {
    what: "patch status",
    call: () => ({
      method: "PATCH",
      path,
      query: { fieldManager },
      body: { ...annotations, status: content, spec: { x: 1 } },
      contentType: "application/merge-patch+json",
    }),
  };
};

const scale: Maker = (spec, name, random) => {
  const replicas = random.below(4);
  const path = `${collectionOf(spec)}/${name}/scale`;
  const fieldManager = random.pick<string>([...MANAGERS]);
  return {
    what: `scale to ${replicas}`,
    call: () => ({
      method: "PATCH",
      path,
      query: { fieldManager },
      body: { spec: { replicas } },
      contentType: "application/merge-patch+json",
    }),
  };
};

const remove: Maker = (spec, name, random) => {
  const query: Record<string, string> = random.chance(0.3)
    ? { propagationPolicy: random.pick<string>(["Background", "Foreground", "Orphan"]) }
    : {};
  const wrong = random.chance(0.15);
  return {
    what: "delete",
    call: () => ({
      method: "DELETE",
      path: `${collectionOf(spec)}/${name}`,
      query,
      ...(wrong ? { body: { preconditions: { uid: "nobody" } } } : {}),
    }),
  };
};

function stepOf(spec: KindSpec, name: string, random: Random, index: number): Step {
  const maker = makerOf(spec, random, index);
  return { ...maker(spec, name, random), changes: CHANGING().has(maker) };
}

function makerOf(spec: KindSpec, random: Random, index: number): Maker {
  if (index === 0) return random.chance(0.5) ? create : apply;
  const makers: (readonly [number, Maker])[] = [
    [1, create],
    [8, apply],
    [5, reapply],
    [5, update],
    [4, mergePatch],
    [2, jsonPatch],
    [spec.custom === true ? 0 : 3, strategicPatch],
    [spec.status === undefined ? 0 : 2, status],
    [spec.scale === true ? 1 : 0, scale],
    [1, remove],
  ];
  let at = random.next() * makers.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, maker] of makers) {
    at -= weight;
    if (at < 0) return maker;
  }
  return apply;
}
