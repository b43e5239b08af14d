import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLoopbackCertificate } from "../../test/control-plane/certificate.ts";
import { ManualClock } from "../async/index.ts";
import type { ExecPlugin } from "./cluster-config.ts";
import { createCredentialSource } from "./credentials.ts";
import { clientFor, configMap, configMaps, respond, startServer, status, until } from "./test-server.case.ts";

const x = { namespace: "default", name: "x" };
const apiVersion = "client.authentication.k8s.io/v1";

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "keelson-credentials-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

interface Script {
  readonly plugin: ExecPlugin;
  /** How often it was started. */
  readonly runs: () => number;
  readonly directory: string;
}

/** A plugin that runs `body` as a shell script; $N is the number of the run. */
function writePlugin(body: string, overrides: Partial<ExecPlugin> = {}): Script {
  const directory = temporaryDirectory();
  const command = join(directory, "plugin");
  const log = join(directory, "runs");
  writeFileSync(command, `#!/bin/sh\necho run >> "${log}"\nN=$(wc -l < "${log}" | tr -d ' ')\n${body}\n`);
  chmodSync(command, 0o755);
  const runs = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0);
  const plugin: ExecPlugin = {
    apiVersion,
    command,
    args: [],
    env: process.env,
    interactiveMode: "Never",
    ...overrides,
  };
  return { plugin, runs, directory };
}

function credential(statusFields: Record<string, unknown>): string {
  return `cat <<END\n${JSON.stringify({ apiVersion, kind: "ExecCredential", status: statusFields })}\nEND`;
}

describe("fixed credentials", () => {
  test.each([
    [{ kind: "none" }, undefined],
    [{ kind: "token", token: "t" }, "Bearer t"],
    [{ kind: "basic", username: "ü", password: "p:q" }, `Basic ${Buffer.from("ü:p:q").toString("base64")}`],
  ] as const)("%o give %o, and cannot be renewed", async (authentication, authorization) => {
    const source = createCredentialSource(authentication, new ManualClock());

    const used = await source.current();

    expect(used.authorization).toBe(authorization);
    expect(await source.renew(used)).toBe(false);
  });

  test("a refused token is told at once", async () => {
    const server = await startServer((_, response) => respond(response, 401, status(401)));
    const client = clientFor(server.url, { config: { authentication: { kind: "token", token: "t" } } });

    await expect(client.get(configMaps, x)).rejects.toMatchObject({ code: "Unauthorized" });

    expect(server.requests.length).toBe(1);
  });
});

describe("a token file", () => {
  function writeToken(token: string): string {
    const path = join(temporaryDirectory(), "token");
    writeFileSync(path, token);
    return path;
  }

  test("is read again after a minute", async () => {
    const path = writeToken("one\n");
    const clock = new ManualClock();
    const source = createCredentialSource({ kind: "token-file", path }, clock);
    const authorization = async () => (await source.current()).authorization;

    const first = await authorization();
    writeFileSync(path, "two");
    const soon = await authorization();
    await clock.advance(60_000);

    expect([first, soon, await authorization()]).toEqual(["Bearer one", "Bearer one", "Bearer two"]);
  });

  test("is read again on 401, and the request repeated once", async () => {
    const path = writeToken("old");
    const server = await startServer(({ headers }, response) =>
      headers.authorization === "Bearer new"
        ? respond(response, 200, configMap("x"))
        : respond(response, 401, status(401)),
    );
    const client = clientFor(server.url, { config: { authentication: { kind: "token-file", path } } });
    await expect(client.get(configMaps, x)).rejects.toMatchObject({ code: "Unauthorized" });
    writeFileSync(path, "new");

    await client.create(configMaps, x, "{}", { fieldManager: "keelson" });

    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer old",
      "Bearer old",
      "Bearer new",
    ]);
  });

  test("that goes away leaves the last token in force", async () => {
    const path = writeToken("one");
    const clock = new ManualClock();
    const source = createCredentialSource({ kind: "token-file", path }, clock);
    await source.current();
    rmSync(path);

    await clock.advance(120_000);

    expect((await source.current()).authorization).toBe("Bearer one");
  });

  test("that was never there is told, unless a token stands beside it", async () => {
    const clock = new ManualClock();
    const path = "/nowhere/token";

    const alone = createCredentialSource({ kind: "token-file", path }, clock).current();
    const beside = createCredentialSource({ kind: "token-file", path, fallback: "f" }, clock).current();

    await expect(alone).rejects.toMatchObject({ code: "Unreadable", message: expect.stringContaining(path) });
    expect((await beside).authorization).toBe("Bearer f");
  });
});

