import { spawn } from "node:child_process";
import type { Clock } from "../async/index.ts";
import { KeelsonError, messageOf } from "../errors/index.ts";
import { isJsonObject } from "../object/index.ts";
import type { ExecPlugin } from "./cluster-config.ts";

/** What an exec plugin returned. */
export interface PluginCredential {
  readonly token: string | undefined;
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
  /** Milliseconds since the epoch; undefined: valid until refused. */
  readonly expiresAt: number | undefined;
}

const timeoutMs = 60_000;
const maxOutput = 1 << 20;
const maxStderr = 1024;

/**
 * Runs a client-go credential plugin once. It gets no terminal: Keelson runs unattended.
 *
 * @throws KeelsonError CredentialPlugin, with the end of the plugin's stderr
 */
export async function runExecPlugin(plugin: ExecPlugin, clock: Clock): Promise<PluginCredential> {
  if (plugin.interactiveMode === "Always") {
    throw failure(plugin, "asks for a terminal (interactiveMode: Always), and there is none");
  }
  const output = await run(plugin, clock);
  return parseCredential(output, plugin);
}

function run(plugin: ExecPlugin, clock: Clock): Promise<string> {
  const request = {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.cluster !== undefined && { cluster: plugin.cluster }), interactive: false },
  };
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, [...plugin.args], {
      env: { ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(request) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    let killedFor: string | undefined;
    const kill = (why: string): void => {
      killedFor = why;
      child.kill("SIGKILL");
      // A grandchild may hold the pipes open for ever.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const cancelTimeout = clock.after(timeoutMs, () => kill(`gave no answer in ${timeoutMs / 1000} s`));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.length > maxOutput) kill("writes without end");
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-maxStderr);
    });
    child.once("error", (error) => {
      cancelTimeout();
      reject(failure(plugin, startFailure(error, plugin)));
    });
    child.once("close", (code, signal) => {
      cancelTimeout();
      if (killedFor !== undefined) return reject(failure(plugin, killedFor));
      if (code === 0) return resolve(stdout);
      const said = printable(stderr);
      reject(failure(plugin, `failed with ${code === null ? signal : `exit code ${code}`}${said && `: ${said}`}`));
    });
  });
}

function startFailure(error: Error, plugin: ExecPlugin): string {
  const isMissing = "code" in error && error.code === "ENOENT";
  const hint = isMissing && plugin.installHint !== undefined ? `: ${printable(plugin.installHint)}` : "";
  return isMissing ? `is not installed${hint}` : `cannot be started: ${messageOf(error)}`;
}

function parseCredential(output: string, plugin: ExecPlugin): PluginCredential {
  const answer = parseAnswer(output, plugin);
  if (answer.kind !== "ExecCredential" || answer.apiVersion !== plugin.apiVersion) {
    throw failure(
      plugin,
      `answered with ${String(answer.apiVersion)} ${String(answer.kind)}, not with ${plugin.apiVersion} ExecCredential`,
    );
  }
  const status = isJsonObject(answer.status) ? answer.status : {};
  const token = textOf(status.token);
  const cert = textOf(status.clientCertificateData);
  const key = textOf(status.clientKeyData);
  if (token === undefined && cert === undefined && key === undefined) {
    throw failure(plugin, "returned neither token nor certificate");
  }
  if ((cert === undefined) !== (key === undefined)) throw failure(plugin, "returned a certificate or key alone");
  const expiry = textOf(status.expirationTimestamp);
  const expiresAt = expiry === undefined ? undefined : Date.parse(expiry);
  if (Number.isNaN(expiresAt)) throw failure(plugin, `returned the malformed expirationTimestamp ${expiry}`);
  return {
    token,
    certificate: cert !== undefined && key !== undefined ? { cert, key } : undefined,
    expiresAt,
  };
}

function parseAnswer(output: string, plugin: ExecPlugin): { readonly [field: string]: unknown } {
  try {
    const value: unknown = JSON.parse(output);
    if (isJsonObject(value)) return value;
  } catch {
    // The text may hold a credential, so neither it nor the parser's message is shown.
  }
  throw failure(plugin, "did not print an ExecCredential in JSON");
}

function failure(plugin: ExecPlugin, what: string): KeelsonError {
  return new KeelsonError("CredentialPlugin", `credential plugin ${plugin.command} ${what}`);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Without escape sequences, which could rewrite the terminal that shows the message. */
function printable(text: string): string {
  return text.replace(/[^\P{C}\n\t]/gu, "").trim();
}
