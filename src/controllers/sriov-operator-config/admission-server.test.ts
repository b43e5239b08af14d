import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type PeerCertificate } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { createLoopbackCertificate } from "../../../test/control-plane/certificate.ts";
import { systemClock } from "../../async/index.ts";
import { silentLogger } from "../../log/index.ts";
import { serveAdmission } from "./admission-server.ts";

interface Served {
  readonly port: number;
  readonly renew: () => void;
  readonly ended: Promise<void>;
  readonly stop: () => void;
}

async function serve(): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), "keelson-webhook-"));
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const renew = (): void => {
    const { certificate, key } = createLoopbackCertificate();
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, key);
  };
  renew();
  const stop = new AbortController();
  onTestFinished(() => {
    stop.abort();
    rmSync(folder, { recursive: true, force: true });
  });
  return new Promise((resolve, reject) => {
    const ended = serveAdmission(
      {
        port: 0,
        certFile,
        keyFile,
        clock: systemClock,
        log: silentLogger,
        reviewers: { "/review": async ({ object }) => ({ kind: "denied", reason: `no ${object.metadata.name}` }) },
        onListening: (port) => resolve({ port, renew, ended, stop: () => stop.abort() }),
      },
      stop.signal,
    );
    ended.catch(reject);
  });
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function send(port: number, path: string, body?: string, contentType = "application/json"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: "127.0.0.1",
        port,
        path,
        method: body === undefined ? "GET" : "POST",
        rejectUnauthorized: false,
        agent: false,
        headers: { "content-type": contentType },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

function certificateOf(port: number): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

const REVIEW = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "1", operation: "CREATE", kind: { kind: "X" }, object: { metadata: { name: "x" } } },
});

it("answers reviews, and refuses what is none", async () => {
  const { port } = await serve();

  const answer = await send(port, "/review?timeout=10s", REVIEW);
  expect(JSON.parse(answer.body)).toMatchObject({ response: { uid: "1", allowed: false, status: { reason: "no x" } } });
  expect(await send(port, "/review", "{}")).toMatchObject({ status: 400 });
  expect(await send(port, "/review", REVIEW, "text/plain")).toEqual({ status: 200, body: "" });
  expect(await send(port, "/other", REVIEW)).toMatchObject({ status: 404 });
  expect(await send(port, "/readyz")).toEqual({ status: 200, body: "ok" });
});

it("takes a renewed certificate without a restart", async () => {
  const { port, renew } = await serve();
  const before = await certificateOf(port);
  renew();

  await expect
    .poll(async () => (await certificateOf(port)).serialNumber, { timeout: 10_000 })
    .not.toBe(before.serialNumber);
});

it("ends in good order", async () => {
  const { port, ended, stop } = await serve();
  await send(port, "/readyz");
  stop();

  await expect(ended).resolves.toBeUndefined();
});
