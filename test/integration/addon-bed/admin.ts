import { systemClock } from "../../../src/async/index.ts";
import { isKeelsonError } from "../../../src/errors/index.ts";
import { createClient, type KubeClient, loadKubeconfig } from "../../../src/kube/index.ts";
import type { Plane } from "./embedded-plane.ts";

/** A live object, looked into freely. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any field of any kind
export type Live = Record<string, any> & {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly metadata: Record<string, any> & { readonly name: string; readonly uid: string };
};

const PATCH_TYPES = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
} as const;

/** Connects to the plane as one of its users, or through a kubeconfig given whole. */
export async function clientOf(plane: Plane, user = "keelson", kubeconfig?: string): Promise<KubeClient> {
  const flags = { kubeconfig: kubeconfig ?? plane.kubeconfigFor(user) };
  const config = await loadKubeconfig({ flags, env: {}, home: "/" });
  return createClient({ config, clock: systemClock });
}

/** What other people do in the cluster: the administrator's requests, by path. */
export class Admin {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  static async of(plane: Plane): Promise<Admin> {
    return new Admin(await clientOf(plane, "admin"));
  }

  close(): void {
    this.#client.close();
  }

  /** undefined where it is not there. */
  async get(path: string): Promise<Live | undefined> {
    try {
      return JSON.parse((await this.#client.raw("GET", path)).body);
    } catch (error) {
      if (isKeelsonError(error, "NotFound", "NoMatch", "NamespaceNotFound")) return undefined;
      throw error;
    }
  }

  /** The object, which must be there. */
  async find(path: string): Promise<Live> {
    const found = await this.get(path);
    if (found === undefined) throw new TypeError(`${path} is not there`);
    return found;
  }

  async list(path: string): Promise<readonly Live[]> {
    return JSON.parse((await this.#client.raw("GET", path)).body).items;
  }

  async create(collection: string, object: unknown, manager = "kubectl-create"): Promise<Live> {
    const body = JSON.stringify(object);
    return JSON.parse((await this.#client.raw("POST", `${collection}?fieldManager=${manager}`, { body })).body);
  }

  async patch(
    path: string,
    patch: unknown,
    options: { type?: keyof typeof PATCH_TYPES; manager?: string } = {},
  ): Promise<Live> {
    const { type = "merge", manager = "kubectl-edit" } = options;
    const headers = { "content-type": PATCH_TYPES[type] };
    const body = JSON.stringify(patch);
    return JSON.parse((await this.#client.raw("PATCH", `${path}?fieldManager=${manager}`, { body, headers })).body);
  }

  /** Forced server-side apply. */
  async apply(path: string, object: unknown, manager: string): Promise<Live> {
    const headers = { "content-type": "application/apply-patch+yaml" };
    const query = `?fieldManager=${manager}&force=true`;
    return JSON.parse((await this.#client.raw("PATCH", path + query, { body: JSON.stringify(object), headers })).body);
  }

  /** Nothing happens where it is not there. */
  async delete(path: string): Promise<void> {
    try {
      await this.#client.raw("DELETE", path);
    } catch (error) {
      if (!isKeelsonError(error, "NotFound")) throw error;
    }
  }
}
