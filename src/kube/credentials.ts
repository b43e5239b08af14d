import { readFile } from "node:fs/promises";
import type { Clock } from "../async/index.ts";
import { assertNever, KeelsonError, messageOf } from "../errors/index.ts";
import type { Authentication, ExecPlugin } from "./cluster-config.ts";
import { type PluginCredential, runExecPlugin } from "./exec-plugin.ts";

/** What identifies us on one request. Compared by identity: another object is another credential. */
export interface Credential {
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** A client certificate from an exec plugin. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
}

/** Supplies the credential of the moment. */
export interface CredentialSource {
  current(): Promise<Credential>;
  /** After a 401 on a request that carried `used`: gets new credentials, and tells whether they differ. */
  renew(used: Credential): Promise<boolean>;
}

/** The source for one way to authenticate. */
export function createCredentialSource(authentication: Authentication, clock: Clock): CredentialSource {
  switch (authentication.kind) {
    case "none":
      return fixed(undefined);
    case "token":
      return fixed(`Bearer ${authentication.token}`);
    case "basic": {
      const { username, password } = authentication;
      return fixed(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
    }
    case "token-file":
      return new TokenFile(authentication.path, authentication.fallback, clock);
    case "exec":
      return new PluginCredentials(authentication.plugin, clock);
    default:
      return assertNever(authentication);
  }
}

function fixed(authorization: string | undefined): CredentialSource {
  const credential: Credential = { authorization, certificate: undefined };
  return { current: async () => credential, renew: async () => false };
}

/**
 * How long a token read from a file is used. Half the time between the kubelet's renewal of a service account token (at
 * 80 % of its life, at least ten minutes) and its end.
 */
const tokenFileMs = 60_000;

/** A token in a file that someone else rotates. An unreadable file does not take away the token read before. */
class TokenFile implements CredentialSource {
  readonly #path: string;
  readonly #clock: Clock;
  #credential: Credential | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Credential> | undefined;

  constructor(path: string, fallback: string | undefined, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    if (fallback !== undefined) this.#credential = bearer(fallback);
  }

  async current(): Promise<Credential> {
    const isFresh = this.#clock.monotonic() - this.#readAt < tokenFileMs;
    if (this.#credential !== undefined && isFresh) return this.#credential;
    return this.#read();
  }

  async renew(used: Credential): Promise<boolean> {
    if (this.#credential === used) await this.#read();
    return this.#credential !== used;
  }

  #read(): Promise<Credential> {
    this.#reading ??= this.#load().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #load(): Promise<Credential> {
    try {
      const token = (await readFile(this.#path, "utf8")).trim();
      if (token === "") throw new KeelsonError("Unreadable", "the file is empty");
      const credential = bearer(token);
      if (this.#credential?.authorization !== credential.authorization) this.#credential = credential;
    } catch (error) {
      if (this.#credential === undefined) {
        throw new KeelsonError("Unreadable", `token file ${this.#path}: ${messageOf(error)}`, { cause: error });
      }
    }
    this.#readAt = this.#clock.monotonic();
    return this.#credential ?? bearer("");
  }
}

function bearer(token: string): Credential {
  return { authorization: `Bearer ${token}`, certificate: undefined };
}

/** A failed or refused plugin is not run again sooner, however many requests wait. */
const pluginPauseMs = 5_000;
/** Renewal starts this long before the end, or a tenth of the life before it where that is less. */
const maxRenewalLeadMs = 60_000;

/** Credentials of an exec plugin: one run at a time, renewed in the background before they expire. */
class PluginCredentials implements CredentialSource {
  readonly #plugin: ExecPlugin;
  readonly #clock: Clock;
  #held: Held | undefined;
  #failed: { readonly error: unknown; readonly at: number } | undefined;
  #running: Promise<Held> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(plugin: ExecPlugin, clock: Clock) {
    this.#plugin = plugin;
    this.#clock = clock;
  }

  async current(): Promise<Credential> {
    const held = this.#held;
    const now = this.#clock.now();
    if (held === undefined || now >= held.expiresAt) return (await this.#run()).credential;
    // Still valid: a failure here is told once the credential has really expired.
    if (now >= held.renewAt) this.#run().catch(() => {});
    return held.credential;
  }

  async renew(used: Credential): Promise<boolean> {
    if (this.#held?.credential === used) {
      const now = this.#clock.monotonic();
      // Whoever is refused while the plugin runs waits for its answer too.
      if (this.#running === undefined && now - this.#renewedAt < pluginPauseMs) return false;
      this.#renewedAt = now;
      await this.#run();
    }
    return this.#held !== undefined && !isSame(this.#held.credential, used);
  }

  #run(): Promise<Held> {
    const failed = this.#failed;
    if (failed !== undefined && this.#clock.monotonic() - failed.at < pluginPauseMs)
      return Promise.reject(failed.error);
    this.#running ??= this.#load().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #load(): Promise<Held> {
    try {
      const answer = await runExecPlugin(this.#plugin, this.#clock);
      this.#failed = undefined;
      this.#held = heldOf(answer, this.#clock);
      return this.#held;
    } catch (error) {
      this.#failed = { error, at: this.#clock.monotonic() };
      throw error;
    }
  }
}

interface Held {
  readonly credential: Credential;
  /** Wall clock, as the plugin states it; Infinity where it states none. */
  readonly expiresAt: number;
  readonly renewAt: number;
}

function heldOf({ token, certificate, expiresAt = Number.POSITIVE_INFINITY }: PluginCredential, clock: Clock): Held {
  const now = clock.now();
  return {
    credential: { authorization: token === undefined ? undefined : `Bearer ${token}`, certificate },
    expiresAt,
    renewAt: expiresAt - Math.min(maxRenewalLeadMs, (expiresAt - now) / 10),
  };
}

function isSame(a: Credential, b: Credential): boolean {
  return (
    a.authorization === b.authorization &&
    a.certificate?.cert === b.certificate?.cert &&
    a.certificate?.key === b.certificate?.key
  );
}
