import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A certificate and its key, PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** What a {@link selfSigned} certificate says. */
export interface SelfSignedOptions {
  /** DNS names and addresses that it is good for. */
  readonly names: readonly string[];
  /** Wall clock, milliseconds. */
  readonly from: number;
  readonly until: number;
}

/**
 * A certificate that nobody vouches for, for a server that was given none: it keeps passive listeners out, and is as
 * much as controller-runtime does. node:crypto signs but does not write X.509; the few structures of RFC 5280 are here.
 */
export function selfSigned({ names, from, until }: SelfSignedOptions): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = commonName("keelson");
  const body = sequence(
    explicit(0, element(INTEGER, [2])), // version 3
    element(INTEGER, [0x01, ...randomBytes(15)]), // a leading 1 keeps it positive
    ECDSA_WITH_SHA256,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions(names))),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, ECDSA_WITH_SHA256, element(BIT_STRING, [0, ...signature]));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines(certificate.toString("base64"))}-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

// ASN.1 tags, DER.
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const CONTEXT = 0x80;
const CONSTRUCTED = 0x20;

// 1.2.840.10045.4.3.2
const ECDSA_WITH_SHA256: Buffer = sequence(
  element(OBJECT_IDENTIFIER, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]),
);

/** Critical basic constraints (no authority), server authentication, subject alternative names. */
function extensions(names: readonly string[]): readonly Buffer[] {
  const serverAuth = element(OBJECT_IDENTIFIER, [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]);
  return [
    sequence(extensionId(19), element(BOOLEAN, [0xff]), element(OCTET_STRING, sequence())),
    sequence(extensionId(37), element(OCTET_STRING, sequence(serverAuth))),
    sequence(extensionId(17), element(OCTET_STRING, sequence(...names.map(alternativeName)))),
  ];
}

/** 2.5.29.N */
function extensionId(last: number): Buffer {
  return element(OBJECT_IDENTIFIER, [0x55, 0x1d, last]);
}

function alternativeName(name: string): Buffer {
  return isIP(name) === 0
    ? element(CONTEXT | 2, Buffer.from(name, "latin1"))
    : element(CONTEXT | 7, addressBytes(name));
}

function addressBytes(address: string): readonly number[] {
  if (isIP(address) === 4) return address.split(".").map(Number);
  // The URL parser writes IPv6 addresses in their shortest form, without dots.
  const [left = "", right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groupsOf = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const head = groupsOf(left);
  const tail = groupsOf(right ?? "");
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...gap, ...tail].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function commonName(name: string): Buffer {
  const attribute = sequence(element(OBJECT_IDENTIFIER, [0x55, 0x04, 0x03]), element(UTF8_STRING, Buffer.from(name)));
  return sequence(element(SET, attribute));
}

/** UTCTime until 2049, as RFC 5280 has it. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14);
  const isShort = Number(digits.slice(0, 4)) < 2050;
  return element(isShort ? UTC_TIME : GENERALIZED_TIME, Buffer.from(`${isShort ? digits.slice(2) : digits}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(SEQUENCE, Buffer.concat(parts));
}

function explicit(tag: number, content: Buffer): Buffer {
  return element(CONTEXT | CONSTRUCTED | tag, content);
}

function element(tag: number, content: Iterable<number>): Buffer {
  const value = Buffer.from([...content]);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(value.byteLength)]), value]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function lines(base64: string): string {
  return base64.replace(/.{1,64}/g, "$&\n");
}
