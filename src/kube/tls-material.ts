import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Clock } from "../async/index.ts";
import { KeelsonError, messageOf } from "../errors/index.ts";
import type { PemSource, TlsSettings } from "./cluster-config.ts";
import type { Credential } from "./credentials.ts";

/** Certificate files rotate rarely, and the old ones stay valid a while. */
const recheckMs = 60_000;

/** Where distributions keep their roots. Node brings roots of its own, which lack what administrators have added. */
const systemRoots = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

interface Pems {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/**
 * The one SecureContext that all sockets of a client share (each would otherwise hold the parsed roots), made anew only
 * when a certificate has changed.
 */
export class TlsMaterial {
  readonly #settings: TlsSettings;
  readonly #clock: Clock;
  #pems: Pems | undefined;
  #context: SecureContext | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<Pems> | undefined;
  #usedCertificate: Credential["certificate"];

  constructor(settings: TlsSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /**
   * The context for a connection; the same object until something has changed. `certificate` is an exec plugin's.
   *
   * @throws KeelsonError InvalidKubeconfig where a file cannot be read or holds no PEM, and no good one was read before
   */
  async context(certificate: Credential["certificate"]): Promise<SecureContext> {
    const pems = await this.#currentPems();
    if (this.#context !== undefined && pems === this.#pems && certificate === this.#usedCertificate)
      return this.#context;
    const context = buildContext({ ...pems, ...certificate });
    this.#pems = pems;
    this.#context = context;
    this.#usedCertificate = certificate;
    return context;
  }

  /** The next connection looks at the files again: the server has refused, or is not recognised. */
  expire(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  async #currentPems(): Promise<Pems> {
    if (this.#pems !== undefined && this.#clock.monotonic() - this.#checkedAt < recheckMs) return this.#pems;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<Pems> {
    try {
      const read = await readPems(this.#settings);
      this.#checkedAt = this.#clock.monotonic();
      const known = this.#pems;
      const isSame = known?.ca === read.ca && known?.cert === read.cert && known?.key === read.key;
      return known !== undefined && isSame ? known : read;
    } catch (error) {
      // In the middle of a rotation a file may be missing; the last good ones go on.
      if (this.#pems !== undefined) return this.#pems;
      throw error;
    }
  }
}

async function readPems(settings: TlsSettings): Promise<Pems> {
  const [ca, cert, key] = await Promise.all([
    settings.insecureSkipVerify ? undefined : readAuthority(settings.certificateAuthority),
    readPem(settings.clientCertificate, "client-certificate"),
    readPem(settings.clientKey, "client-key"),
  ]);
  return { ca, cert, key };
}

async function readAuthority(source: PemSource | undefined): Promise<string | undefined> {
  if (source === undefined) return readSystemRoots();
  const pem = await readPem(source, "certificate-authority");
  // OpenSSL takes text without any certificate for an empty set of roots, and would then trust nobody.
  if (pem?.includes("-----BEGIN CERTIFICATE-----")) return pem;
  throw new KeelsonError("InvalidKubeconfig", `certificate-authority${placeOf(source)}: holds no PEM certificate`);
}

async function readSystemRoots(): Promise<string | undefined> {
  for (const path of systemRoots) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

async function readPem(source: PemSource | undefined, what: string): Promise<string | undefined> {
  if (source === undefined) return undefined;
  if (source.kind === "inline") return source.pem;
  try {
    return await readFile(source.path, "utf8");
  } catch (error) {
    throw new KeelsonError("InvalidKubeconfig", `${what}: ${messageOf(error)}`, { cause: error });
  }
}

function placeOf(source: PemSource): string {
  return source.kind === "file" ? ` ${source.path}` : "-data";
}

function buildContext({ ca, cert, key }: Pems): SecureContext {
  try {
    return createSecureContext({
      minVersion: "TLSv1.2",
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    });
  } catch (error) {
    throw new KeelsonError(
      "InvalidKubeconfig",
      `client certificate or key, or certificate authority: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}
