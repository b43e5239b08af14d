import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { KubeconfigFlags } from "./cluster-config.ts";
import { base64, type KubeconfigParts, KubeHome, kubeconfig } from "./kubeconfig-home.case.ts";

let home: KubeHome;

beforeEach(() => {
  home = new KubeHome();
});

describe("merging $KUBECONFIG", () => {
  test("the first file to name an entry supplies it whole, and the first current-context counts", async () => {
    const one = home.write(
      "one/config",
      "clusters: [{name: cl, cluster: {server: 'https://one'}}]\nusers: [{name: u, user: {username: x, password: z}}]",
    );
    const two = home.write(
      "two/config",
      kubeconfig({ cluster: "tls-server-name: dropped", context: "namespace: two" }),
    );
    const three = home.write(
      "three/config",
      kubeconfig({ context: "namespace: three" }).replace("current-context: c", "current-context: other"),
    );

    const config = await home.load({ env: { KUBECONFIG: [one, two, three].join(":") } });

    expect(config).toMatchObject({
      server: "https://one",
      namespace: "two",
      authentication: { kind: "basic", username: "x", password: "z" },
      origin: `context c of ${one}, ${two}, ${three}`,
    });
    expect(config.tls.serverName).toBeUndefined();
  });

  test("missing files and empty parts are skipped, and each entry's paths are relative to its own file", async () => {
    home.write("one/pki/ca", "CA");
    const one = home.write(
      "one/config",
      "clusters: [{name: cl, cluster: {server: 'https://one', certificate-authority: pki/ca}}]",
    );
    const two = home.write("two/config", kubeconfig());

    const config = await home.load({ env: { KUBECONFIG: `:/nowhere:${one}:${two}:${one}` } });

    expect(config.tls.certificateAuthority).toEqual({ kind: "file", path: join(home.path, "one/pki/ca") });
  });

  test("a list of which nothing exists is an error, even in a Pod", async () => {
    home.write(".kube/config", kubeconfig());

    const result = home.load({ env: { KUBECONFIG: "/nowhere/a:/nowhere/b" } });

    await expect(result).rejects.toMatchObject({
      message: expect.stringContaining("/nowhere/a, /nowhere/b does not exist"),
    });
  });

  test("a file that cannot be read is an error", async () => {
    const two = home.write("two/config", kubeconfig());

    await expect(home.load({ env: { KUBECONFIG: `${home.path}:${two}` } })).rejects.toMatchObject({
      message: expect.stringContaining(`${home.path}: cannot be read`),
    });
  });
});

describe("flags override", () => {
  const over = async (flags: KubeconfigFlags, parts: KubeconfigParts = {}) => {
    home.write(".kube/config", kubeconfig(parts));
    return home.load({ flags });
  };

  test("the context, its cluster and its user", async () => {
    const path = home.write(
      "config",
      `${kubeconfig()}- name: c2\n  context: {cluster: cl2, user: u}\n`
        .replace("clusters:", "clusters:\n- name: cl2\n  cluster: {server: https://two}")
        .replace("users:", "users:\n- name: u2\n  user: {token: t2}"),
    );

    const byContext = await home.load({ flags: { kubeconfig: path, context: "c2" } });
    const byParts = await home.load({ flags: { kubeconfig: path, cluster: "cl2", user: "u2" } });

    expect([byContext.server, byContext.authentication]).toEqual(["https://two", { kind: "token", token: "t" }]);
    expect([byParts.server, byParts.authentication]).toEqual(["https://two", { kind: "token", token: "t2" }]);
  });

  test.each([
    [{ context: "x" }, 'context "x" does not exist'],
    [{ cluster: "x" }, 'cluster "x" does not exist'],
    [{ user: "x" }, 'user "x" does not exist'],
  ])("%o must exist", async (flags, message) => {
    await expect(over(flags)).rejects.toMatchObject({
      code: "InvalidKubeconfig",
      message: expect.stringContaining(message),
    });
  });

  test("namespace, request timeout, proxy and impersonation", async () => {
    expect(
      await over({
        namespace: "n",
        requestTimeout: "1m",
        proxyUrl: "http://p",
        as: "jane",
        asGroup: ["g"],
        asUid: "1",
      }),
    ).toMatchObject({
      namespace: "n",
      requestTimeoutMs: 60_000,
      proxyUrl: "http://p",
      impersonation: { user: "jane", groups: ["g"], uid: "1" },
    });
  });

  test("the token, also that of a file and of a plugin", async () => {
    const flags = { token: "by hand" };
    const expected = { kind: "token", token: "by hand" };
    const plugin = "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: login}";

    expect((await over(flags, { user: "tokenFile: /nowhere" })).authentication).toEqual(expected);
    expect((await over(flags, { user: plugin })).authentication).toEqual(expected);
    await expect(over(flags, { user: "username: u, password: p" })).rejects.toMatchObject({
      code: "InvalidKubeconfig",
    });
  });

  test("the server, which clears the server name unless that is given too", async () => {
    const parts = { cluster: "tls-server-name: old" };

    expect(await over({ server: "https://other" }, parts)).toMatchObject({
      server: "https://other",
      tls: { serverName: undefined },
    });
    expect((await over({ server: "https://other", tlsServerName: "new" }, parts)).tls.serverName).toBe("new");
    expect((await over({}, parts)).tls.serverName).toBe("old");
  });

  test("the trust as a whole", async () => {
    const ca = home.write("ca", "CA");
    const inline = { cluster: `certificate-authority-data: ${base64("C")}` };

    expect((await over({ insecureSkipTlsVerify: true }, inline)).tls).toMatchObject({
      insecureSkipVerify: true,
      certificateAuthority: undefined,
    });
    expect((await over({ certificateAuthority: ca }, { cluster: "insecure-skip-tls-verify: true" })).tls).toMatchObject(
      {
        insecureSkipVerify: false,
        certificateAuthority: { kind: "file", path: ca },
      },
    );
    expect((await over({ certificateAuthority: ca }, inline)).tls.certificateAuthority).toEqual({
      kind: "file",
      path: ca,
    });
  });

  test("the client certificate and key, each with its inline form", async () => {
    const [cert, key] = [home.write("crt", "C"), home.write("key", "K")];
    const inline = { user: `client-certificate-data: ${base64("C")}, client-key-data: ${base64("K")}` };

    expect((await over({ clientCertificate: cert, clientKey: key }, inline)).tls).toMatchObject({
      clientCertificate: { kind: "file", path: cert },
      clientKey: { kind: "file", path: key },
    });
  });

  test("a malformed request timeout is the flag's error", async () => {
    await expect(over({ requestTimeout: "soon" })).rejects.toMatchObject({ code: "InvalidFlag" });
  });

  test("a server alone needs no kubeconfig", async () => {
    expect(await home.load({ flags: { server: "https://x", token: "t" } })).toMatchObject({
      server: "https://x",
      authentication: { kind: "token", token: "t" },
      origin: "flags",
    });
  });
});

