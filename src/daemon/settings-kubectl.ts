import { KeelsonError } from "../errors/index.ts";
import type { KubeconfigFlags } from "../kube/index.ts";
import { malformed, ok, type Parsed, parseSeconds, parseSwitch } from "./settings-values.ts";
import { splitShellWords } from "./shell-words.ts";

/** One flag as given: its long name without dashes, and its text. */
export interface KubectlFlagInput {
  readonly name: string;
  readonly value: string;
}

/** One of kubectl's global flags. */
export interface KubectlFlagSpec {
  /** Long name without dashes. */
  readonly name: string;
  /** One letter without dash. */
  readonly short?: string;
  /** Placeholder of the value; absent: a switch. */
  readonly value?: string;
  readonly help: string;
  /** Whether the value must not be shown. */
  readonly secret?: boolean;
  /** Whether it may be given several times. */
  readonly repeated?: boolean;
  readonly set: (flags: KubeconfigFlags, text: string) => Parsed<KubeconfigFlags>;
}

const text =
  (key: keyof KubeconfigFlags): KubectlFlagSpec["set"] =>
  (flags, value) =>
    value === "" ? malformed("a value is needed") : ok({ ...flags, [key]: value });

/** Every flag of kubectl that is understood, in KUBECTL_OPTS and on the command line. */
export const KUBECTL_FLAGS: readonly KubectlFlagSpec[] = [
  { name: "kubeconfig", value: "PATH", help: "kubeconfig file", set: text("kubeconfig") },
  { name: "context", value: "NAME", help: "context of the kubeconfig", set: text("context") },
  { name: "cluster", value: "NAME", help: "cluster of the kubeconfig", set: text("cluster") },
  { name: "user", value: "NAME", help: "user of the kubeconfig", set: text("user") },
  { name: "server", short: "s", value: "URL", help: "address of the API server", set: text("server") },
  { name: "token", value: "TOKEN", help: "bearer token", secret: true, set: text("token") },
  {
    name: "namespace",
    short: "n",
    value: "NAME",
    help: "namespace of objects that name none",
    set: text("namespace"),
  },
  { name: "as", value: "USER", help: "user to impersonate", set: text("as") },
  {
    name: "as-group",
    value: "GROUP",
    help: "group to impersonate; may be repeated",
    repeated: true,
    set: (flags, value) => ok({ ...flags, asGroup: [...(flags.asGroup ?? []), value] }),
  },
  { name: "as-uid", value: "UID", help: "UID to impersonate", set: text("asUid") },
  {
    name: "certificate-authority",
    value: "PATH",
    help: "CA certificate of the API server",
    set: text("certificateAuthority"),
  },
  { name: "client-certificate", value: "PATH", help: "client certificate", set: text("clientCertificate") },
  { name: "client-key", value: "PATH", help: "key of the client certificate", set: text("clientKey") },
  {
    name: "tls-server-name",
    value: "NAME",
    help: "name that the server certificate must carry",
    set: text("tlsServerName"),
  },
  {
    name: "insecure-skip-tls-verify",
    help: "do not check the server certificate",
    set: (flags, value) => map(parseSwitch(value), (insecureSkipTlsVerify) => ({ ...flags, insecureSkipTlsVerify })),
  },
  {
    name: "request-timeout",
    value: "DURATION",
    help: "longest time of one request; 0 is none",
    set: (flags, value) => map(parseSeconds(value), () => ({ ...flags, requestTimeout: value })),
  },
  { name: "proxy-url", value: "URL", help: "proxy to the API server", set: text("proxyUrl") },
  {
    name: "v",
    short: "v",
    value: "LEVEL",
    help: "accepted for kubectl's sake",
    set: (flags, value) => (/^\d{1,2}$/.test(value) ? ok(flags) : malformed(`"${value}" is no level`)),
  },
];

