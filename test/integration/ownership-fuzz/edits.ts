import type { Api, ApiAnswer } from "./api.ts";
import { mutate, partOf } from "./mutate.ts";
import type { Random } from "./random.ts";
import type { Loose, Scenario } from "./scenarios.ts";

export interface EditContext {
  readonly api: Api;
  readonly random: Random;
  readonly scenario: Scenario;
  readonly path: string;
  readonly live: Loose;
  readonly desired: Loose;
}

/** One way in which somebody else writes. Undefined where it does not fit this object. */
export type Edit = (context: EditContext) => Promise<ApiAnswer | undefined>;

/** Names of other writers, and ours: somebody may run a tool under it. */
const UPDATE_MANAGERS = ["kubectl-edit", "other-controller", "helm", "keelson"];
const APPLY_MANAGERS = ["flux", "argocd"];

function put(prepare: (object: Loose, random: Random) => void, subresource = ""): Edit {
  return ({ api, random, scenario, path, live }) => {
    const body = mutate(live, random, scenario);
    prepare(body, random);
    return api.send({
      method: "PUT",
      path: `${path}${subresource}`,
      body,
      query: { fieldManager: random.pick(UPDATE_MANAGERS) },
    });
  };
}

const putStatus: Edit = ({ api, random, scenario, path, live }) => {
  if (scenario.hasStatus !== true) return Promise.resolve(undefined);
  const body = mutate(live, random, scenario);
  if (scenario.isCustom) body.status = { phase: `p${random.below(9)}` };
  return api.send({
    method: "PUT",
    path: `${path}/status`,
    body,
    query: { fieldManager: random.pick(UPDATE_MANAGERS) },
  });
};

const mergePatch: Edit = ({ api, random, scenario, path, live }) => {
  const body = mergeDiff(live, mutate(live, random, scenario)) ?? {};
  return api.send({
    method: "PATCH",
    type: "merge",
    path,
    body,
    query: { fieldManager: random.pick(UPDATE_MANAGERS) },
  });
};

/** The merge patch (RFC 7386) from one value to the other; undefined where they are equal. */
function mergeDiff(before: Loose, after: Loose): Loose {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  const isMap = (value: Loose) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isMap(before) || !isMap(after)) return after ?? null;
  const diff: Loose = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const below = name in after ? mergeDiff(before[name], after[name]) : null;
    if (below !== undefined) diff[name] = below;
  }
  return diff;
}

const jsonPatch: Edit = ({ api, random, scenario, path, live }) => {
  const operations: Loose[] = [];
  jsonDiff(live, mutate(live, random, scenario), "", operations);
  return api.send({
    method: "PATCH",
    type: "json-patch",
    path,
    body: operations,
    query: { fieldManager: random.pick(UPDATE_MANAGERS) },
  });
};

function jsonDiff(before: Loose, after: Loose, pointer: string, operations: Loose[]): void {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const isMap = (value: Loose) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isMap(before) || !isMap(after)) {
    operations.push({ op: "replace", path: pointer, value: after });
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const below = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!(name in after)) operations.push({ op: "remove", path: below });
    else if (!(name in before)) operations.push({ op: "add", path: below, value: after[name] });
    else jsonDiff(before[name], after[name], below, operations);
  }
}

/** Strategic merge patches: an item by its merge key, directives, and a new order. */
const strategicPatch: Edit = ({ api, random, scenario, path, live }) => {
  if (scenario.isCustom) return Promise.resolve(undefined);
  const body = strategicBody(random, live);
  return api.send({
    method: "PATCH",
    type: "strategic",
    path,
    body,
    query: { fieldManager: random.pick(UPDATE_MANAGERS) },
  });
};

function strategicBody(random: Random, live: Loose): Loose {
  const pod = live.spec?.template?.spec;
  const metadata = { labels: { [random.pick(["foreign", "app", "tier"])]: random.pick(["f", null]) } };
  if (live.kind === "Service" && random.chance(0.7)) {
    const ports: Loose[] = live.spec.ports;
    return random.pick<Loose>([
      { spec: { ports: [{ port: random.pick(ports).port, name: "patched" }] } },
      { spec: { "$setElementOrder/ports": random.shuffled(ports).map(({ port }) => ({ port })), ports: [] } },
      { spec: { ports: [{ port: random.pick(ports).port, $patch: "delete" }] } },
    ]);
  }
  if (pod === undefined || random.chance(0.2)) return { metadata };
  const container = random.pick<Loose>(pod.containers);
  const inTemplate = (spec: Loose) => ({ spec: { template: { spec } } });
  const named = (list: Loose[] = []) => random.shuffled(list).map(({ name }) => ({ name }));
  return random.pick<Loose>([
    inTemplate({ containers: [{ name: container.name, image: "patched:1" }] }),
    inTemplate({ "$setElementOrder/containers": named(pod.containers) }),
    inTemplate({ "$setElementOrder/containers": named(pod.containers), containers: [{ name: "side", image: "s:1" }] }),
    inTemplate({ containers: [{ name: container.name, "$setElementOrder/env": named(container.env) }] }),
    inTemplate({ containers: [{ name: container.name, env: [{ name: "A", value: "patched" }] }] }),
    inTemplate({ containers: [{ name: container.name, env: [{ name: "A", $patch: "delete" }] }] }),
    inTemplate({ "$setElementOrder/volumes": named(pod.volumes) }),
    inTemplate({ volumes: [{ name: "v1", $patch: "delete" }] }),
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["x.dev/a"] } },
    { metadata },
  ]);
}

