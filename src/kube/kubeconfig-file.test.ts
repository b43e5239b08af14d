import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { base64, type KubeconfigParts, KubeHome, kubeconfig } from "./kubeconfig-home.case.ts";

let home: KubeHome;

beforeEach(() => {
  home = new KubeHome();
});

describe("one kubeconfig", () => {
  test("gives server, namespace, token and origin", async () => {
    home.write(".kube/config", kubeconfig({ context: "namespace: apps" }));

    expect(await home.load()).toEqual({
      server: "https://api:6443",
      namespace: "apps",
      tls: { insecureSkipVerify: false },
      authentication: { kind: "token", token: "t" },
      requestTimeoutMs: 30_000,
      origin: `context c of ${home.defaultFile}`,
    });
  });

  test("gives the trust and the client certificate, inline", async () => {
    home.write(
      ".kube/config",
      kubeconfig({
        cluster: `certificate-authority-data: ${base64("CA")}, tls-server-name: api.internal, proxy-url: "http://proxy:3128"`,
        user: `client-certificate-data: ${base64("CERT")}, client-key-data: ${base64("KEY")}`,
      }),
    );

    expect(await home.load()).toMatchObject({
      tls: {
        certificateAuthority: { kind: "inline", pem: "CA" },
        clientCertificate: { kind: "inline", pem: "CERT" },
        clientKey: { kind: "inline", pem: "KEY" },
        serverName: "api.internal",
      },
      proxyUrl: "http://proxy:3128",
      authentication: { kind: "none" },
    });
  });

  test("resolves paths against its own folder", async () => {
    for (const name of ["ca", "crt", "key", "token"]) home.write(`deep/pki/${name}`, name);
    const path = home.write(
      "deep/config",
      kubeconfig({
        cluster: "certificate-authority: pki/ca",
        user: "client-certificate: ./pki/crt, client-key: pki/key, tokenFile: pki/token",
      }),
    );
    const at = (name: string) => join(home.path, "deep/pki", name);

    expect(await home.load({ flags: { kubeconfig: path } })).toMatchObject({
      tls: {
        certificateAuthority: { kind: "file", path: at("ca") },
        clientCertificate: { kind: "file", path: at("crt") },
        clientKey: { kind: "file", path: at("key") },
      },
      authentication: { kind: "token-file", path: at("token") },
    });
  });

  test("keeps the token beside a tokenFile for the time that the file cannot be read", async () => {
    home.write(".kube/config", kubeconfig({ user: "token: t, tokenFile: later" }));

    expect((await home.load()).authentication).toEqual({
      kind: "token-file",
      path: join(home.path, ".kube/later"),
      fallback: "t",
    });
  });

  test("gives basic authentication, impersonation and insecure-skip-tls-verify", async () => {
    home.write(
      ".kube/config",
      kubeconfig({
        cluster: "insecure-skip-tls-verify: true",
        user: "username: u, password: p, as: jane, as-uid: '7', as-groups: [a, b], as-user-extra: {k: [v, w]}",
      }),
    );

    expect(await home.load()).toMatchObject({
      tls: { insecureSkipVerify: true },
      authentication: { kind: "basic", username: "u", password: "p" },
      impersonation: { user: "jane", uid: "7", groups: ["a", "b"], extra: { k: ["v", "w"] } },
    });
  });

  test("gives an exec plugin with the cluster's details, its path resolved and the environment completed", async () => {
    home.write(".kube/ca", "CA");
    home.write(
      ".kube/config",
      kubeconfig({
        cluster:
          "certificate-authority: ca, tls-server-name: name, extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: a}}]",
        user: `exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./bin/login, args: [x, "1"], env: [{name: B, value: "2"}], provideClusterInfo: true, installHint: get it}`,
      }),
    );

    expect((await home.load({ env: { A: "1", B: "1" } })).authentication).toEqual({
      kind: "exec",
      plugin: {
        apiVersion: "client.authentication.k8s.io/v1beta1",
        command: join(home.path, ".kube/bin/login"),
        args: ["x", "1"],
        env: { A: "1", B: "2" },
        interactiveMode: "IfAvailable",
        installHint: "get it",
        cluster: {
          server: "https://api:6443",
          "tls-server-name": "name",
          "certificate-authority-data": base64("CA"),
          config: { audience: "a" },
        },
      },
    });
  });

  test.each([
    ["a token", "token: t", "token"],
    ["a password", "username: u, password: p", "basic"],
    ["a client certificate", `client-certificate-data: ${base64("C")}, client-key-data: ${base64("K")}`, "none"],
  ])("prefers %s to the exec plugin beside it", async (_, user, kind) => {
    const exec = "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: login}";
    home.write(".kube/config", kubeconfig({ user: `${user}, ${exec}` }));

    expect((await home.load()).authentication.kind).toBe(kind);
  });

  test("sends no credentials over plain http", async () => {
    home.write(".kube/config", kubeconfig().replace("https://api:6443", "127.0.0.1:8001"));

    expect(await home.load()).toMatchObject({ server: "http://127.0.0.1:8001", authentication: { kind: "none" } });
  });

  test("reads JSON too, and takes line breaks inside base64", async () => {
    const pem = "-----BEGIN-----";
    home.write(
      ".kube/config",
      JSON.stringify({
        "current-context": "c",
        clusters: [
          {
            name: "cl",
            cluster: { server: "https://api/", "certificate-authority-data": base64(pem).replace(/^(....)/, "$1\n") },
          },
        ],
        users: [{ name: "u", user: { token: "t" } }],
        contexts: [{ name: "c", context: { cluster: "cl", user: "u" } }],
      }),
    );

    expect(await home.load()).toMatchObject({ server: "https://api", tls: { certificateAuthority: { pem } } });
  });
});

