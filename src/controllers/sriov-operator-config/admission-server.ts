import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { createSecureContext } from "node:tls";
import type { Clock } from "../../async/index.ts";
import { isAborted, KeelsonError, messageOf } from "../../errors/index.ts";
import type { Logger } from "../../log/index.ts";
import { answerReview, type Reviewer } from "./admission-review.ts";

/** What {@link serveAdmission} needs. */
export interface AdmissionServerOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly certFile: string;
  readonly keyFile: string;
  readonly reviewers: Readonly<Record<string, Reviewer>>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with the port once it is served. */
  readonly onListening?: (port: number) => void;
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** How often the certificate's files are looked at; they come by volumes whose notifications are not to be relied on. */
const LOOK_EVERY_MS = 1_000;
/** The API server's own limit of a request is 3 MiB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/**
 * Serves reviews over HTTPS until `signal` fires. A certificate that is renewed is taken without a restart, once both of
 * its files belong together.
 *
 * @throws KeelsonError Unreadable where the certificate cannot be used at the start, or the port cannot be had
 */
export async function serveAdmission(options: AdmissionServerOptions, signal: AbortSignal): Promise<void> {
  const first = readPair(options);
  const server = createServer({ ...first, minVersion: "TLSv1.2" }, (request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.log.error(`${request.url ?? ""}: ${messageOf(error)}`);
      send(response, 500, "internal error\n");
    });
  });
  server.setTimeout(TIMEOUT_MS, (socket) => socket.destroy());
  await listen(server, options);
  const closed = new Promise<void>((resolve) => {
    server.once("close", resolve);
  });
  const watching = watchPair(server, first, { ...options, signal });
  try {
    await watching;
  } catch (error) {
    if (!isAborted(error)) throw error;
  } finally {
    server.close();
    server.closeIdleConnections();
  }
  await closed;
}

async function watchPair(
  server: Server,
  first: Pair,
  options: AdmissionServerOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const { clock, log, signal } = options;
  let current = first;
  for (;;) {
    await clock.sleep(LOOK_EVERY_MS, signal);
    try {
      const pair = readPair(options);
      // A key that is newer than its certificate belongs to one that is still to come.
      if (pair.cert === current.cert || pair.key === current.key) continue;
      createSecureContext(pair);
      server.setSecureContext(pair);
      current = pair;
      log.info("The certificate was renewed");
    } catch (error) {
      log.debug(`the certificate's files cannot be used now: ${messageOf(error)}`);
    }
  }
}

function readPair({ certFile, keyFile }: Pick<AdmissionServerOptions, "certFile" | "keyFile">): Pair {
  const read = (file: string): string => {
    try {
      return readFileSync(file, "utf8");
    } catch (error) {
      throw new KeelsonError("Unreadable", `${file}: ${messageOf(error)}`, { object: file, cause: error });
    }
  };
  return { cert: read(certFile), key: read(keyFile) };
}

function listen(server: Server, { port, log, onListening }: AdmissionServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(new KeelsonError("Unreadable", `port ${port} cannot be served: ${messageOf(error)}`, { cause: error }));
    });
    server.listen(port, () => {
      const { port: actual } = server.address() as AddressInfo;
      log.info(`Serving admission reviews on port ${actual}`);
      onListening?.(actual);
      resolve();
    });
  });
}

async function answer(
  options: AdmissionServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?", 1);
  if (path === "/readyz") return send(response, 200, "ok");
  const reviewer = Object.hasOwn(options.reviewers, path) ? options.reviewers[path] : undefined;
  if (reviewer === undefined) return send(response, 404, "not found\n");
  if (request.headers["content-type"] !== "application/json") {
    options.log.error(
      `${path}: content type "${request.headers["content-type"] ?? ""}" where application/json is expected`,
    );
    return send(response, 200, "");
  }
  const body = request.method === "POST" ? await readBody(request) : undefined;
  if (body === undefined) return send(response, request.method === "POST" ? 413 : 405, "a review is a POST\n");
  const review = await answerReview(body, reviewer);
  if (review === undefined) return send(response, 400, "no AdmissionReview of admission.k8s.io/v1\n");
  response.setHeader("Content-Type", "application/json");
  send(response, 200, JSON.stringify(review));
}

/** Undefined where it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, body: string): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}