describe("the search", () => {
  function writeServiceAccount(): string {
    home.write("sa/token", "sa-token\n");
    home.write("sa/ca.crt", "CA");
    home.write("sa/namespace", "kube-system\n");
    return join(home.path, "sa");
  }
  const pod = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };

  test("takes --kubeconfig first, then $KUBECONFIG, the service account, and ~/.kube/config", async () => {
    const serviceAccountDirectory = writeServiceAccount();
    const flagged = home.write("flagged", kubeconfig().replace("api:6443", "flagged"));
    const listed = home.write("listed", kubeconfig().replace("api:6443", "listed"));
    home.write(".kube/config", kubeconfig().replace("api:6443", "home"));
    const serverOf = async (flags: KubeconfigFlags, env: Record<string, string>) =>
      (await home.load({ flags, env, serviceAccountDirectory })).server;

    expect([
      await serverOf({ kubeconfig: flagged }, { ...pod, KUBECONFIG: listed }),
      await serverOf({}, { ...pod, KUBECONFIG: listed }),
      await serverOf({}, { ...pod, KUBECONFIG: "" }),
      await serverOf({}, {}),
    ]).toEqual(["https://flagged", "https://listed", "https://10.96.0.1:443", "https://home"]);
  });

  test("a --kubeconfig that does not exist is an error", async () => {
    home.write(".kube/config", kubeconfig());

    await expect(home.load({ flags: { kubeconfig: "/nowhere" } })).rejects.toMatchObject({
      code: "InvalidKubeconfig",
      message: expect.stringContaining("/nowhere does not exist"),
    });
  });

  test("nothing at all is an error that says what to give", async () => {
    await expect(home.load()).rejects.toMatchObject({
      message: expect.stringContaining("give --kubeconfig, $KUBECONFIG or --server"),
    });
  });

  test("the service account gives token file, authority and namespace; flags override", async () => {
    const serviceAccountDirectory = writeServiceAccount();
    const env = { ...pod, KUBERNETES_SERVICE_HOST: "fd00::1" };

    const plain = await home.load({ env, serviceAccountDirectory });
    const flags = {
      server: "https://x",
      token: "t",
      namespace: "n",
      as: "jane",
      asGroup: ["g"],
      insecureSkipTlsVerify: true,
    };
    const flagged = await home.load({ env, flags, serviceAccountDirectory });
    const named = await home.load({ env: { ...env, POD_NAMESPACE: "mine" }, serviceAccountDirectory });

    expect(plain).toMatchObject({
      server: "https://[fd00::1]:443",
      namespace: "kube-system",
      tls: { certificateAuthority: { kind: "file", path: join(home.path, "sa/ca.crt") }, insecureSkipVerify: false },
      authentication: { kind: "token-file", path: join(home.path, "sa/token") },
      origin: "in-cluster service account",
    });
    expect(flagged).toMatchObject({
      server: "https://x",
      namespace: "n",
      tls: { insecureSkipVerify: true },
      authentication: { kind: "token", token: "t" },
      impersonation: { user: "jane", groups: ["g"] },
    });
    expect(named.namespace).toBe("mine");
    await expect(home.load({ env, flags: { asUid: "1" }, serviceAccountDirectory })).rejects.toMatchObject({
      code: "InvalidFlag",
    });
  });

  test("a Pod without a token is no service account", async () => {
    home.write(".kube/config", kubeconfig());

    expect((await home.load({ env: pod })).server).toBe("https://api:6443");
  });
});