describe("a kubeconfig that cannot be used says why", () => {
  test.each<[string, KubeconfigParts, string]>([
    [
      "both authorities",
      { cluster: `certificate-authority: x, certificate-authority-data: ${base64("C")}` },
      "both given",
    ],
    [
      "an authority that is not verified",
      { cluster: `insecure-skip-tls-verify: true, certificate-authority-data: ${base64("C")}` },
      "exclude each other",
    ],
    [
      "an authority file that is missing",
      { cluster: "certificate-authority: nowhere" },
      "certificate-authority cannot be read",
    ],
    ["a tokenFile that is missing", { user: "tokenFile: nowhere" }, "tokenFile cannot be read"],
    ["token and password", { user: "token: t, username: u" }, "token and username exclude each other"],
    [
      "a certificate without key",
      { user: `client-certificate-data: ${base64("C")}` },
      "must come with the client certificate",
    ],
    [
      "both keys",
      { user: `client-certificate-data: ${base64("C")}, client-key: k, client-key-data: ${base64("K")}` },
      "client-key and client-key-data are both given",
    ],
    ["groups of nobody", { user: "token: t, as-groups: [a]" }, "need the user to impersonate"],
    ["a removed auth provider", { user: "auth-provider: {name: gcp}" }, "auth-provider gcp is not supported"],
    ["a SOCKS proxy", { cluster: "proxy-url: 'socks5://u:secret@proxy:1080'" }, "SOCKS proxies are not supported"],
    ["another proxy", { cluster: "proxy-url: 'ftp://proxy'" }, "scheme must be http or https"],
    ["a proxy that is no URL", { cluster: "proxy-url: 'proxy:x:y'" }, "proxy-url"],
    [
      "a plugin without command",
      { user: "exec: {apiVersion: client.authentication.k8s.io/v1beta1}" },
      "command is missing",
    ],
    [
      "a plugin of another version",
      { user: "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}" },
      "apiVersion must be",
    ],
    [
      "a v1 plugin without mode",
      { user: "exec: {apiVersion: client.authentication.k8s.io/v1, command: x}" },
      "interactiveMode is missing",
    ],
    [
      "a plugin of an unknown mode",
      { user: "exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Maybe}" },
      "is unknown",
    ],
    ["a token without quotes", { user: "token: 12345" }, "token must be text: quote it"],
    ["a flag in quotes", { cluster: "insecure-skip-tls-verify: 'true'" }, "must be true or false"],
    ["no base64", { cluster: "certificate-authority-data: '%%'" }, "is no base64"],
    ["groups that are no list", { user: "as: x, as-groups: a" }, "must be a list"],
    ["groups that are numbers", { user: "as: x, as-groups: [1]" }, "must be a list of texts"],
    ["a name twice", { head: "clusters: []" }, "is no YAML"],
  ])("%s", async (_, parts, message) => {
    home.write(".kube/config", kubeconfig(parts));

    const result = home.load();

    await expect(result).rejects.toMatchObject({
      code: "InvalidKubeconfig",
      message: expect.stringContaining(message),
    });
    await expect(result).rejects.toMatchObject({ message: expect.stringContaining(home.defaultFile) });
    await expect(result).rejects.not.toMatchObject({ message: expect.stringContaining("secret") });
  });

  test.each([
    ["a current context that does not exist", "current-context: x", 'context "x" does not exist'],
    ["no current context", "apiVersion: v1", "no current-context"],
    ["another kind", "apiVersion: v1\nkind: Pod", "is v1 Pod, and no v1 Config"],
    ["no mapping", "- a", "must be a mapping"],
    ["no YAML", "a: [", "is no YAML"],
    ["a cluster twice", "clusters: [{name: a}, {name: a}]", 'hold the name "a" twice'],
    [
      "a dangling cluster",
      "current-context: c\ncontexts: [{name: c, context: {cluster: x}}]",
      'no server for cluster "x"',
    ],
    [
      "a server that is no URL",
      "current-context: c\ncontexts: [{name: c, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: 'ftp://x'}}]",
      "is no http or https URL",
    ],
  ])("%s", async (_, text, message) => {
    home.write(".kube/config", text);

    await expect(home.load()).rejects.toMatchObject({
      code: "InvalidKubeconfig",
      message: expect.stringContaining(message),
    });
  });

  test("names every problem at once", async () => {
    home.write(
      ".kube/config",
      kubeconfig({ user: "tokenFile: nowhere, as-uid: '1'", cluster: "proxy-url: 'socks5://x'" }),
    );

    await expect(home.load()).rejects.toMatchObject({
      message: expect.stringMatching(/SOCKS.*impersonate.*tokenFile/),
    });
  });
});
