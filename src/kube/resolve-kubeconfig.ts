import { readFile } from "node:fs/promises";
import { KeelsonError } from "../errors/index.ts";
import type {
  Authentication,
  ClusterConfig,
  Environment,
  ExecPlugin,
  KubeconfigFlags,
  PemSource,
  TlsSettings,
} from "./cluster-config.ts";
import {
  type ClusterEntry,
  type ExecEntry,
  type Kubeconfig,
  noCluster,
  noUser,
  type UserEntry,
} from "./kubeconfig-file.ts";
import { type ChosenEntries, hasCertificate, kubeconfigProblems } from "./kubeconfig-problems.ts";
import { proxyFromEnvironment } from "./proxy-environment.ts";
import { requestTimeoutOf } from "./request-timeout.ts";

/** A merged kubeconfig and what overrides it. */
export interface KubeconfigToResolve {
  readonly kubeconfig: Kubeconfig;
  readonly flags: KubeconfigFlags;
  readonly env: Environment;
  /** The file or files, for messages. */
  readonly place: string;
}

/**
 * The cluster that a kubeconfig and kubectl's global flags point to. All that is wrong with the entries in use is told
 * in one error; entries not in use are not looked at.
 *
 * @throws KeelsonError InvalidKubeconfig, InvalidFlag
 */
export async function resolveKubeconfig(source: KubeconfigToResolve): Promise<ClusterConfig> {
  const chosen = choose(source);
  const problems = await kubeconfigProblems(chosen);
  if (problems.length > 0) {
    throw new KeelsonError("InvalidKubeconfig", `${source.place}: ${problems.join("; ")}`);
  }
  const { cluster, user } = chosen;
  const server = serverUrl(cluster.server, source.place);
  // As kubectl: over plain http neither certificates nor credentials are sent (`kubectl proxy` adds its own).
  const isTls = server.protocol === "https:";
  return {
    server: server.href.replace(/\/+$/, ""),
    namespace: chosen.namespace || "default",
    tls: isTls ? tlsSettings(chosen) : { insecureSkipVerify: false },
    authentication: isTls ? await authenticationOf(chosen, source.env) : { kind: "none" },
    impersonation:
      user.as === ""
        ? undefined
        : { user: user.as, uid: user.asUid || undefined, groups: user.asGroups, extra: user.asUserExtra },
    proxyUrl: cluster.proxyUrl || proxyFromEnvironment(source.env, server),
    requestTimeoutMs: requestTimeoutOf(source.flags.requestTimeout),
    origin: chosen.contextName === "" ? source.place : `context ${chosen.contextName} of ${source.place}`,
  };
}

function choose({ kubeconfig, flags, place }: KubeconfigToResolve): ChosenEntries {
  const contextName = flags.context || kubeconfig.currentContext;
  const context = kubeconfig.contexts.get(contextName);
  if (contextName !== "" && context === undefined) {
    throw new KeelsonError("InvalidKubeconfig", `${place}: context ${JSON.stringify(contextName)} does not exist`);
  }
  const clusterName = flags.cluster || context?.cluster || "";
  const userName = flags.user || context?.user || "";
  const cluster = kubeconfig.clusters.get(clusterName);
  const user = kubeconfig.users.get(userName);
  // A name given by flag must exist; one given by the context may dangle, as long as what it lacks comes by flag.
  if (flags.cluster && cluster === undefined) {
    throw new KeelsonError("InvalidKubeconfig", `${place}: cluster ${JSON.stringify(clusterName)} does not exist`);
  }
  if (flags.user && user === undefined) {
    throw new KeelsonError("InvalidKubeconfig", `${place}: user ${JSON.stringify(userName)} does not exist`);
  }
  return {
    contextName,
    clusterName,
    userName,
    namespace: flags.namespace || context?.namespace || "",
    cluster: overrideCluster(cluster ?? noCluster, flags),
    user: overrideUser(user ?? noUser, flags),
  };
}

function overrideCluster(cluster: ClusterEntry, flags: KubeconfigFlags): ClusterEntry {
  const replacesTrust = flags.insecureSkipTlsVerify === true || Boolean(flags.certificateAuthority);
  return {
    ...cluster,
    server: flags.server || cluster.server,
    proxyUrl: flags.proxyUrl || cluster.proxyUrl,
    // Another server has another name: --server alone clears the kubeconfig's (kubectl does the same).
    tlsServerName: flags.tlsServerName || (flags.server ? "" : cluster.tlsServerName),
    ...(replacesTrust && {
      insecureSkipTlsVerify: flags.insecureSkipTlsVerify ?? false,
      certificateAuthority: flags.certificateAuthority ?? "",
      certificateAuthorityData: undefined,
    }),
  };
}

