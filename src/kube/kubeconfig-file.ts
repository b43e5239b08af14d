import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { loadAll, YAML11_SCHEMA } from "js-yaml";
import { KeelsonError, messageOf } from "../errors/index.ts";
import { Fields } from "./kubeconfig-fields.ts";

/** `clusters[].cluster`. Texts are "" where absent; paths are absolute. */
export interface ClusterEntry {
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly certificateAuthority: string;
  readonly certificateAuthorityData: string | undefined;
  readonly proxyUrl: string;
  readonly disableCompression: boolean;
  /** Extension `client.authentication.k8s.io/exec`: passed on to exec plugins. */
  readonly execConfig: unknown;
}

/** `users[].user.exec`. */
export interface ExecEntry {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly (readonly [string, string])[];
  readonly interactiveMode: string;
  readonly provideClusterInfo: boolean;
  readonly installHint: string;
}

/** `users[].user`. */
export interface UserEntry {
  readonly clientCertificate: string;
  readonly clientCertificateData: string | undefined;
  readonly clientKey: string;
  readonly clientKeyData: string | undefined;
  readonly token: string;
  readonly tokenFile: string;
  readonly username: string;
  readonly password: string;
  readonly as: string;
  readonly asUid: string;
  readonly asGroups: readonly string[];
  readonly asUserExtra: Readonly<Record<string, readonly string[]>>;
  readonly authProvider: string;
  readonly exec: ExecEntry | undefined;
}

