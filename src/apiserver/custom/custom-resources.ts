import type { JsonObject } from "../../object/index.ts";
import { metaText } from "../managers/index.ts";
import { type ApiRegistry, type Cluster, nowText } from "../rest/index.ts";
import type { BuiltinTypes } from "../schema/index.ts";
import { copyObject, type Draft, ensureObject, objectAt, objectsAt, textAt } from "../strategy/index.ts";
import { customApis } from "./custom-api.ts";

const TABLE = "customresourcedefinitions.apiextensions.k8s.io";

/** Keeps the served custom APIs in step with the stored definitions; a definition is established at once. */
export class CustomResources {
  readonly #cluster: Cluster;
  readonly #types: BuiltinTypes;

  constructor(cluster: Cluster, types: BuiltinTypes) {
    this.#cluster = cluster;
    this.#types = types;
    cluster.store.subscribe(TABLE, (event) => {
      if (event.kind === "deleted") this.#deleteObjects(event.object);
      else if (event.kind === "added" || hasSpecChanged(event.object, event.previous)) this.#establish(event.object);
      this.refresh();
    });
  }

  /** Reads all definitions anew, as after loading a snapshot. */
  refresh(): void {
    const definitions = [...this.#cluster.store.values(TABLE)];
    const apis: ApiRegistry = this.#cluster.apis;
    apis.setCustom(definitions.flatMap((definition) => customApis(definition, this.#types)));
  }

  /** Accepts the names and says so in the status. */
  #establish(definition: JsonObject): void {
    const draft = copyObject(definition);
    const status = ensureObject(draft, "status");
    const names = objectAt(objectAt(draft, "spec"), "names") ?? {};
    status.acceptedNames = names;
    const now = nowText(this.#cluster);
    if (objectsAt(status, "conditions").length === 0) {
      status.conditions = [
        condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
        condition("Established", "InitialNamesAccepted", "the initial names have been accepted", now),
      ];
    }
    const stored = new Set(Array.isArray(status.storedVersions) ? status.storedVersions : []);
    for (const version of objectsAt(objectAt(draft, "spec"), "versions"))
      if (version.storage === true) stored.add(version.name);
    status.storedVersions = [...stored];
    this.#cluster.store.put(TABLE, metaText(draft, "name"), draft);
  }

  /** The objects of a definition go with it. */
  #deleteObjects(definition: JsonObject): void {
    const spec = objectAt(definition, "spec");
    const table = `${textAt(objectAt(spec, "names"), "plural")}.${textAt(spec, "group")}`;
    for (const [key] of this.#cluster.store.list(table)) this.#cluster.store.delete(table, key);
  }
}

function condition(type: string, reason: string, message: string, lastTransitionTime: string): Draft {
  return { type, status: "True", reason, message, lastTransitionTime };
}

function hasSpecChanged(object: JsonObject, previous: JsonObject | undefined): boolean {
  return JSON.stringify(object.spec) !== JSON.stringify(previous?.spec);
}