function overrideUser(user: UserEntry, flags: KubeconfigFlags): UserEntry {
  return {
    ...user,
    token: flags.token || user.token,
    // kubectl ≥ 1.32 lets the file win over the token beside it; a --token given by hand must win over both.
    tokenFile: flags.token ? "" : user.tokenFile,
    as: flags.as || user.as,
    asUid: flags.asUid || user.asUid,
    asGroups: flags.asGroup?.length ? flags.asGroup : user.asGroups,
    ...(flags.clientCertificate && { clientCertificate: flags.clientCertificate, clientCertificateData: undefined }),
    ...(flags.clientKey && { clientKey: flags.clientKey, clientKeyData: undefined }),
  };
}

/** kubectl takes `host:port` for http; the path is kept, query and fragment are not. */
function serverUrl(server: string, place: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `http://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new KeelsonError("InvalidKubeconfig", `${place}: server ${JSON.stringify(server)} is no http or https URL`);
  }
  url.search = "";
  url.hash = "";
  return url;
}

function tlsSettings({ cluster, user }: ChosenEntries): TlsSettings {
  return {
    certificateAuthority: pemSource(cluster.certificateAuthority, cluster.certificateAuthorityData),
    clientCertificate: pemSource(user.clientCertificate, user.clientCertificateData),
    clientKey: hasCertificate(user) ? pemSource(user.clientKey, user.clientKeyData) : undefined,
    serverName: cluster.tlsServerName || undefined,
    insecureSkipVerify: cluster.insecureSkipTlsVerify,
  };
}

function pemSource(path: string, pem: string | undefined): PemSource | undefined {
  if (pem !== undefined) return { kind: "inline", pem };
  return path === "" ? undefined : { kind: "file", path };
}

/** Whatever else identifies the user wins over the exec plugin, as in kubectl. */
async function authenticationOf(chosen: ChosenEntries, env: Environment): Promise<Authentication> {
  const { user } = chosen;
  if (user.tokenFile !== "") return { kind: "token-file", path: user.tokenFile, fallback: user.token || undefined };
  if (user.token !== "") return { kind: "token", token: headerText(user.token) };
  if (user.username !== "" || user.password !== "") {
    return { kind: "basic", username: user.username, password: user.password };
  }
  if (user.exec === undefined || hasCertificate(user)) return { kind: "none" };
  return { kind: "exec", plugin: await execPlugin(user.exec, chosen, env) };
}

async function execPlugin(exec: ExecEntry, { cluster }: ChosenEntries, env: Environment): Promise<ExecPlugin> {
  const mode = exec.interactiveMode;
  return {
    apiVersion: exec.apiVersion,
    command: exec.command,
    args: exec.args,
    env: { ...env, ...Object.fromEntries(exec.env) },
    interactiveMode: mode === "Never" || mode === "Always" ? mode : "IfAvailable",
    installHint: exec.installHint || undefined,
    cluster: exec.provideClusterInfo ? await execCluster(cluster) : undefined,
  };
}

async function execCluster(cluster: ClusterEntry): Promise<Readonly<Record<string, unknown>>> {
  const authority =
    cluster.certificateAuthority === ""
      ? cluster.certificateAuthorityData
      : await readFile(cluster.certificateAuthority, "utf8");
  return {
    server: cluster.server,
    ...(cluster.tlsServerName !== "" && { "tls-server-name": cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify && { "insecure-skip-tls-verify": true }),
    ...(authority !== undefined && { "certificate-authority-data": Buffer.from(authority).toString("base64") }),
    ...(cluster.proxyUrl !== "" && { "proxy-url": cluster.proxyUrl }),
    ...(cluster.disableCompression && { "disable-compression": true }),
    config: cluster.execConfig ?? null,
  };
}

/** A token goes into a header: a line break or another control character in it is a slip of the file. */
function headerText(token: string): string {
  const text = token.trim();
  if (/^[\x20-\x7e]+$/.test(text)) return text;
  const message =
    "the token holds line breaks or other characters that cannot be sent: check its quotes and indentation";
  throw new KeelsonError("InvalidKubeconfig", message);
}
