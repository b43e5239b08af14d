import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/async/index.ts";
import { createClient, type KubeconfigFlags, loadKubeconfig } from "../../src/kube/index.ts";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";

// Each case runs through kubectl and through the client: the oracle of a kubeconfig's meaning is kubectl.

interface WhoAmI {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface KubectlView {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, unknown>> }[] | null;
  readonly users: readonly { readonly user: Readonly<Record<string, unknown>> }[] | null;
  readonly contexts: readonly { readonly context: { readonly namespace?: string } }[] | null;
}

type Loaded = Awaited<ReturnType<typeof loadKubeconfig>>;

describeWithControlPlane(
  "the client's kubeconfig",
  (plane) => {
    const closers: (() => void)[] = [];

    afterEach(() => {
      for (const close of closers.splice(0)) close();
    });

    function write(name: string, text: string): string {
      const path = join(plane().directory, "kubeconfigs", name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    }

    const caData = (): string => readFileSync(plane().caPath).toString("base64");

    /** A kubeconfig with one context; `cluster` and `user` are further flow-style YAML fields. */
    function kubeconfig(user: string, cluster = `certificate-authority-data: ${caData()}`): string {
      return `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: cl, cluster: {server: "${plane().serverUrl}", ${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: c, context: {cluster: cl, user: u}}]
`;
    }

    const load = (flags: KubeconfigFlags, env: Record<string, string> = {}): Promise<Loaded> =>
      loadKubeconfig({ flags, env: { PATH: process.env.PATH, ...env }, home: plane().directory });

    async function ourWhoAmI(config: Loaded): Promise<WhoAmI> {
      const client = createClient({ config, clock: systemClock });
      closers.push(() => client.close());
      const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
      const answer = await client.raw("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { body });
      return withoutRequestId(JSON.parse(answer.body).status.userInfo);
    }

    async function theirWhoAmI(path: string, args: readonly string[]): Promise<WhoAmI> {
      const { stdout } = await plane().kubectl("auth", "whoami", "-o", "json", ...args, { kubeconfigPath: path });
      return withoutRequestId(JSON.parse(stdout).status.userInfo);
    }

    function withoutRequestId({ extra, ...user }: WhoAmI): WhoAmI {
      const kept = Object.entries(extra ?? {}).filter(
        ([key]) => !key.startsWith("authentication.kubernetes.io/credential"),
      );
      return kept.length === 0 ? user : { ...user, extra: Object.fromEntries(kept) };
    }

    async function kubectlView(kubeconfigPath: string, args: readonly string[]): Promise<KubectlView> {
      const flags = ["config", "view", "--raw", "--flatten", "--minify", "-o", "json", ...args] as const;
      return JSON.parse((await plane().kubectl(...flags, { kubeconfigPath })).stdout);
    }

    describe("identities", () => {
      it.each<[string, () => string, KubeconfigFlags, readonly string[]]>([
        ["a token", () => `token: ${plane().tokenFor("keelson")}`, {}, []],
        ["a token by flag", () => "token: wrong", { token: "T" }, ["--token=T"]],
        ["another user", () => `token: ${plane().tokenFor("admin")}, as: jane`, {}, []],
        [
          "another user with groups, uid and extra fields",
          () =>
            `token: ${plane().tokenFor("admin")}, as: jane, as-uid: "7", as-groups: [a, b c], as-user-extra: {k: [v, w], "Acme.io/Some Key%": [x]}`,
          {},
          [],
        ],
        [
          "another user by flags",
          () => `token: ${plane().tokenFor("admin")}, as: other, as-groups: [a]`,
          { as: "jane", asGroup: ["x", "y"], asUid: "8" },
          ["--as=jane", "--as-group=x", "--as-group=y", "--as-uid=8"],
        ],
      ])("%s is who kubectl is", async (_, user, flags, args) => {
        const token = plane().tokenFor("keelson");
        const path = write("identity", kubeconfig(user()));

        const ours = await ourWhoAmI(await load({ ...flags, kubeconfig: path, ...(flags.token && { token }) }));

        expect(ours).toEqual(
          await theirWhoAmI(
            path,
            args.map((arg) => arg.replace("=T", `=${token}`)),
          ),
        );
      });

      it("a token file is read again when it rotates, and the request that was refused goes through", async () => {
        write("rotating/token", "expired");
        const config = await load({ kubeconfig: write("rotating/config", kubeconfig("tokenFile: token")) });
        await expect(ourWhoAmI(config)).rejects.toMatchObject({ code: "Unauthorized" });
        const client = createClient({ config, clock: systemClock });
        closers.push(() => client.close());
        await expect(client.raw("GET", "/api")).rejects.toMatchObject({ code: "Unauthorized" });

        write("rotating/token", `${plane().tokenFor("keelson")}\n`);

        expect((await client.raw("GET", "/api")).status).toBe(200);
      });

      it("an exec plugin beside the kubeconfig identifies us as it does kubectl", async () => {
        const script = write(
          "plugin/bin/login",
          `#!/bin/sh
test -n "$KUBERNETES_EXEC_INFO" || exit 9
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'"$TOKEN"'"}}'
`,
        );
        chmodSync(script, 0o755);
        const exec = `exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, interactiveMode: IfAvailable, provideClusterInfo: true, env: [{name: TOKEN, value: "${plane().tokenFor("keelson")}"}]}`;
        const path = write("plugin/config", kubeconfig(exec));

        expect(await ourWhoAmI(await load({ kubeconfig: path }))).toEqual(await theirWhoAmI(path, []));
      });

      it("a service account's token, authority and namespace are found in the Pod's folder, and the token rotates", async () => {
        await plane().kubectl("create", "serviceaccount", "robot");
        const tokenOf = async (): Promise<string> => (await plane().kubectl("create", "token", "robot")).stdout.trim();
        const folder = dirname(write("pod/namespace", "kube-system"));
        write("pod/ca.crt", readFileSync(plane().caPath, "utf8"));
        write("pod/token", "expired");
        const config = await loadKubeconfig({
          flags: {},
          env: { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(plane().port) },
          home: "/nowhere",
          serviceAccountDirectory: folder,
        });
        const client = createClient({ config, clock: systemClock });
        closers.push(() => client.close());
        await expect(client.raw("GET", "/api")).rejects.toMatchObject({ code: "Unauthorized" });

        write("pod/token", await tokenOf());
        await eventually("the new token is used", async () => (await client.raw("GET", "/api")).status === 200);

        expect(client.defaultNamespace).toBe("kube-system");
        expect((await ourWhoAmI(config)).username).toBe("system:serviceaccount:default:robot");
      });
    });

    describe("trust", () => {
      it.each<[string, () => string, boolean]>([
        ["an authority inline", () => `certificate-authority-data: ${caData()}`, true],
        ["an authority in a file", () => `certificate-authority: ${plane().caPath}`, true],
        ["no verification", () => "insecure-skip-tls-verify: true", true],
        [
          "a server name that the certificate has",
          () => `certificate-authority: ${plane().caPath}, tls-server-name: kubernetes.default`,
          true,
        ],
        [
          "a server name that it has not",
          () => `certificate-authority: ${plane().caPath}, tls-server-name: other.example`,
          false,
        ],
        ["the system's roots, which do not know it", () => "disable-compression: true", false],
      ])("%s is trusted where kubectl trusts it", async (_, cluster, isTrusted) => {
        const path = write("trust", kubeconfig(`token: ${plane().tokenFor("keelson")}`, cluster()));

        const ours = await ourWhoAmI(await load({ kubeconfig: path })).then(
          () => true,
          (error: unknown) => {
            expect(error).toMatchObject({ code: "Unreachable", disposition: "user" });
            return false;
          },
        );
        const theirs = await theirWhoAmI(path, []).then(
          () => true,
          () => false,
        );

        expect([ours, theirs]).toEqual([isTrusted, isTrusted]);
      });
    });

    describe("flags", () => {
      it.each<[string, (ca: string, server: string) => [KubeconfigFlags, readonly string[]], boolean]>([
        ["none", () => [{}, []], false],
        ["--context", () => [{ context: "good" }, ["--context=good"]], true],
        ["--cluster and --user", () => [{ cluster: "good", user: "good" }, ["--cluster=good", "--user=good"]], true],
        ["--cluster alone, with the wrong user", () => [{ cluster: "good" }, ["--cluster=good"]], false],
        [
          "--server, which clears the server name, and --certificate-authority, which replaces the inline one",
          (certificateAuthority, server) => [
            { user: "good", server, certificateAuthority },
            ["--user=good", `--server=${server}`, `--certificate-authority=${certificateAuthority}`],
          ],
          true,
        ],
        [
          "--server and --insecure-skip-tls-verify, which clears the authority",
          (_, server) => [
            { user: "good", server, insecureSkipTlsVerify: true },
            ["--user=good", `--server=${server}`, "--insecure-skip-tls-verify"],
          ],
          true,
        ],
        [
          "--tls-server-name that the certificate has not",
          () => [{ context: "good", tlsServerName: "no.example" }, ["--context=good", "--tls-server-name=no.example"]],
          false,
        ],
      ])("%s: the request succeeds where kubectl's does", async (_, flagsOf, succeeds) => {
        const [server, ca] = [plane().serverUrl, caData()];
        const wrongCa = Buffer.from("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n").toString("base64");
        const path = write(
          "flags",
          `current-context: bad
clusters:
- {name: bad, cluster: {server: "https://127.0.0.1:1", tls-server-name: other.example, certificate-authority-data: ${wrongCa}}}
- {name: good, cluster: {server: "${server}", certificate-authority-data: ${ca}}}
users: [{name: bad, user: {token: wrong}}, {name: good, user: {token: ${plane().tokenFor("keelson")}}}]
contexts: [{name: bad, context: {cluster: bad, user: bad}}, {name: good, context: {cluster: good, user: good}}]
`,
        );
        const [flags, args] = flagsOf(plane().caPath, server);
        const hasSucceeded = (attempt: Promise<WhoAmI>) =>
          attempt.then(
            ({ username }) => username === "keelson",
            () => false,
          );

        const config = load({ ...flags, kubeconfig: path, requestTimeout: "2s" });
        const ours = await hasSucceeded(config.then(ourWhoAmI));
        const theirs = await hasSucceeded(theirWhoAmI(path, args));

        expect([ours, theirs]).toEqual([succeeds, succeeds]);
      });
    });

    describe("resolution", () => {
      const base64 = (text: string): string => Buffer.from(text).toString("base64");
      const two = (extra = "") => `current-context: a
clusters: [{name: one, cluster: {server: "https://one:1/base/", tls-server-name: n1, certificate-authority-data: ${base64("CA")}}}, {name: two, cluster: {server: "https://two", proxy-url: "http://p:3128"}}]
users: [{name: u, user: {token: t}}, {name: v, user: {username: x, password: "1"}}]
contexts: [{name: a, context: {cluster: one, user: u, namespace: apps}}, {name: b, context: {cluster: two, user: v}}]
${extra}`;

      function summary(config: Loaded): unknown {
        const { authentication: who, tls } = config;
        return {
          server: config.server,
          namespace: config.namespace,
          serverName: tls.serverName,
          ca: tls.certificateAuthority?.kind === "inline" ? base64(tls.certificateAuthority.pem) : undefined,
          proxy: config.proxyUrl,
          token: who.kind === "token" ? who.token : undefined,
          username: who.kind === "basic" ? who.username : undefined,
        };
      }

      function summaryOfView({ clusters, users, contexts }: KubectlView): unknown {
        const cluster = clusters?.[0]?.cluster ?? {};
        const user = users?.[0]?.user ?? {};
        return {
          server: String(cluster.server).replace(/\/$/, ""),
          namespace: contexts?.[0]?.context.namespace ?? "default",
          serverName: cluster["tls-server-name"],
          ca: cluster["certificate-authority-data"],
          proxy: cluster["proxy-url"],
          token: user.token,
          username: user.username,
        };
      }

      it.each<[string, KubeconfigFlags, readonly string[]]>([
        ["nothing", {}, []],
        ["--context", { context: "b" }, ["--context=b"]],
      ])("with %s is kubectl's", async (_, flags, args) => {
        const path = write("two", two());

        const view = await kubectlView(path, args);

        expect(summary(await load({ ...flags, kubeconfig: path }))).toEqual(summaryOfView(view));
      });

      it.each<[string, string, KubeconfigFlags, readonly string[]]>([
        ["a context that does not exist", two(), { context: "x" }, ["--context=x"]],
        ["a current context that does not exist", two().replace("current-context: a", "current-context: x"), {}, []],
        ["a cluster that does not exist", two(), { cluster: "x" }, ["--cluster=x"]],
        ["a user that does not exist", two(), { user: "x" }, ["--user=x"]],
        ["a name twice", two().replace("name: two,", "name: one,"), {}, []],
        ["a token that is a number", two().replace("token: t", "token: 1"), {}, []],
        ["a token that YAML takes for a boolean", two().replace("token: t", "token: yes"), {}, []],
        ["a mapping for a list", two().replace(/users: .*/, "users: {}"), {}, []],
        ["another kind", two("kind: Pod\napiVersion: v1"), {}, []],
        ["no base64", two().replace(base64("CA"), "'*'"), {}, []],
      ])("refuses %s as kubectl does", async (_, text, flags, args) => {
        const path = write("broken", text);

        const theirs = await plane().kubectl("get", "--raw=/api", "--request-timeout=1s", ...args, {
          kubeconfigPath: path,
          check: false,
        });

        expect(theirs.exitCode).not.toBe(0);
        expect(theirs.stderr).not.toMatch(/dial|lookup|refused|timeout/i);
        await expect(load({ ...flags, kubeconfig: path })).rejects.toMatchObject({ code: "InvalidKubeconfig" });
      });
    });

    it("a list in $KUBECONFIG is merged as kubectl merges it", async () => {
      const base64 = (text: string): string => Buffer.from(text).toString("base64");
      const first = write(
        "merge/first",
        `clusters: [{name: one, cluster: {server: "https://first"}}]\nusers: [{name: u, user: {username: x, password: "1"}}]\n`,
      );
      const second = write(
        "merge/deep/second",
        `current-context: a
clusters: [{name: one, cluster: {server: "https://second", tls-server-name: lost}}, {name: two, cluster: {server: "https://two", certificate-authority: ../pki/ca}}]
users: [{name: u, user: {token: lost}}]
contexts: [{name: a, context: {cluster: one, user: u, namespace: second}}, {name: b, context: {cluster: two, user: u}}]
`,
      );
      const third = write(
        "merge/third",
        "current-context: b\ncontexts: [{name: a, context: {cluster: two, user: u, namespace: lost}}]\n",
      );
      write("merge/pki/ca", "CA");
      const KUBECONFIG = [first, "/nowhere", "", second, third, first].join(":");

      const a = await load({}, { KUBECONFIG });
      const b = await load({ context: "b" }, { KUBECONFIG });
      const merged = JSON.parse(
        (await runKubectlWith(KUBECONFIG, ["config", "view", "--raw", "--flatten", "-o", "json"])).stdout,
      );

      const named = (list: readonly { name: string }[], name: string) => list.find((entry) => entry.name === name);
      expect(merged["current-context"]).toBe("a");
      expect(named(merged.clusters, "one")).toEqual({ name: "one", cluster: { server: a.server } });
      expect(named(merged.contexts, "a")).toMatchObject({ context: { cluster: "one", namespace: a.namespace } });
      expect(named(merged.users, "u")).toEqual({ name: "u", user: { username: "x", password: "1" } });
      expect(a.authentication).toEqual({ kind: "basic", username: "x", password: "1" });
      expect(named(merged.clusters, "two")).toMatchObject({ cluster: { "certificate-authority-data": base64("CA") } });
      expect(b.tls.certificateAuthority).toEqual({
        kind: "file",
        path: join(plane().directory, "kubeconfigs/merge/pki/ca"),
      });
    });

    /** kubectl with $KUBECONFIG instead of the fixture's --kubeconfig: an empty one counts as not given. */
    function runKubectlWith(
      list: string,
      args: readonly [string, ...string[]],
    ): ReturnType<ReturnType<typeof plane>["kubectl"]> {
      const before = process.env.KUBECONFIG;
      process.env.KUBECONFIG = list;
      try {
        return plane().kubectl(...args, { kubeconfigPath: "" });
      } finally {
        if (before === undefined) delete process.env.KUBECONFIG;
        else process.env.KUBECONFIG = before;
      }
    }
  },
  { controllerManager: false },
);