describe("an exec plugin", () => {
  test("gets KUBERNETES_EXEC_INFO, its arguments and its environment, and runs once for many callers", async () => {
    const { plugin, runs, directory } = writePlugin(
      `printf '%s' "$KUBERNETES_EXEC_INFO" > "$OUT/info"; echo "$1 $EXTRA" > "$OUT/args"\n${credential({ token: "t" })}`,
      { args: ["get-token"], cluster: { server: "https://api", config: { audience: "a" } } },
    );
    const source = createCredentialSource(
      { kind: "exec", plugin: { ...plugin, env: { ...process.env, EXTRA: "e", OUT: directory } } },
      new ManualClock(),
    );

    const credentials = await Promise.all([source.current(), source.current(), source.current()]);
    await source.current();

    expect(credentials.map(({ authorization }) => authorization)).toEqual(["Bearer t", "Bearer t", "Bearer t"]);
    expect(runs()).toBe(1);
    expect(readFileSync(join(directory, "args"), "utf8")).toBe("get-token e\n");
    expect(JSON.parse(readFileSync(join(directory, "info"), "utf8"))).toEqual({
      kind: "ExecCredential",
      apiVersion,
      spec: { interactive: false, cluster: { server: "https://api", config: { audience: "a" } } },
    });
  });

  test("is renewed in the background before its credential expires, and waited for afterwards", async () => {
    const clock = new ManualClock(Date.parse("2030-01-01T00:00:00Z"));
    const { plugin, runs } = writePlugin(
      `case $N in 1) T=2030-01-01T00:10:00Z;; *) T=2030-01-01T00:20:00Z;; esac
echo "{\\"apiVersion\\":\\"${apiVersion}\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"t$N\\",\\"expirationTimestamp\\":\\"$T\\"}}"`,
    );
    const source = createCredentialSource({ kind: "exec", plugin }, clock);
    const authorization = async () => (await source.current()).authorization;

    const first = await authorization();
    await clock.advance(8 * 60_000);
    const early = await authorization();
    const runsEarly = runs();
    await clock.advance(70_000);
    const late = await authorization();
    await until("the renewal has run", () => runs() === 2);
    let renewed = late;
    while (renewed === "Bearer t1") {
      await new Promise((resolve) => setTimeout(resolve, 5));
      renewed = await authorization();
    }
    await clock.advance(12 * 60_000);
    const afterExpiry = await authorization();

    expect([first, early, runsEarly, late, renewed, afterExpiry]).toEqual([
      "Bearer t1",
      "Bearer t1",
      1,
      "Bearer t1",
      "Bearer t2",
      "Bearer t3",
    ]);
  });

  test("runs again on 401, once for all requests that were refused, and not for every refusal", async () => {
    const { plugin, runs } = writePlugin(
      `echo "{\\"apiVersion\\":\\"${apiVersion}\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"t$N\\"}}"`,
    );
    let accepted = "Bearer t2";
    const server = await startServer(({ headers }, response) =>
      headers.authorization === accepted ? respond(response, 200, configMap("x")) : respond(response, 401, status(401)),
    );
    const client = clientFor(server.url, { config: { authentication: { kind: "exec", plugin } } });

    await Promise.all(Array.from({ length: 5 }, () => client.get(configMaps, x)));
    const afterBurst = runs();
    accepted = "none";
    const refused = await Promise.allSettled(Array.from({ length: 5 }, () => client.get(configMaps, x)));

    expect(afterBurst).toBe(2);
    expect(refused.map((outcome) => outcome.status)).toEqual(Array(5).fill("rejected"));
    expect(runs()).toBe(2);
  });

  test("may hand out a client certificate", async () => {
    const pair = createLoopbackCertificate();
    const { key, certificate } = createLoopbackCertificate();
    const server = await startServer((_, response) => respond(response, 200, configMap("x")), {
      tls: { key, cert: certificate, requestCert: true, rejectUnauthorized: false },
    });
    const { plugin } = writePlugin(
      credential({ clientCertificateData: pair.certificate, clientKeyData: pair.key }).replace("<<END", "<<'END'"),
    );
    const tls = { certificateAuthority: { kind: "inline", pem: certificate }, insecureSkipVerify: false } as const;
    const client = clientFor(server.url, { config: { tls, authentication: { kind: "exec", plugin } } });

    await client.get(configMaps, x);

    const socket = server.requests[0]?.raw.socket as import("node:tls").TLSSocket;
    expect(socket.getPeerX509Certificate()?.toString()).toBe(pair.certificate);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test.each([
    ["fails", "echo 'no session' >&2; exit 3", {}, "failed with exit code 3: no session"],
    ["prints no JSON", "echo secret-token", {}, "did not print an ExecCredential in JSON"],
    ["prints another kind", `echo '{"kind":"X"}'`, {}, "answered with undefined X"],
    [
      "prints another version",
      credential({ token: "t" }),
      { apiVersion: "client.authentication.k8s.io/v1beta1" },
      "v1beta1 ExecCredential",
    ],
    ["prints no credential", credential({}), {}, "returned neither token nor certificate"],
    ["prints half a key pair", credential({ clientKeyData: "k" }), {}, "returned a certificate or key alone"],
    [
      "prints a malformed expiry",
      credential({ token: "t", expirationTimestamp: "soon" }),
      {},
      "malformed expirationTimestamp",
    ],
    ["wants a terminal", credential({ token: "t" }), { interactiveMode: "Always" as const }, "asks for a terminal"],
    [
      "is missing",
      "",
      { command: "/nowhere/plugin", installHint: "get it \u001b[31mthere" },
      "is not installed: get it [31mthere",
    ],
    ["cannot be run", "", { command: "/" }, "cannot be started"],
  ])("that %s is named with the reason", async (_, body, overrides, message) => {
    const { plugin } = writePlugin(body, overrides);

    const result = createCredentialSource({ kind: "exec", plugin }, new ManualClock()).current();

    await expect(result).rejects.toMatchObject({ code: "CredentialPlugin", message: expect.stringContaining(message) });
    await expect(result).rejects.not.toMatchObject({ message: expect.stringContaining("secret-token") });
  });

  test("that hangs is killed after a minute", async () => {
    const { plugin, runs } = writePlugin("sleep 1000");
    const clock = new ManualClock();
    const result = createCredentialSource({ kind: "exec", plugin }, clock).current();
    const outcome = expect(result).rejects.toMatchObject({
      message: expect.stringContaining("gave no answer in 60 s"),
    });
    await until("it has started", () => runs() === 1);

    await clock.advance(60_000);

    await outcome;
  });

  test("that fails is not run again for every request", async () => {
    const { plugin, runs } = writePlugin("exit 1");
    const clock = new ManualClock();
    const source = createCredentialSource({ kind: "exec", plugin }, clock);

    await expect(source.current()).rejects.toThrow();
    await expect(source.current()).rejects.toThrow();
    const soon = runs();
    await clock.advance(5_000);
    await expect(source.current()).rejects.toThrow();

    expect([soon, runs()]).toEqual([1, 2]);
  });
});
