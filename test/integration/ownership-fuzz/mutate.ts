import type { Random } from "./random.ts";
import type { Loose, Scenario } from "./scenarios.ts";

/** A place in an object: the container that holds it and the name or index there. */
interface Place {
  readonly parent: Loose;
  readonly name: string | number;
  /** Names down to it, without indices. */
  readonly path: readonly string[];
}

const FIXED: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "status",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.creationTimestamp",
  "metadata.managedFields",
  "metadata.deletionTimestamp",
]);

/** What the edits below rely on: their content changes, they themselves stay. */
const KEPT: ReadonlySet<string> = new Set([
  "metadata",
  "spec",
  "spec.template",
  "spec.template.metadata",
  "spec.template.spec",
  "spec.template.spec.containers",
]);

/** A copy of the object after one to three random changes. */
export function mutate(live: Loose, random: Random, scenario: Scenario): Loose {
  const object = structuredClone(live);
  const count = random.pick([1, 1, 1, 2, 3]);
  for (let at = 0; at < count; at += 1) {
    if (scenario.special !== undefined && random.chance(0.25)) scenario.special(random, object);
    else random.pick(CHANGES)(random, placesOf(object, [], []), object);
  }
  return object;
}

type Change = (random: Random, places: readonly Place[], object: Loose) => void;

const CHANGES: readonly Change[] = [
  changeScalar,
  changeScalar,
  changeScalar,
  removeField,
  removeItem,
  reorder,
  reorder,
  addKey,
  addKey,
  addItem,
  changeLabel,
];

function placesOf(node: Loose, path: readonly string[], found: Place[]): Place[] {
  if (typeof node !== "object" || node === null) return found;
  const names: (string | number)[] = Array.isArray(node) ? [...node.keys()] : Object.keys(node);
  for (const name of names) {
    const below = typeof name === "number" ? path : [...path, name];
    if (FIXED.has(below.join("."))) continue;
    if (!KEPT.has(below.join("."))) found.push({ parent: node, name, path: below });
    placesOf(node[name], below, found);
  }
  return found;
}

function pickPlace(
  random: Random,
  places: readonly Place[],
  fits: (value: Loose, place: Place) => boolean,
): Place | undefined {
  const fitting = places.filter((place) => fits(place.parent[place.name], place));
  return fitting.length === 0 ? undefined : random.pick(fitting);
}

function changeScalar(random: Random, places: readonly Place[]): void {
  const place = pickPlace(random, places, (value) => typeof value !== "object");
  if (place !== undefined) place.parent[place.name] = otherScalar(random, place.parent[place.name], place);
}

function otherScalar(random: Random, value: Loose, { path, name }: Place): Loose {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + random.pick([1, 1, 10, -1]);
  if (name === "protocol") return random.pick(["TCP", "UDP", "SCTP"]);
  if (name === "cpu" || name === "memory") return random.pick(["1", "200m", "128Mi", "1000m"]);
  if (path[0] === "data" && value.endsWith("=")) return Buffer.from(`x${random.below(99)}`).toString("base64");
  return random.pick([`${value}x`, "", "foreign", `f${random.below(9)}`]);
}

function removeField(random: Random, places: readonly Place[]): void {
  const place = pickPlace(random, places, (_, { name }) => typeof name === "string");
  if (place !== undefined) delete place.parent[place.name];
}

function removeItem(random: Random, places: readonly Place[]): void {
  const place = pickPlace(random, places, (_, { name }) => typeof name === "number");
  if (place !== undefined) place.parent.splice(place.name, 1);
}

function reorder(random: Random, places: readonly Place[]): void {
  const place = pickPlace(random, places, (value) => Array.isArray(value) && value.length > 1);
  if (place === undefined) return;
  const list = place.parent[place.name];
  place.parent[place.name] = random.chance(0.5) ? list.toReversed() : random.shuffled(list);
}

function addKey(random: Random, places: readonly Place[], object: Loose): void {
  const value = object.kind === "Secret" ? "Zg==" : "f";
  const maps = [
    () => (object.metadata.labels = { ...object.metadata.labels, foreign: "f" }),
    () => (object.metadata.annotations = { ...object.metadata.annotations, [`foreign.dev/x${random.below(3)}`]: "f" }),
    () => (object.metadata.finalizers = ["foreign.dev/f", ...(object.metadata.finalizers ?? [])]),
    () => {
      if ("data" in object) object.data = { ...object.data, foreign: value };
      else changeScalar(random, places);
    },
  ];
  random.pick(maps)();
}

function addItem(random: Random, places: readonly Place[]): void {
  const place = pickPlace(random, places, (value) => Array.isArray(value) && value.length > 0);
  if (place === undefined) return;
  const list = place.parent[place.name];
  const item = structuredClone(random.pick(list)) as Loose;
  const added = typeof item === "string" ? `${item}y` : renamed(item);
  list.splice(random.below(list.length + 1), 0, added);
}

function renamed(item: Loose): Loose {
  for (const key of ["name", "ip", "mountPath", "topologyKey"]) if (typeof item[key] === "string") item[key] += "y";
  for (const key of ["port", "containerPort", "id"]) if (typeof item[key] === "number") item[key] += 1;
  return item;
}

function changeLabel(random: Random, _: readonly Place[], object: Loose): void {
  const map = random.pick(["labels", "annotations"]);
  const names = Object.keys(object.metadata[map] ?? {});
  if (names.length === 0) return;
  const name = random.pick(names);
  if (random.chance(0.5)) delete object.metadata[map][name];
  else object.metadata[map][name] = "foreign";
}

/** A part of an object as another applier would send it: identity, and some fields; items keep their keys. */
export function partOf(object: Loose, random: Random, scenario: Scenario): Loose {
  const content = structuredClone(object);
  delete content.status;
  const { name, namespace, labels, annotations, finalizers } = content.metadata;
  content.metadata = { labels, annotations, finalizers };
  const probability = random.pick([0.2, 0.5, 0.9]);
  const part = prune(content, [], { random, scenario, probability });
  return {
    ...part,
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { ...part.metadata, name, ...(namespace === undefined ? {} : { namespace }) },
  };
}

interface Pruning {
  readonly random: Random;
  readonly scenario: Scenario;
  readonly probability: number;
}

function prune(node: Loose, path: readonly string[], pruning: Pruning): Loose {
  const { random, probability } = pruning;
  if (Array.isArray(node)) return pruneList(node, path, pruning);
  if (typeof node !== "object" || node === null) return node;
  const names = Object.keys(node).filter((name) => node[name] !== undefined && random.chance(probability));
  return Object.fromEntries(names.map((name) => [name, prune(node[name], [...path, name], pruning)]));
}

function pruneList(list: readonly Loose[], path: readonly string[], pruning: Pruning): Loose {
  const { random, scenario, probability } = pruning;
  const keys = scenario.lists[path.join(".")];
  if (keys === undefined) return list;
  const some = random.some(list, Math.max(probability, 0.5));
  if (keys.length === 0) return some;
  return some.map((item) => {
    const key = Object.fromEntries(keys.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]));
    return { ...prune(item, path, pruning), ...key };
  });
}
