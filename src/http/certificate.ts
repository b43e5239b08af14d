import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Clock } from "../async/index.ts";
import { KeelsonError, messageOf } from "../errors/index.ts";
import { type KeyPair, selfSigned } from "./self-signed.ts";

/** Where a server's certificate comes from. */
export interface CertificateSource {
  /** The certificate of now; the same object until it has changed. @throws KeelsonError Unreadable where there is none */
  current(): KeyPair;
}

/** Files that somebody renews: read again whenever asked, taken once certificate and key belong together. */
export class CertificateFiles implements CertificateSource {
  readonly #certFile: string;
  readonly #keyFile: string;
  #pair: KeyPair | undefined;

  constructor(certFile: string, keyFile: string) {
    this.#certFile = certFile;
    this.#keyFile = keyFile;
  }

  current(): KeyPair {
    const pair = { cert: read(this.#certFile), key: read(this.#keyFile) };
    if (pair.cert === this.#pair?.cert && pair.key === this.#pair.key) return this.#pair;
    try {
      // Throws where they do not belong together: in the middle of a renewal one of them is still the old one.
      createSecureContext(pair);
    } catch (error) {
      const message = `${this.#certFile}, ${this.#keyFile}: no certificate with its key: ${messageOf(error)}`;
      throw new KeelsonError("Unreadable", message, { object: this.#certFile, cause: error });
    }
    this.#pair = pair;
    return pair;
  }
}

const DAY_MS = 24 * 3_600_000;
const VALID_MS = 365 * DAY_MS;
const RENEW_MS = 30 * DAY_MS;

/** A certificate that we make ourselves, in memory, anew before it ends. */
export class SelfSignedCertificate implements CertificateSource {
  readonly #names: readonly string[];
  readonly #clock: Clock;
  #made: { readonly pair: KeyPair; readonly until: number } | undefined;

  constructor(names: readonly string[], clock: Clock) {
    this.#names = names;
    this.#clock = clock;
  }

  current(): KeyPair {
    const now = this.#clock.now();
    if (this.#made === undefined || now > this.#made.until - RENEW_MS) {
      const until = now + VALID_MS;
      // An hour back: clocks differ.
      this.#made = { pair: selfSigned({ names: this.#names, from: now - 3_600_000, until }), until };
    }
    return this.#made.pair;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new KeelsonError("Unreadable", messageOf(error), { object: file, cause: error });
  }
}
