import { renameSync, writeFileSync } from "node:fs";

export interface KubeconfigOptions {
  readonly path: string;
  readonly server: string;
  /** PEM of the certificate that the server must prove. */
  readonly ca: string;
  readonly token: string;
}

/** Writes a kubeconfig with one context, which verifies the server's certificate, and returns its path. */
export function writeKubeconfig({ path, server, ca, token }: KubeconfigOptions): string {
  const text = `apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: ${server}
    certificate-authority-data: ${Buffer.from(ca).toString("base64")}
users:
- name: test
  user:
    token: ${token}
contexts:
- name: test
  context:
    cluster: test
    user: test
current-context: test
`;
  // In one step: a program that was given the path before may just be reading it.
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
}