function applyByOthers(force: boolean): Edit {
  return ({ api, random, scenario, path, live }) => {
    const object = random.chance(0.7) ? mutate(live, random, scenario) : live;
    return api.apply(path, partOf(object, random, scenario), { manager: random.pick(APPLY_MANAGERS), force });
  };
}

/** Somebody applies under our name: what we sent, changed. */
const applyAsUs: Edit = ({ api, random, scenario, path, live, desired }) => {
  const kinds = [
    () => mutate(desired, random, scenario),
    () => mutate(desired, random, scenario),
    () => partOf(live, random, scenario),
    () => partOf(desired, random, scenario),
  ];
  const body = random.pick(kinds)();
  body.metadata = {
    ...body.metadata,
    annotations: {
      ...body.metadata.annotations,
      "keelson.dev/applied": desired.metadata.annotations["keelson.dev/applied"],
    },
  };
  if (random.chance(0.1)) delete body.metadata.annotations["keelson.dev/applied"];
  return api.apply(path, body);
};

const scale: Edit = async ({ api, random, scenario, path, live }) => {
  if (scenario.hasScale !== true) return undefined;
  const replicas = random.pick([live.spec.replicas, live.spec.replicas + 1, 0, 5]);
  return api.send({
    method: "PATCH",
    type: "merge",
    path: `${path}/scale`,
    body: { spec: { replicas } },
    query: { fieldManager: random.pick(UPDATE_MANAGERS) },
  });
};

/** Writes that touch nothing but managedFields. */
const wipe: Edit = ({ api, random, path }) => {
  const patches = [
    { type: "merge", body: { metadata: { managedFields: null } } },
    { type: "merge", body: { metadata: { managedFields: [] } } },
    { type: "merge", body: { metadata: { managedFields: [{}] } } },
    { type: "json-patch", body: [{ op: "remove", path: "/metadata/managedFields" }] },
    { type: "json-patch", body: [{ op: "replace", path: "/metadata/managedFields", value: [] }] },
  ] as const;
  return api.send({ method: "PATCH", path, ...random.pick(patches), query: { fieldManager: "cleaner" } });
};

/** A change and its way back: the value is ours again, the ownership is not. */
const thereAndBack: Edit = async ({ api, random, scenario, path, live }) => {
  const query = { fieldManager: random.pick(UPDATE_MANAGERS) };
  const there = mutate(live, random, scenario);
  delete there.metadata.resourceVersion;
  const answer = await api.send({ method: "PUT", path, body: there, query });
  if (answer.status !== 200) return answer;
  const back = structuredClone(live);
  delete back.metadata.resourceVersion;
  delete back.metadata.managedFields;
  return api.send({ method: "PUT", path, body: back, query });
};

/** What may happen to an object, by name, with its weight. */
export const EDITS: readonly { readonly name: string; readonly weight: number; readonly edit: Edit }[] = [
  { name: "put", weight: 4, edit: put(() => {}) },
  { name: "put, managedFields absent", weight: 2, edit: put((object) => delete object.metadata.managedFields) },
  { name: "put, managedFields []", weight: 1, edit: put((object) => (object.metadata.managedFields = [])) },
  { name: "put, managedFields [{}]", weight: 1, edit: put((object) => (object.metadata.managedFields = [{}])) },
  { name: "put, no resourceVersion", weight: 2, edit: put((object) => delete object.metadata.resourceVersion) },
  { name: "put status", weight: 2, edit: putStatus },
  { name: "merge patch", weight: 4, edit: mergePatch },
  { name: "json patch", weight: 4, edit: jsonPatch },
  { name: "strategic patch", weight: 4, edit: strategicPatch },
  { name: "apply by others, forced", weight: 4, edit: applyByOthers(true) },
  { name: "apply by others", weight: 2, edit: applyByOthers(false) },
  { name: "apply as us", weight: 4, edit: applyAsUs },
  { name: "scale", weight: 2, edit: scale },
  { name: "wipe", weight: 1, edit: wipe },
  { name: "there and back", weight: 1, edit: thereAndBack },
];

/** An edit by weight. */
export function pickEdit(random: Random): (typeof EDITS)[number] {
  return random.pick(EDITS.flatMap((each) => Array.from({ length: each.weight }, () => each)));
}