/** Flags of kubectl that have no meaning here and do no harm: in KUBECTL_OPTS they are skipped. With a value unless said. */
const IGNORED: ReadonlyMap<string, "value" | "switch"> = new Map([
  ["--cache-dir", "value"],
  ["--kuberc", "value"],
  ["--log-flush-frequency", "value"],
  ["--profile", "value"],
  ["--profile-output", "value"],
  ["--vmodule", "value"],
  ["--log-dir", "value"],
  ["--log-file", "value"],
  ["--stderrthreshold", "value"],
  ["--alsologtostderr", "switch"],
  ["--disable-compression", "switch"],
  ["--logtostderr", "switch"],
  ["--match-server-version", "switch"],
  ["--warnings-as-errors", "switch"],
]);

/** KUBECTL_OPTS: words split as a shell does, then flags as kubectl reads them. */
export function parseKubectlOptions(options: string): Parsed<KubeconfigFlags> {
  const words = splitShellWords(options);
  if (words.kind === "malformed") return words;
  let flags: KubeconfigFlags = {};
  const rest = [...words.value];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const next = readFlag(flags, word, rest);
    if (next.kind === "malformed") return next;
    flags = next.value;
  }
  return ok(flags);
}

/** Flags of the command line. Throws `InvalidFlag` with the flag and its value. */
export function parseKubectlFlags(inputs: readonly KubectlFlagInput[]): KubeconfigFlags {
  let flags: KubeconfigFlags = {};
  for (const { name, value } of inputs) {
    const spec = KUBECTL_FLAGS.find((candidate) => candidate.name === name);
    const next: Parsed<KubeconfigFlags> = spec === undefined ? malformed("unknown flag") : spec.set(flags, value);
    if (next.kind === "malformed") {
      const shown = spec?.secret === true ? "" : `="${value}"`;
      throw new KeelsonError("InvalidFlag", `--${name}${shown}: ${next.why}`, { object: `--${name}` });
    }
    flags = next.value;
  }
  return flags;
}

/** Reads one flag; takes its value from `rest` where it is a word of its own. */
function readFlag(flags: KubeconfigFlags, word: string, rest: string[]): Parsed<KubeconfigFlags> {
  const given = splitFlag(word);
  if (given === undefined) return malformed("only flags are understood, but there is a word that is none");
  const { spec, label, value } = given;
  const ignored = IGNORED.get(label);
  if (spec === undefined && ignored !== undefined) {
    if (ignored === "value" && value === undefined) rest.shift();
    return ok(flags);
  }
  if (spec === undefined) return malformed(`unknown flag ${label}`);
  // As in kubectl, a switch takes a value only behind "=".
  const text = value ?? (spec.value === undefined ? "true" : rest.shift());
  if (text === undefined) return malformed(`${label} needs a value`);
  const next = spec.set(flags, text);
  return next.kind === "ok" ? next : malformed(`${label}: ${next.why}`);
}

interface SplitFlag {
  readonly spec: KubectlFlagSpec | undefined;
  /** The flag as written, without its value, which may be secret. */
  readonly label: string;
  readonly value: string | undefined;
}

function splitFlag(word: string): SplitFlag | undefined {
  if (word.startsWith("--") && word.length > 2) {
    const equals = word.indexOf("=");
    const label = equals < 0 ? word : word.slice(0, equals);
    const spec = KUBECTL_FLAGS.find(({ name }) => `--${name}` === label);
    return { spec, label, value: equals < 0 ? undefined : word.slice(equals + 1) };
  }
  if (!/^-[A-Za-z]/.test(word)) return undefined;
  const label = word.slice(0, 2);
  const glued = word.slice(2);
  const spec = KUBECTL_FLAGS.find(({ short }) => `-${short}` === label);
  return { spec, label, value: glued === "" ? undefined : glued.replace(/^=/, "") };
}

function map<T, U>(parsed: Parsed<T>, change: (value: T) => U): Parsed<U> {
  return parsed.kind === "ok" ? ok(change(parsed.value)) : parsed;
}
