import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock, systemClock } from "../async/index.ts";
import { CertificateFiles, SelfSignedCertificate } from "./certificate.ts";
import { type KeyPair, selfSigned } from "./self-signed.ts";
import { ServerBed, until } from "./server-bed.case.ts";

const bed = new ServerBed();
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keelson-certificate-"));
});

afterEach(async () => {
  await bed.close();
  rmSync(folder, { recursive: true });
});

const DAY_MS = 24 * 3_600_000;

function pairFor(...names: string[]): KeyPair {
  return selfSigned({ names, from: Date.now() - DAY_MS, until: Date.now() + DAY_MS });
}

function write(pair: Partial<KeyPair>): CertificateFiles {
  const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  if (pair.cert !== undefined) writeFileSync(cert, pair.cert);
  if (pair.key !== undefined) writeFileSync(key, pair.key);
  return new CertificateFiles(cert, key);
}

/** The names of the certificate that a server shows, and whether a client that trusts `ca` takes it for localhost. */
function shown(port: number, ca: string): Promise<{ names: string | undefined; isTrusted: boolean }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca, servername: "localhost", rejectUnauthorized: false }, () => {
      resolve({ names: socket.getPeerX509Certificate()?.subjectAltName, isTrusted: socket.authorized });
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

describe("a certificate of our own", () => {
  it("is good for its names and addresses, and for servers alone", () => {
    const names = ["localhost", "node-1.example", "10.1.2.3", "::1", "fd00:10:96::a", "::ffff:1.2.3.4"];
    const certificate = new X509Certificate(pairFor(...names).cert);

    for (const name of ["localhost", "node-1.example"]) expect(certificate.checkHost(name)).toBe(name);
    for (const address of ["10.1.2.3", "::1", "fd00:10:96::a"]) expect(certificate.checkIP(address)).toBe(address);
    expect(certificate.subjectAltName).toContain("IP Address:0:0:0:0:0:FFFF:102:304");
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkHost("evil.example")).toBeUndefined();
  });

  it.each([
    [Date.UTC(2030, 0, 1), "Jan  1 00:00:00 2030 GMT"],
    [Date.UTC(2051, 5, 30, 12), "Jun 30 12:00:00 2051 GMT"],
  ])("ends when it says", (until, text) => {
    const { cert } = selfSigned({ names: ["localhost"], from: Date.UTC(2029, 0, 1), until });

    expect(new X509Certificate(cert).validTo).toBe(text);
  });

  it("is made once, and anew a month before its end", () => {
    const clock = new ManualClock(Date.UTC(2030, 0, 1));
    const source = new SelfSignedCertificate(["localhost"], clock);
    const first = source.current();
    expect(source.current()).toBe(first);

    clock.jump(336 * DAY_MS);
    const second = source.current();

    expect(second).not.toBe(first);
    expect(new X509Certificate(second.cert).validTo).toContain("2031");
  });
});

describe("certificate files", () => {
  it("are the same object until they change", () => {
    const source = write(pairFor("a.example"));
    const first = source.current();
    expect(source.current()).toBe(first);

    write(pairFor("b.example"));

    expect(source.current().cert).not.toBe(first.cert);
  });

  it("are refused, with their names, where they do not belong together or cannot be read", () => {
    const { key } = pairFor("other.example");
    expect(() => write({ ...pairFor("a.example"), key }).current()).toThrow(/tls\.crt.*tls\.key: no certificate with/);
    expect(() => new CertificateFiles(join(folder, "none"), join(folder, "tls.key")).current()).toThrow(/ENOENT.*none/);
  });
});

describe("a server with a certificate", () => {
  it("speaks TLS alone, with its probes open", async () => {
    const certificate = new SelfSignedCertificate(["localhost"], systemClock);
    const routes = [{ path: "/livez", access: "open", respond: () => ({ status: 200, body: "ok" }) } as const];
    const { port, lines } = await bed.serve({ certificate, routes });

    const body = await new Promise<string>((resolve, reject) => {
      const { cert } = certificate.current();
      const options = { host: "127.0.0.1", port, path: "/livez", ca: cert, servername: "localhost", agent: false };
      const headers = { host: "localhost" };
      request({ ...options, headers }, (response) => {
        response.on("data", (part: Buffer) => resolve(`${response.statusCode} ${part}`));
      })
        .on("error", reject)
        .end();
    });

    expect(body).toBe("200 ok");
    expect(lines.at(-1)).toContain("Serving HTTPS");
    const plain = await bed.open(port);
    const answer: Buffer[] = [];
    plain.on("data", (part: Buffer) => answer.push(part));
    plain.on("error", () => {});
    plain.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await until(() => (plain.closed ? true : undefined));
    expect(Buffer.concat(answer).toString()).not.toContain("200");
  });

  it("takes a renewed certificate without a restart, and not before both files belong together", async () => {
    const clock = new ManualClock();
    const [before, after] = [pairFor("localhost", "before.example"), pairFor("localhost", "after.example")];
    const certificate = write(before);
    const { port, lines } = await bed.serve({ certificate, clock });
    expect(await shown(port, before.cert)).toMatchObject({ isTrusted: true });

    write({ cert: after.cert });
    await clock.advance(10_000);
    expect((await shown(port, before.cert)).names).toContain("before.example");
    write({ key: after.key });
    await clock.advance(10_000);

    expect(await shown(port, after.cert)).toEqual({ names: "DNS:localhost, DNS:after.example", isTrusted: true });
    expect(lines.filter((line) => line.startsWith("WRN"))).toHaveLength(1);
  });

  it("warns of a certificate that is not there, and serves when it is", async () => {
    const clock = new ManualClock();
    const certificate = write({});
    const serving = bed.serve({ certificate, clock });
    await clock.advance(1_000);
    const pair = pairFor("localhost");
    write(pair);

    await clock.advance(5_000);
    const { port, lines } = await serving;

    expect((await shown(port, pair.cert)).isTrusted).toBe(true);
    expect(lines[0]).toMatch(/^WRN.*ENOENT/);
  });

  it("counts TLS connections that say nothing among those that make room", async () => {
    const certificate = new SelfSignedCertificate(["localhost"], systemClock);
    const { port } = await bed.serve({ certificate, maxConnections: 4 });
    const idle: Socket[] = [];
    for (let i = 0; i < 10; i++) idle.push(await bed.open(port));
    for (const socket of idle) socket.on("error", () => {}).resume();

    expect((await shown(port, certificate.current().cert)).isTrusted).toBe(true);

    await until(() => (idle[0]?.destroyed === true ? true : undefined));
  });
});
