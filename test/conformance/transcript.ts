import { spawn } from "node:child_process";

/** A command line of kubectl with its input; `only` says what of its output is compared. */
export interface Command {
  readonly arguments: readonly string[];
  readonly input?: string;
  /** A shell command that takes the place of the editor. */
  readonly editor?: string;
  /** Run once the command has printed a line: what a watch is to see. */
  readonly meanwhile?: readonly Command[];
  /** The output without what two servers cannot agree on; default: as {@link normalize} leaves it. */
  readonly keep?: (output: string) => string;
}

/** What kubectl printed, and how it ended. */
export interface Outcome {
  readonly command: string;
  readonly exitCode: number;
  readonly output: string;
}

const DEADLINE_MS = 30_000;

/** The kubectl to test with: the one on PATH, so that an older client is tried, too. */
export const KUBECTL: string = process.env.KEELSON_TEST_KUBECTL ?? "kubectl";

/** Runs kubectl with a kubeconfig; output is stdout, then stderr. */
export function kubectl(kubeconfig: string, command: Command): Promise<Outcome> {
  const { arguments: args, input = "", editor = "false", meanwhile = [] } = command;
  return new Promise((resolve, reject) => {
    const home = process.env.HOME ?? "/tmp";
    const child = spawn(KUBECTL, args, {
      env: { ...process.env, KUBECONFIG: kubeconfig, HOME: home, NO_COLOR: "1", KUBE_EDITOR: editor },
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.stdout.once("data", () => {
      void (async () => {
        for (const each of meanwhile) await kubectl(kubeconfig, each);
      })().catch(reject);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ command: args.join(" "), exitCode: code ?? -1, output: stdout + stderr });
    });
    child.stdin.end(input);
  });
}

/** Replaces identities, times, ages and allocated addresses. */
export function normalize(output: string): string {
  return (
    output
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
      .replace(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+\d{4}/g, "<time>")
      .replace(/resourceVersion: "\d+"/g, 'resourceVersion: "<rv>"')
      .replace(/\b10\.96\.\d+\.\d+\b/g, "<ip>")
      .replace(/(?<=\s)\d+(s|m|h|d)(\d+s)?(?=\s|$)/gm, "<age>")
      .replace(/\/tmp\/[\w.-]+\/?/g, "/tmp/<file>/")
      .replace(/^(---|\+\+\+|diff) .*$/gm, "$1")
      // The controllers of the real cluster annotate Deployments and make EndpointSlices.
      .replace(/^@@ .* @@$/gm, "@@")
      .replace(/^(Endpoints:\s*)<none>$/gm, "$1")
      .replace(/(web:80 \()<none>\)/g, "$1)")
      .replace(/[ \t]+/g, " ")
      .replace(/ $/gm, "")
  );
}