/** `contexts[].context`. */
export interface ContextEntry {
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

/** A kubeconfig: one file, or several merged. */
export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

/** A cluster of which nothing is known. */
export const noCluster: ClusterEntry = {
  server: "",
  tlsServerName: "",
  insecureSkipTlsVerify: false,
  certificateAuthority: "",
  certificateAuthorityData: undefined,
  proxyUrl: "",
  disableCompression: false,
  execConfig: undefined,
};

/** A user of whom nothing is known. */
export const noUser: UserEntry = {
  clientCertificate: "",
  clientCertificateData: undefined,
  clientKey: "",
  clientKeyData: undefined,
  token: "",
  tokenFile: "",
  username: "",
  password: "",
  as: "",
  asUid: "",
  asGroups: [],
  asUserExtra: {},
  authProvider: "",
  exec: undefined,
};

/** Reads one kubeconfig; undefined where the file does not exist. */
export async function readKubeconfig(path: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new KeelsonError("InvalidKubeconfig", `${path}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
  return parseKubeconfig(text, path);
}

/** Reads the text of a kubeconfig; paths in it are relative to the folder of `path`. */
export function parseKubeconfig(text: string, path: string): Kubeconfig {
  const config = new Fields(parseYaml(text, path), path);
  requireOwnKind(config);
  const folder = dirname(resolve(path));
  return {
    currentContext: config.text("current-context"),
    clusters: named(config, "cluster", (fields) => clusterEntry(fields, folder)),
    users: named(config, "user", (fields) => userEntry(fields, folder)),
    contexts: named(config, "context", contextEntry),
  };
}

/**
 * Merges kubeconfigs as kubectl does: the first file that has an entry of a name supplies the whole entry, and the first
 * that sets the current context supplies that.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  // A later entry of a Map constructor wins, hence the reversal.
  const merged = <V>(pick: (config: Kubeconfig) => ReadonlyMap<string, V>): ReadonlyMap<string, V> =>
    new Map([...configs].reverse().flatMap((config) => [...pick(config)]));
  return {
    currentContext: configs.find((config) => config.currentContext !== "")?.currentContext ?? "",
    clusters: merged((config) => config.clusters),
    users: merged((config) => config.users),
    contexts: merged((config) => config.contexts),
  };
}

function parseYaml(text: string, path: string): unknown {
  try {
    // kubectl reads YAML 1.1 (`yes` is a boolean), and of several documents the first.
    return loadAll(text, { schema: YAML11_SCHEMA })[0];
  } catch (error) {
    throw new KeelsonError("InvalidKubeconfig", `${path}${placeOf(error)}: is no YAML: ${reasonOf(error)}`);
  }
}

/** The library's message quotes the lines around the fault, and with them perhaps a token: only its first words are told. */
function reasonOf(error: unknown): string {
  return (
    messageOf(error)
      .split("\n")[0]
      ?.replace(/ \(\d+:\d+\).*$/s, "") ?? "it cannot be read"
  );
}

function placeOf(error: unknown): string {
  const line = /\((\d+):\d+\)/.exec(messageOf(error))?.[1];
  return line === undefined ? "" : `:${line}`;
}

function requireOwnKind(config: Fields): void {
  const kind = config.text("kind");
  const apiVersion = config.text("apiVersion");
  if ((kind === "" || kind === "Config") && (apiVersion === "" || apiVersion === "v1")) return;
  throw new KeelsonError("InvalidKubeconfig", `${config.place}: is ${apiVersion} ${kind}, and no v1 Config`);
}

function named<V>(config: Fields, what: string, read: (fields: Fields) => V): Map<string, V> {
  const entries = new Map<string, V>();
  for (const item of config.list(`${what}s`)) {
    const entry = new Fields(item, `${config.place}: ${what}s[${entries.size}]`);
    const name = entry.text("name");
    if (entries.has(name)) throw config.invalid(`${what}s`, `hold the name ${JSON.stringify(name)} twice`);
    entries.set(name, read(new Fields(entry.value(what), `${config.place}: ${what} ${name}`)));
  }
  return entries;
}

function clusterEntry(fields: Fields, folder: string): ClusterEntry {
  const extension = fields
    .list("extensions")
    .map((item) => new Fields(item, `${fields.place}: extensions`))
    .find((item) => item.text("name") === "client.authentication.k8s.io/exec");
  return {
    server: fields.text("server"),
    tlsServerName: fields.text("tls-server-name"),
    insecureSkipTlsVerify: fields.flag("insecure-skip-tls-verify"),
    certificateAuthority: absolute(fields.text("certificate-authority"), folder),
    certificateAuthorityData: fields.decoded("certificate-authority-data"),
    proxyUrl: fields.text("proxy-url"),
    disableCompression: fields.flag("disable-compression"),
    execConfig: extension?.value("extension"),
  };
}

function userEntry(fields: Fields, folder: string): UserEntry {
  const extra = fields.fields("as-user-extra");
  return {
    clientCertificate: absolute(fields.text("client-certificate"), folder),
    clientCertificateData: fields.decoded("client-certificate-data"),
    clientKey: absolute(fields.text("client-key"), folder),
    clientKeyData: fields.decoded("client-key-data"),
    token: fields.text("token"),
    tokenFile: absolute(fields.text("tokenFile"), folder),
    username: fields.text("username"),
    password: fields.text("password"),
    as: fields.text("as"),
    asUid: fields.text("as-uid"),
    asGroups: fields.texts("as-groups"),
    asUserExtra: Object.fromEntries(extra.keys().map((key) => [key, extra.texts(key)])),
    authProvider: fields.has("auth-provider") ? fields.fields("auth-provider").text("name") || "unnamed" : "",
    exec: fields.has("exec") ? execEntry(fields.fields("exec"), folder) : undefined,
  };
}

function execEntry(fields: Fields, folder: string): ExecEntry {
  const command = fields.text("command");
  return {
    apiVersion: fields.text("apiVersion"),
    // A bare name is looked up in PATH; anything with a slash is a path, relative to the kubeconfig.
    command: command.includes("/") ? absolute(command, folder) : command,
    args: fields.texts("args"),
    env: fields.list("env").map((item) => {
      const variable = new Fields(item, `${fields.place}: env`);
      return [variable.text("name"), variable.text("value")] as const;
    }),
    interactiveMode: fields.text("interactiveMode"),
    provideClusterInfo: fields.flag("provideClusterInfo"),
    installHint: fields.text("installHint"),
  };
}

function contextEntry(fields: Fields): ContextEntry {
  return { cluster: fields.text("cluster"), user: fields.text("user"), namespace: fields.text("namespace") };
}

function absolute(path: string, folder: string): string {
  return path === "" || isAbsolute(path) ? path : join(folder, path);
}
