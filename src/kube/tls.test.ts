import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLoopbackCertificate } from "../../test/control-plane/certificate.ts";
import { ManualClock } from "../async/index.ts";
import type { TlsSettings } from "./cluster-config.ts";
import {
  clientFor,
  configMap,
  configMaps,
  type Received,
  respond,
  startServer,
  type TestServer,
} from "./test-server.case.ts";

const x = { namespace: "default", name: "x" };
const { key, certificate } = createLoopbackCertificate();
const trusted: TlsSettings = { certificateAuthority: { kind: "inline", pem: certificate }, insecureSkipVerify: false };

function startTlsServer(options: { requestCert?: boolean } = {}): Promise<TestServer> {
  return startServer((_, response) => respond(response, 200, configMap("x")), {
    tls: { key, cert: certificate, rejectUnauthorized: false, ...options },
  });
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "keelson-tls-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

function socketOf(request: Received | undefined): TLSSocket {
  return request?.raw.socket as TLSSocket;
}

describe("TLS", () => {
  test("trusts the given authority", async () => {
    const server = await startTlsServer();

    await clientFor(server.url, { config: { tls: trusted } }).get(configMaps, x);

    expect(server.requests.length).toBe(1);
  });

  test("refuses an unknown authority at once, as the user's business", async () => {
    const server = await startTlsServer();
    const other = createLoopbackCertificate().certificate;
    const tls: TlsSettings = { ...trusted, certificateAuthority: { kind: "inline", pem: other } };

    const result = clientFor(server.url, { config: { tls } }).get(configMaps, x);

    await expect(result).rejects.toMatchObject({
      code: "Unreachable",
      disposition: "user",
      message: expect.stringContaining("check the certificate authority"),
    });
    expect(server.requests).toEqual([]);
  });

  test("does not verify where told so", async () => {
    const server = await startTlsServer();

    await clientFor(server.url, { config: { tls: { insecureSkipVerify: true } } }).get(configMaps, x);

    expect(server.requests.length).toBe(1);
  });

  test("expects tls-server-name in the certificate, and asks for it by SNI", async () => {
    const server = await startTlsServer();
    const withName = (serverName: string) =>
      clientFor(server.url, { config: { tls: { ...trusted, serverName } } }).get(configMaps, x);

    await withName("localhost");
    const refused = withName("kubernetes.default");

    await expect(refused).rejects.toMatchObject({ code: "Unreachable", disposition: "user" });
    expect(server.requests.length).toBe(1);
    expect(Reflect.get(socketOf(server.requests[0]), "servername")).toBe("localhost");
  });

  test("shows its certificate, from files that may rotate", async () => {
    const server = await startTlsServer({ requestCert: true });
    const directory = temporaryDirectory();
    const write = (pair: { key: string; certificate: string }) => {
      writeFileSync(join(directory, "tls.crt"), pair.certificate);
      writeFileSync(join(directory, "tls.key"), pair.key);
    };
    const [before, after] = [createLoopbackCertificate(), createLoopbackCertificate()];
    write(before);
    const clock = new ManualClock();
    const tls: TlsSettings = {
      ...trusted,
      clientCertificate: { kind: "file", path: join(directory, "tls.crt") },
      clientKey: { kind: "file", path: join(directory, "tls.key") },
    };
    const client = clientFor(server.url, { clock, config: { tls } });
    const shown = () => socketOf(server.requests.at(-1)).getPeerX509Certificate()?.toString();

    await client.get(configMaps, x);
    const first = shown();
    write(after);
    await client.get(configMaps, x);
    const soon = shown();
    await clock.advance(60_000);
    await client.get(configMaps, x);

    expect([first, soon, shown()]).toEqual([before.certificate, before.certificate, after.certificate]);
  });

  test("keeps the last good certificate while a file is missing in the middle of a rotation", async () => {
    const server = await startTlsServer();
    const directory = temporaryDirectory();
    const path = join(directory, "ca.crt");
    writeFileSync(path, certificate);
    const clock = new ManualClock();
    const tls: TlsSettings = { certificateAuthority: { kind: "file", path }, insecureSkipVerify: false };
    const client = clientFor(server.url, { clock, config: { tls } });
    await client.get(configMaps, x);
    rmSync(path);

    await clock.advance(120_000);
    await client.get(configMaps, x);

    expect(server.requests.length).toBe(2);
  });

  test("a new connection resumes the TLS session of the one before", async () => {
    const server = await startTlsServer();
    const client = clientFor(server.url, { config: { tls: trusted } });
    await client.get(configMaps, x);
    server.cut();

    await client.get(configMaps, x);

    expect(server.connections()).toBe(2);
    expect(socketOf(server.requests[1]).isSessionReused()).toBe(true);
  });

  test.each([
    ["an authority without a certificate", { certificateAuthority: { kind: "inline", pem: "nothing" } }],
    [
      "a key that is none",
      { clientCertificate: { kind: "inline", pem: certificate }, clientKey: { kind: "inline", pem: "x" } },
    ],
    ["a file that is not there", { clientCertificate: { kind: "file", path: "/nowhere/tls.crt" } }],
  ] as const)("names %s as an error of the kubeconfig", async (_, settings) => {
    const server = await startTlsServer();

    const result = clientFor(server.url, { config: { tls: { ...trusted, ...settings } } }).get(configMaps, x);

    await expect(result).rejects.toMatchObject({ code: "InvalidKubeconfig" });
  });
});

interface Proxy {
  readonly url: string;
  readonly tunnels: readonly { readonly target: string; readonly authorization: string | undefined }[];
}

/** A CONNECT proxy on loopback that answers with `code`. */
async function startProxy(code = 200): Promise<Proxy> {
  const tunnels: { target: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  const server = createHttpServer();
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    sockets.add(socket);
    tunnels.push({ target: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    socket.on("error", () => {});
    if (code !== 200) {
      socket.end(`HTTP/1.1 ${code} No\r\n\r\n`);
      return;
    }
    const [host, port] = (request.url ?? "").split(":");
    const upstream = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(upstream).pipe(socket);
    });
    sockets.add(upstream);
    upstream.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tunnels };
}

describe("a CONNECT proxy", () => {
  test.each(["https", "http"])("carries requests to an %s server", async (scheme) => {
    const server =
      scheme === "https"
        ? await startTlsServer()
        : await startServer((_, response) => respond(response, 200, configMap("x")));
    const proxy = await startProxy();
    const proxyUrl = proxy.url.replace("//", "//jane:s%20ecret@");
    const client = clientFor(server.url, { config: { tls: trusted, proxyUrl } });

    await client.get(configMaps, x);
    await client.get(configMaps, x);

    expect(server.requests.length).toBe(2);
    expect(proxy.tunnels).toEqual([
      {
        target: `127.0.0.1:${server.port}`,
        authorization: `Basic ${Buffer.from("jane:s ecret").toString("base64")}`,
      },
    ]);
  });

  test("that refuses is named, as the user's business where it wants a password", async () => {
    const server = await startTlsServer();
    const proxy = await startProxy(407);

    const result = clientFor(server.url, { config: { tls: trusted, proxyUrl: proxy.url } }).get(configMaps, x);

    await expect(result).rejects.toMatchObject({
      code: "Unreachable",
      disposition: "user",
      message: expect.stringContaining("refuses the tunnel: HTTP 407"),
    });
    expect(server.requests).toEqual([]);
  });

  test("that is not there is named, and tried again until the request timeout", async () => {
    const server = await startTlsServer();
    const client = clientFor(server.url, {
      config: { tls: trusted, proxyUrl: "http://127.0.0.1:1", requestTimeoutMs: 400 },
    });

    await expect(client.get(configMaps, x)).rejects.toMatchObject({
      code: "Unreachable",
      disposition: "transient",
      message: expect.stringContaining("proxy 127.0.0.1:1"),
    });
  });
});
