import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A private key and the self-signed certificate for it, both PEM. */
export interface Certificate {
  readonly key: string;
  readonly certificate: string;
}

/**
 * Makes a certificate for https://127.0.0.1 and https://localhost, which is its own authority, good for a year.
 * node:crypto signs but does not write X.509, so the few DER structures (RFC 5280) are written here.
 */
export function createLoopbackCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const body = sequence(
    explicit(0, tlv(0x02, [2])), // version 3
    tlv(0x02, [0x01, ...randomBytes(15)]),
    ecdsaWithSha256,
    commonName("keelson test proxy"),
    sequence(utcTime(Date.now() - hourMs), utcTime(Date.now() + 365 * 24 * hourMs)),
    commonName("keelson test proxy"),
    publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions)),
  );
  const signature = sign("sha256", body, privateKey);
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificate: pem(sequence(body, ecdsaWithSha256, tlv(0x03, [0, ...signature]))),
  };
}

const hourMs = 3_600_000;

function tlv(tag: number, content: Iterable<number>): Buffer {
  const value = Buffer.from([...content]);
  return Buffer.concat([Buffer.from([tag, ...derLength(value.length)]), value]);
}

function derLength(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function explicit(tag: number, content: Buffer): Buffer {
  return tlv(0xa0 | tag, content);
}

function commonName(name: string): Buffer {
  return sequence(tlv(0x31, sequence(tlv(0x06, [0x55, 0x04, 0x03]), tlv(0x0c, Buffer.from(name)))));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}

// id-ce is 2.5.29; its last arc names the extension.
function extension(arc: number, isCritical: boolean, value: Buffer): Buffer {
  const critical = isCritical ? [tlv(0x01, [0xff])] : [];
  return sequence(tlv(0x06, [0x55, 0x1d, arc]), ...critical, tlv(0x04, value));
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

const ecdsaWithSha256: Buffer = sequence(tlv(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
const serverAuth: Buffer = tlv(0x06, [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]);
const extensions: readonly Buffer[] = [
  extension(19, true, sequence(tlv(0x01, [0xff]))), // basicConstraints: an authority
  extension(15, true, tlv(0x03, [2, 0x84])), // keyUsage: digitalSignature, keyCertSign
  extension(37, false, sequence(serverAuth)), // extKeyUsage
  extension(17, false, sequence(tlv(0x87, [127, 0, 0, 1]), tlv(0x82, Buffer.from("localhost")))), // subjectAltName
];
