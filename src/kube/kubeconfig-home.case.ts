import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { ClusterConfig } from "./cluster-config.ts";
import { type KubeconfigSources, loadKubeconfig } from "./load-kubeconfig.ts";

// A home folder with kubeconfigs in it, for the tests of how they are read.

/** A temporary home folder that goes with the test. */
export class KubeHome {
  readonly path: string;
  /** `~/.kube/config`. */
  readonly defaultFile: string;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), "keelson-kubeconfig-"));
    this.defaultFile = join(this.path, ".kube", "config");
    onTestFinished(() => rmSync(this.path, { recursive: true }));
  }

  /** Writes a file below the home folder, and returns its path. */
  write(path: string, text: string): string {
    const absolute = join(this.path, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, text);
    return absolute;
  }

  load(sources: Partial<KubeconfigSources> = {}): Promise<ClusterConfig> {
    const serviceAccountDirectory = join(this.path, "none");
    return loadKubeconfig({ flags: {}, env: {}, home: this.path, serviceAccountDirectory, ...sources });
  }
}

/** What to add to the parts of {@link kubeconfig}, as flow-style YAML; `user` replaces its token. */
export interface KubeconfigParts {
  readonly cluster?: string;
  readonly user?: string;
  readonly context?: string;
  readonly head?: string;
}

/** A kubeconfig with one context, `c`. */
export function kubeconfig(parts: KubeconfigParts = {}): string {
  const more = (fields: string | undefined): string => (fields === undefined ? "" : `, ${fields}`);
  return `apiVersion: v1
kind: Config
current-context: c
${parts.head ?? ""}
clusters:
- name: cl
  cluster: {server: "https://api:6443"${more(parts.cluster)}}
users:
- name: u
  user: {${parts.user ?? "token: t"}}
contexts:
- name: c
  context: {cluster: cl, user: u${more(parts.context)}}
`;
}

export const base64 = (text: string): string => Buffer.from(text).toString("base64");
