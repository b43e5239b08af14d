/**
 * A copy of `text` that shares no memory with the text it was cut out of, or with the pieces it was put together from:
 * V8 keeps those as long as what was made of them.
 */
export function detach(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
