import { readFile } from "node:fs/promises";
import { messageOf } from "../errors/index.ts";
import type { ClusterEntry, ExecEntry, UserEntry } from "./kubeconfig-file.ts";

/** The entries in force, after flags. */
export interface ChosenEntries {
  readonly contextName: string;
  readonly clusterName: string;
  readonly userName: string;
  readonly namespace: string;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
}

/** Everything that is wrong with the entries in force, each as one clause of a message; the rules are kubectl's. */
export async function kubeconfigProblems(chosen: ChosenEntries): Promise<readonly string[]> {
  return [...clusterProblems(chosen), ...userProblems(chosen), ...(await fileProblems(chosen))];
}

function* clusterProblems({ cluster, clusterName, contextName }: ChosenEntries): Iterable<string> {
  if (cluster.server === "") {
    yield contextName === "" && clusterName === ""
      ? "no current-context: set one by `kubectl config use-context`, or give --context or --server"
      : `no server for cluster ${JSON.stringify(clusterName)}`;
  }
  const hasAuthority = cluster.certificateAuthority !== "" || cluster.certificateAuthorityData !== undefined;
  if (cluster.certificateAuthority !== "" && cluster.certificateAuthorityData !== undefined) {
    yield `cluster ${clusterName}: certificate-authority and certificate-authority-data are both given`;
  }
  if (hasAuthority && cluster.insecureSkipTlsVerify) {
    yield `cluster ${clusterName}: a certificate authority and insecure-skip-tls-verify exclude each other`;
  }
  if (cluster.proxyUrl !== "") yield* proxyProblems(cluster.proxyUrl, clusterName);
}

function* proxyProblems(proxyUrl: string, clusterName: string): Iterable<string> {
  const where = `cluster ${clusterName}: proxy-url ${JSON.stringify(proxyUrl.replace(/\/\/[^@/]*@/, "//***@"))}`;
  if (!URL.canParse(proxyUrl)) {
    yield `${where} is no URL`;
    return;
  }
  const { protocol } = new URL(proxyUrl);
  if (protocol.startsWith("socks")) {
    yield `${where}: SOCKS proxies are not supported: give an http:// or https:// proxy that allows CONNECT`;
  } else if (protocol !== "http:" && protocol !== "https:") {
    yield `${where}: scheme must be http or https`;
  }
}

function* userProblems({ user, userName }: ChosenEntries): Iterable<string> {
  const hasBasic = user.username !== "" || user.password !== "";
  if (user.token !== "" && hasBasic) yield `user ${userName}: token and username exclude each other`;
  if (user.clientCertificate !== "" && user.clientCertificateData !== undefined) {
    yield `user ${userName}: client-certificate and client-certificate-data are both given`;
  }
  if (hasCertificate(user)) {
    if (user.clientKey !== "" && user.clientKeyData !== undefined) {
      yield `user ${userName}: client-key and client-key-data are both given`;
    }
    if (user.clientKey === "" && user.clientKeyData === undefined) {
      yield `user ${userName}: client-key or client-key-data must come with the client certificate`;
    }
  }
  if (user.as === "" && (user.asUid !== "" || user.asGroups.length > 0 || Object.keys(user.asUserExtra).length > 0)) {
    yield `user ${userName}: as-uid, as-groups and as-user-extra need the user to impersonate (as)`;
  }
  if (user.authProvider !== "") {
    yield `user ${userName}: auth-provider ${user.authProvider} is not supported: use an exec plugin`;
  }
  if (user.exec !== undefined) yield* execProblems(user.exec, userName);
}

const execVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

function* execProblems(exec: ExecEntry, userName: string): Iterable<string> {
  if (exec.command === "") yield `user ${userName}: exec: command is missing`;
  if (!execVersions.includes(exec.apiVersion)) {
    yield `user ${userName}: exec: apiVersion must be ${execVersions.join(" or ")}`;
  }
  if (exec.env.some(([name]) => name === "")) yield `user ${userName}: exec: a variable of env has no name`;
  if (exec.interactiveMode === "" && exec.apiVersion === execVersions[0]) {
    yield `user ${userName}: exec: interactiveMode is missing`;
  } else if (!["", "Never", "IfAvailable", "Always"].includes(exec.interactiveMode)) {
    yield `user ${userName}: exec: interactiveMode ${JSON.stringify(exec.interactiveMode)} is unknown`;
  }
}

/** Files are named at the start rather than at the first request. */
async function fileProblems({ cluster, user, clusterName, userName }: ChosenEntries): Promise<readonly string[]> {
  const files = [
    [`cluster ${clusterName}: certificate-authority`, cluster.certificateAuthority],
    [`user ${userName}: client-certificate`, user.clientCertificate],
    [`user ${userName}: client-key`, hasCertificate(user) ? user.clientKey : ""],
    [`user ${userName}: tokenFile`, user.token === "" ? user.tokenFile : ""],
  ] as const;
  const problems = files.map(async ([what, path]) => {
    if (path === "") return [];
    try {
      await readFile(path);
      return [];
    } catch (error) {
      return [`${what} cannot be read: ${messageOf(error)}`];
    }
  });
  return (await Promise.all(problems)).flat();
}

/** Whether a client certificate identifies the user. */
export function hasCertificate(user: UserEntry): boolean {
  return user.clientCertificate !== "" || user.clientCertificateData !== undefined;
}
