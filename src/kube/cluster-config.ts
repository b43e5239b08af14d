/** Environment variables, handed in: nothing in this folder reads `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** PEM text, or the file that holds it (re-read when it rotates). */
export type PemSource =
  | { readonly kind: "inline"; readonly pem: string }
  | { readonly kind: "file"; readonly path: string };

/** How the connection is secured and the client identified by certificate. */
export interface TlsSettings {
  /** Left out: the system's roots. */
  readonly certificateAuthority?: PemSource | undefined;
  readonly clientCertificate?: PemSource | undefined;
  readonly clientKey?: PemSource | undefined;
  /** Name to expect in the server's certificate, where it differs from the URL's host. */
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify: boolean;
}

/** An exec credential plugin (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: string;
  /** Absolute path, or a name looked up in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the plugin, but for KUBERNETES_EXEC_INFO. */
  readonly env: Environment;
  /** `spec.cluster` of KUBERNETES_EXEC_INFO, where `provideClusterInfo` is set. */
  readonly cluster?: Readonly<Record<string, unknown>> | undefined;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  readonly installHint?: string | undefined;
}

/** Who we are, beyond the client certificate in {@link TlsSettings}. */
export type Authentication =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: string }
  /** `fallback` is sent until the file can be read. */
  | { readonly kind: "token-file"; readonly path: string; readonly fallback?: string | undefined }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | { readonly kind: "exec"; readonly plugin: ExecPlugin };

/** `Impersonate-…` headers. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** All that is needed to talk to one cluster: the resolved kubeconfig, or the service account. */
export interface ClusterConfig {
  /** URL with scheme; may have a path. */
  readonly server: string;
  /** Never empty. */
  readonly namespace: string;
  readonly tls: TlsSettings;
  readonly authentication: Authentication;
  readonly impersonation?: Impersonation | undefined;
  /** `http://` or `https://` CONNECT proxy. */
  readonly proxyUrl?: string | undefined;
  /** Of a whole call with its retries; 0: none. */
  readonly requestTimeoutMs: number;
  /** Where this comes from, for messages: `context dev of /root/.kube/config`. */
  readonly origin: string;
}

/** kubectl's global flags; each overrides the kubeconfig as kubectl's does. */
export interface KubeconfigFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly namespace?: string | undefined;
  readonly as?: string | undefined;
  readonly asGroup?: readonly string[] | undefined;
  readonly asUid?: string | undefined;
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** As kubectl reads it: seconds, or a Go duration (`30s`, `1m30s`); `0`: none. */
  readonly requestTimeout?: string | undefined;
  readonly proxyUrl?: string | undefined;
}

/** Default of {@link ClusterConfig.requestTimeoutMs}. */
export const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
