import { delimiter, join } from "node:path";
import { KeelsonError } from "../errors/index.ts";
import type { ClusterConfig, Environment, KubeconfigFlags } from "./cluster-config.ts";
import { inClusterConfig } from "./in-cluster.ts";
import { type Kubeconfig, mergeKubeconfigs, readKubeconfig } from "./kubeconfig-file.ts";
import { resolveKubeconfig } from "./resolve-kubeconfig.ts";

/** Where to look for a cluster. */
export interface KubeconfigSources {
  readonly flags: KubeconfigFlags;
  readonly env: Environment;
  /** The user's home folder, for `~/.kube/config`. */
  readonly home: string;
  /** Default /var/run/secrets/kubernetes.io/serviceaccount. */
  readonly serviceAccountDirectory?: string | undefined;
}

/**
 * Finds the cluster: `flags.kubeconfig`, else the files of $KUBECONFIG merged, else the in-cluster service account,
 * else `~/.kube/config`; then the flags override.
 *
 * Unlike kubectl, a $KUBECONFIG of which no file exists is an error: falling back to the service account or to
 * localhost:8080 would act on a cluster that nobody named.
 *
 * @throws KeelsonError InvalidKubeconfig, InvalidFlag
 */
export async function loadKubeconfig(sources: KubeconfigSources): Promise<ClusterConfig> {
  const { flags, env, home } = sources;
  if (flags.kubeconfig) return loadFiles([flags.kubeconfig], sources);
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  if (listed.length > 0) return loadFiles(listed, sources);
  const inCluster = await inClusterConfig(sources);
  if (inCluster !== undefined) return inCluster;
  return loadFiles([join(home, ".kube", "config")], sources);
}

async function loadFiles(paths: readonly string[], { flags, env }: KubeconfigSources): Promise<ClusterConfig> {
  const found: Kubeconfig[] = [];
  const places: string[] = [];
  for (const path of new Set(paths)) {
    const kubeconfig = await readKubeconfig(path);
    if (kubeconfig === undefined) continue;
    found.push(kubeconfig);
    places.push(path);
  }
  if (found.length === 0 && !flags.server) {
    throw new KeelsonError(
      "InvalidKubeconfig",
      `no kubeconfig: ${paths.join(", ")} does not exist: give --kubeconfig, $KUBECONFIG or --server`,
    );
  }
  const place = places.length === 0 ? "flags" : places.join(", ");
  return resolveKubeconfig({ kubeconfig: mergeKubeconfigs(found), flags, env, place });
}
