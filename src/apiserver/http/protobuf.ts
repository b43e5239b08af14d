import { isJsonObject, type JsonObject, parseJson } from "../../object/index.ts";
import { badRequest } from "../rest/index.ts";
import { type BuiltinTypes, type FieldNode, formatMicroTime, formatTime, type TypeNode } from "../schema/index.ts";

/** The content type in which typed clients send built-in objects. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

const MAGIC = Buffer.from("k8s\0");

/** One field of a message: a varint, or bytes (fixed-width numbers too). */
type WireValue = bigint | Buffer;
type Message = ReadonlyMap<number, readonly WireValue[]>;

/** Reads an object that a client sent as protobuf (magic, `runtime.Unknown`, then the object's own message). Throws 400. */
export function decodeProtobuf(body: Buffer, types: BuiltinTypes): JsonObject {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw badRequest("provided data does not appear to be a protobuf message");
  const envelope = readMessage(body.subarray(MAGIC.length));
  const typeMeta = messageAt(envelope, 1);
  const apiVersion = textAt(typeMeta, 1);
  const kind = textAt(typeMeta, 2);
  const type = kind === "DeleteOptions" ? types.named("meta.v1.DeleteOptions") : types.ofKind(apiVersion, kind);
  const raw = envelope.get(2)?.at(-1);
  if (type === undefined || !Buffer.isBuffer(raw))
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  return { ...decodeStruct(readMessage(raw), type), apiVersion, kind };
}

/** Splits a message into its fields. */
function readMessage(bytes: Buffer): Message {
  const fields = new Map<number, WireValue[]>();
  let at = 0;
  while (at < bytes.length) {
    const tag = readVarint(bytes, at);
    at = tag.next;
    const value = readValue(bytes, at, Number(tag.value & 7n));
    at = value.next;
    const number = Number(tag.value >> 3n);
    const present = fields.get(number);
    if (present === undefined) fields.set(number, [value.value]);
    else present.push(value.value);
  }
  return fields;
}

function readValue(bytes: Buffer, at: number, wireType: number): { readonly value: WireValue; readonly next: number } {
  switch (wireType) {
    case 0:
      return readVarint(bytes, at);
    case 1:
      return { value: bytes.subarray(at, at + 8), next: at + 8 };
    case 2: {
      const length = readVarint(bytes, at);
      const next = length.next + Number(length.value);
      if (next > bytes.length) throw badRequest("unexpected EOF");
      return { value: bytes.subarray(length.next, next), next };
    }
    case 5:
      return { value: bytes.subarray(at, at + 4), next: at + 4 };
    default:
      throw badRequest(`proto: illegal wireType ${wireType}`);
  }
}

function readVarint(bytes: Buffer, start: number): { readonly value: bigint; readonly next: number } {
  let value = 0n;
  let shift = 0n;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return { value, next: at + 1 };
    shift += 7n;
  }
  throw badRequest("unexpected EOF");
}

function messageAt(message: Message, number: number): Message {
  const value = message.get(number)?.at(-1);
  return Buffer.isBuffer(value) ? readMessage(value) : new Map();
}

function textAt(message: Message, number: number): string {
  const value = message.get(number)?.at(-1);
  return Buffer.isBuffer(value) ? value.toString("utf8") : "";
}

function decodeStruct(message: Message, type: TypeNode): JsonObject {
  const out: Record<string, unknown> = {};
  for (const [name, field] of type.map?.fields ?? []) {
    const values = valuesOf(message, field);
    if (values !== undefined) out[name] = decodeField(values, field.type);
  }
  return out;
}

/** The occurrences of a field, inside the messages of embedded structs where it is in one. */
function valuesOf(message: Message, { proto }: FieldNode): readonly WireValue[] | undefined {
  if (proto === undefined) return undefined;
  let at = message;
  for (const number of proto.slice(0, -1)) at = messageAt(at, number);
  return at.get(proto.at(-1) ?? 0);
}

function decodeField(values: readonly WireValue[], type: TypeNode): unknown {
  const element = type.list?.element;
  if (type.go === "list" && element !== undefined) return values.flatMap((value) => decodeItems(value, element));
  if (type.go === "map") {
    return Object.fromEntries(
      values.map((value) => {
        const entry = Buffer.isBuffer(value) ? readMessage(value) : new Map<number, WireValue[]>();
        const item = entry.get(2)?.at(-1);
        return [textAt(entry, 1), item === undefined ? "" : decodeValue(item, type.map?.element ?? type)];
      }),
    );
  }
  const last = values.at(-1);
  return last === undefined ? undefined : decodeValue(last, type);
}

/** An item of a repeated field; numbers may come packed, many in one. */
function decodeItems(value: WireValue, type: TypeNode): readonly unknown[] {
  const isNumber = type.go === "int32" || type.go === "int64" || type.go === "bool";
  if (!isNumber || !Buffer.isBuffer(value)) return [decodeValue(value, type)];
  const out: unknown[] = [];
  for (let at = 0; at < value.length; ) {
    const one = readVarint(value, at);
    out.push(decodeValue(one.value, type));
    at = one.next;
  }
  return out;
}

function decodeValue(value: WireValue, type: TypeNode): unknown {
  if (typeof value === "bigint") return type.go === "bool" ? value !== 0n : integer(value);
  switch (type.go) {
    case "string":
      return value.toString("utf8");
    case "bytes":
      return value.toString("base64");
    case "double":
      return value.length === 8 ? value.readDoubleLE() : value.readFloatLE();
    case "time":
    case "microtime":
      return timeText(readMessage(value), type.go === "microtime");
    case "quantity":
      return textAt(readMessage(value), 1);
    case "int-or-string":
      return intOrString(readMessage(value));
    case "raw":
    case undefined:
      return rawJson(textAt(readMessage(value), 1));
    default:
      return decodeStruct(readMessage(value), type);
  }
}

/** Integers are two's complement of 64 bits on the wire. */
function integer(value: bigint): number | bigint {
  const signed = BigInt.asIntN(64, value);
  return signed >= BigInt(Number.MIN_SAFE_INTEGER) && signed <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(signed)
    : signed;
}

function numberAt(message: Message, number: number): number {
  const value = message.get(number)?.at(-1);
  return typeof value === "bigint" ? Number(BigInt.asIntN(64, value)) : 0;
}

/** A zero time has no seconds at all. */
function timeText(message: Message, micro: boolean): string | null {
  if (message.size === 0) return null;
  const ms = numberAt(message, 1) * 1000 + numberAt(message, 2) / 1e6;
  return micro ? formatMicroTime(ms) : formatTime(ms);
}

function intOrString(message: Message): string | number {
  return numberAt(message, 1) === 1 ? textAt(message, 3) : numberAt(message, 2);
}

function rawJson(text: string): unknown {
  if (text === "") return null;
  const value = parseJson(text);
  return isJsonObject(value) || Array.isArray(value) ? value : (value ?? null);
}
