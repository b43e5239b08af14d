import { byteLength, wellFormed } from "../go/bytes.ts";
import { formatFloat } from "../go/float-text.ts";
import { itemsOf, type MapValue, type SliceValue, stringOf, type Value } from "../go/values.ts";
import { compareKeys } from "./key-order.ts";
import { readsAsText } from "./resolve.ts";
import { analyzeScalar } from "./scalar-analysis.ts";
import { YamlWriter } from "./writer.ts";

/** A longer key is written with a question mark. */
const MAX_SIMPLE_KEY = 128;
const INDENT = 2;
/** Characters that go-yaml's reader refuses; JSON, which stands between Go's value and its YAML, does not escape them. */
const UNREADABLE = /[\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

/** Where a node stands. */
type Place = "root" | "item" | "value" | "key";

/**
 * Helm's toYaml: sigs.k8s.io/yaml without the last newline. The value goes through JSON on its way, so that a float
 * without a fraction comes out as an integer; what cannot be read again comes out as nothing.
 */
export function toYaml(value: Value): string {
  if (isUnreadable(value)) {
    return "";
  }
  const writer = new YamlWriter();
  writeNode(writer, value, "root");
  writer.finishLine();
  return writer.text().replace(/\n$/, "");
}

function isUnreadable(value: Value): boolean {
  switch (value.kind) {
    case "string":
      return UNREADABLE.test(value.value);
    case "slice":
      return itemsOf(value).some(isUnreadable);
    case "map":
      return [...value.entries].some(([key, item]) => UNREADABLE.test(key) || isUnreadable(item));
    default:
      return false;
  }
}

function writeNode(writer: YamlWriter, value: Value, place: Place): void {
  switch (value.kind) {
    case "slice":
      writeSlice(writer, value, place);
      return;
    case "map":
      writeMap(writer, value);
      return;
    case "string":
    case "object":
      writeText(writer, value.kind === "string" ? wellFormed(value.value) : value.text, place);
      return;
    default:
      within(writer, INDENT, () => writer.plain(scalarText(value), true));
  }
}

function scalarText(value: Exclude<Value, SliceValue | MapValue>): string {
  switch (value.kind) {
    case "bool":
    case "int":
      return String(value.value);
    case "float64":
      return numberText(value.value);
    default:
      return "null";
  }
}

/** Through JSON a whole number within the integers' range loses its float-ness. */
function numberText(value: number): string {
  const isIntegral = Number.isInteger(value) && value > -(2 ** 63) && value < 2 ** 64;
  return isIntegral ? String(value === 0 ? 0 : value) : formatFloat(value, "g");
}

/** Runs with the indent raised, as libyaml does around each node. */
function within(writer: YamlWriter, more: number, write: () => void): void {
  const outer = writer.indent;
  writer.indent = outer < 0 ? 0 : outer + more;
  write();
  writer.indent = outer;
}

function writeSlice(writer: YamlWriter, slice: SliceValue, place: Place): void {
  if (slice.isNil) {
    within(writer, INDENT, () => writer.plain("null", true));
    return;
  }
  if (slice.length === 0) {
    writer.indicator("[]", { blank: true });
    return;
  }
  // A list below a key stands at the key's own column.
  const isIndentless = place === "value" && !writer.isIndention;
  within(writer, isIndentless ? 0 : INDENT, () => {
    for (const item of itemsOf(slice)) {
      writer.writeIndent();
      writer.indicator("-", { blank: true, keepsIndention: true });
      writeNode(writer, item, "item");
    }
  });
}

function writeMap(writer: YamlWriter, map: MapValue): void {
  if (map.isNil) {
    within(writer, INDENT, () => writer.plain("null", true));
    return;
  }
  if (map.entries.size === 0) {
    writer.indicator("{}", { blank: true });
    return;
  }
  const entries = [...map.entries].sort(([left], [right]) => compareKeys(left, right));
  within(writer, INDENT, () => {
    for (const [key, value] of entries) {
      writer.writeIndent();
      writeKey(writer, wellFormed(key));
      writeNode(writer, value, "value");
    }
  });
}

function writeKey(writer: YamlWriter, key: string): void {
  const isSimple = !analyzeScalar(key).isMultiline && byteLength(key) <= MAX_SIMPLE_KEY;
  if (isSimple) {
    writeText(writer, key, "key");
    writer.indicator(":", { blank: false });
    return;
  }
  writer.indicator("?", { blank: true, keepsIndention: true });
  writeNode(writer, stringOf(key), "value");
  writer.writeIndent();
  writer.indicator(":", { blank: true, keepsIndention: true });
}

function writeText(writer: YamlWriter, text: string, place: Place): void {
  const analysis = analyzeScalar(text);
  const folds = place !== "key";
  const outer = writer.indent;
  writer.indent = outer < 0 ? INDENT : outer + INDENT;
  if (text.includes("\n") && analysis.allowsBlock && folds) {
    writer.literal(text);
  } else if (text.includes("\n") || !readsAsText(text)) {
    writer.doubleQuoted(text, folds);
  } else if (analysis.allowsPlain) {
    writer.plain(text, folds);
  } else if (analysis.allowsSingleQuoted) {
    writer.singleQuoted(text, folds);
  } else {
    writer.doubleQuoted(text, folds);
  }
  writer.indent = outer;
}
