import { readFile, stat } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { KeelsonError } from "../errors/index.ts";
import type { ClusterConfig, Environment, KubeconfigFlags, PemSource } from "./cluster-config.ts";
import { proxyFromEnvironment } from "./proxy-environment.ts";
import { requestTimeoutOf } from "./request-timeout.ts";

export interface InClusterSources {
  readonly env: Environment;
  /** `server`, `token`, `certificateAuthority`, `namespace` and the impersonation override the service account's. */
  readonly flags?: KubeconfigFlags | undefined;
  /** Default /var/run/secrets/kubernetes.io/serviceaccount. */
  readonly serviceAccountDirectory?: string | undefined;
}

/**
 * The Pod's service account, or undefined where this is no Pod with one (no KUBERNETES_SERVICE_HOST and _PORT, or no
 * token file). The token is re-read as the kubelet rotates it.
 */
export async function inClusterConfig(sources: InClusterSources): Promise<ClusterConfig | undefined> {
  const { env, flags = {} } = sources;
  const folder = sources.serviceAccountDirectory ?? "/var/run/secrets/kubernetes.io/serviceaccount";
  const tokenFile = join(folder, "token");
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (!host || !port || !(await isFile(tokenFile))) return undefined;
  const server = flags.server || `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return {
    server,
    namespace: flags.namespace || (await namespaceOf(env, folder)),
    tls: {
      certificateAuthority: flags.insecureSkipTlsVerify ? undefined : await authorityOf(flags, folder),
      serverName: flags.tlsServerName || undefined,
      insecureSkipVerify: flags.insecureSkipTlsVerify ?? false,
    },
    authentication: flags.token ? { kind: "token", token: flags.token } : { kind: "token-file", path: tokenFile },
    impersonation: impersonationOf(flags),
    proxyUrl: flags.proxyUrl || proxyFromEnvironment(env, new URL(server)),
    requestTimeoutMs: requestTimeoutOf(flags.requestTimeout),
    origin: "in-cluster service account",
  };
}

async function authorityOf(flags: KubeconfigFlags, folder: string): Promise<PemSource | undefined> {
  if (flags.certificateAuthority) return { kind: "file", path: flags.certificateAuthority };
  const path = join(folder, "ca.crt");
  return (await isFile(path)) ? { kind: "file", path } : undefined;
}

function impersonationOf(flags: KubeconfigFlags): ClusterConfig["impersonation"] {
  const groups = flags.asGroup ?? [];
  if (flags.as) return { user: flags.as, uid: flags.asUid || undefined, groups, extra: {} };
  if (groups.length === 0 && !flags.asUid) return undefined;
  throw new KeelsonError("InvalidFlag", "--as-group and --as-uid need the user to impersonate (--as)");
}

async function namespaceOf(env: Environment, folder: string): Promise<string> {
  if (env.POD_NAMESPACE) return env.POD_NAMESPACE;
  const text = await readFile(join(folder, "namespace"), "utf8").catch(() => "");
  return text.trim() || "default";
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isDirectory();
}
