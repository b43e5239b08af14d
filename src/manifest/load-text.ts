import {
  detach,
  digestOf,
  type FieldPath,
  formatPath,
  isJsonObject,
  type JsonObject,
  KEELSON_PREFIX,
  stringifyJson,
} from "../object/index.ts";
import { type FlatItem, flatten } from "./flatten.ts";
import { Interner } from "./interner.ts";
import { lineOfPath } from "./locate.ts";
import { type Finding, normalise } from "./normalise.ts";
import { findPlaceholder, type Placeholder } from "./placeholder.ts";
import { buildProblem, contentDigest, type ProblemParts } from "./problem.ts";
import type { ManifestIdentity, ManifestObject, Problem } from "./snapshot.ts";
import { type FaultDocument, lineAt, PLACEHOLDER, readDocuments, type ValueDocument } from "./yaml/index.ts";

/** How large a file may be, in bytes. The API server takes objects of at most 3 MiB. */
export const MAX_FILE_BYTES: number = 20 * 1024 * 1024;

/** What one file declares. */
export interface LoadedText {
  /** In the order of the file. */
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly Problem[];
}

/**
 * Reads the objects of one file's text or bytes: YAML or JSON, told by the content. Never throws for what it finds.
 *
 * @param file the path that objects and problems are to name
 * @param interner shares repeated strings with other files
 */
export function loadText(source: string | Uint8Array, file: string, interner: Interner = new Interner()): LoadedText {
  if (source.length > MAX_FILE_BYTES) {
    const message = `the file is larger than ${MAX_FILE_BYTES} bytes: split it`;
    const digest = contentDigest(source);
    return { objects: [], problems: [buildProblem({ code: "LimitExceeded", message, file, holds: true, digest })] };
  }
  const objects: ManifestObject[] = [];
  const problems: Problem[] = [];
  for (const document of readDocuments(source)) {
    if (document.kind === "fault") problems.push(faultProblem(document, file));
    else {
      const context = { file, interner, mayHoldPlaceholder: PLACEHOLDER.test(document.text) };
      for (const item of flatten(document)) {
        const loaded = new ObjectLoader(document, item, context).load();
        if ("body" in loaded) objects.push(loaded);
        else problems.push(loaded);
      }
    }
  }
  return { objects, problems };
}

function faultProblem(document: FaultDocument, file: string): Problem {
  const { code, message } = document;
  const line = lineAt(document, document.start);
  return buildProblem({ code, message, file, line, holds: true, digest: contentDigest(document.text) });
}

interface LoadContext {
  readonly file: string;
  readonly interner: Interner;
  /** The document's text holds something that looks like one, somewhere. */
  readonly mayHoldPlaceholder: boolean;
}

/** What is wrong with an object, before it has a place. */
type Fault = Pick<ProblemParts, "message" | "identity"> & {
  readonly code?: ProblemParts["code"];
  readonly path?: FieldPath;
};

/** Turns one item of a document into an object or a problem. */
class ObjectLoader {
  readonly #document: ValueDocument;
  readonly #item: FlatItem;
  readonly #context: LoadContext;

  constructor(document: ValueDocument, item: FlatItem, context: LoadContext) {
    this.#document = document;
    this.#item = item;
    this.#context = context;
  }

  load(): ManifestObject | Problem {
    const { value } = this.#item;
    if (!isJsonObject(value)) {
      return this.#problem({ message: `${nameOf(value)} stands where an object with apiVersion and kind is expected` });
    }
    const { object, findings } = withCanonicalKeys(value);
    const identity = identityOf(object);
    if ("message" in identity) return this.#problem(identity);
    const normalised = normalise(object);
    const placeholder = this.#context.mayHoldPlaceholder ? findPlaceholder(normalised.object) : undefined;
    const fault = faultOfMetadata(normalised.object, identity) ?? faultOfPlaceholder(placeholder);
    if (fault !== undefined) return this.#problem(fault);
    const remarks = [...findings, ...normalised.findings];
    // The API server may well take it: the object is applied as it stands, as kubectl would, and the place is told.
    if (placeholder !== undefined) remarks.push({ message: placeholderMessage(placeholder), path: placeholder.path });
    return this.#object(normalised.object, identity, remarks);
  }

  #object(object: JsonObject, identity: ManifestIdentity, findings: readonly Finding[]): ManifestObject {
    const { file, interner } = this.#context;
    const metadata = isJsonObject(object.metadata) ? object.metadata : {};
    const ours = Object.entries(textsOf(metadata.annotations)).filter(([name]) => name.startsWith(KEELSON_PREFIX));
    return {
      apiVersion: interner.intern(identity.apiVersion),
      kind: interner.intern(identity.kind),
      name: detach(identity.name),
      namespace: identity.namespace === undefined ? undefined : interner.intern(identity.namespace),
      labels: interner.internRecord(textsOf(metadata.labels)),
      annotations: interner.internRecord(Object.fromEntries(ours)),
      body: detach(stringifyJson(object)),
      digest: detach(digestOf(object)),
      origin: { file, line: this.#item.line },
      warnings: findings.map(({ message, path }) => ({ message, line: this.#lineOf(path) })),
    };
  }

  #problem({ code = "InvalidManifest", message, identity, path }: Fault): Problem {
    const place = this.#item.path.length === 0 ? "" : `#${this.#item.path.join(".")}`;
    return buildProblem({
      code,
      message,
      file: this.#context.file,
      line: path === undefined ? this.#item.line : this.#lineOf(path),
      holds: identity === undefined,
      digest: contentDigest(this.#document.text) + place,
      identity,
    });
  }

  #lineOf(path: FieldPath): number {
    const steps = path.filter((step) => typeof step === "string" || typeof step === "number");
    return lineOfPath(this.#document, [...this.#item.path, ...steps]);
  }
}

/** `ApiVersion` and `Kind` in any case are what Go's decoder takes them for; the server's strict one refuses them. */
function withCanonicalKeys(value: JsonObject): { readonly object: JsonObject; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  let object = value;
  for (const name of ["apiVersion", "kind"]) {
    if (Object.hasOwn(object, name)) continue;
    const other = Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase());
    if (other === undefined) continue;
    findings.push({ message: `"${other}" is read as "${name}"`, path: [other] });
    object = Object.fromEntries(Object.entries(object).map(([key, part]) => [key === other ? name : key, part]));
  }
  return { object, findings };
}

function identityOf(object: JsonObject): ManifestIdentity | Fault {
  for (const name of ["apiVersion", "kind"]) {
    const fault = faultOfText(object[name], [name]);
    if (fault !== undefined) return fault;
  }
  const { metadata } = object;
  if (!isJsonObject(metadata)) return { message: "metadata is missing", path: ["metadata"] };
  if (isAbsent(metadata.name) && !isAbsent(metadata.generateName)) {
    const message = "metadata.generateName without a name: it would become a new object each time; give it a name";
    return { message, path: ["metadata", "generateName"] };
  }
  const { apiVersion, kind } = object;
  const namespace = isAbsent(metadata.namespace) ? undefined : metadata.namespace;
  const fault =
    faultOfText(metadata.name, ["metadata", "name"]) ??
    (namespace === undefined ? undefined : faultOfText(namespace, ["metadata", "namespace"]));
  if (fault !== undefined) return fault;
  return {
    apiVersion: String(apiVersion),
    kind: String(kind),
    name: String(metadata.name),
    namespace: namespace === undefined ? undefined : String(namespace),
  };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function faultOfText(value: unknown, path: FieldPath): Fault | undefined {
  if (isAbsent(value)) return { message: `${formatPath(path)} is missing`, path };
  if (typeof value === "string") return undefined;
  return { message: `${formatPath(path)} is ${nameOf(value)}: quote it`, path };
}

/** Labels and annotations have to be text. */
function faultOfMetadata(object: JsonObject, identity: ManifestIdentity): Fault | undefined {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  for (const field of ["labels", "annotations"]) {
    const fault = faultOfTexts(metadata[field], ["metadata", field]);
    if (fault !== undefined) return { ...fault, identity };
  }
  // Refused by the server too, which then quotes the value.
  if (identity.kind !== "Secret" || identity.apiVersion !== "v1") return undefined;
  const fault = faultOfTexts(object.data, ["data"]) ?? faultOfTexts(object.stringData, ["stringData"]);
  if (fault === undefined) return undefined;
  const { path = [] } = fault;
  return { message: `${formatPath(path)} is no text: quote it`, path, identity };
}

function faultOfPlaceholder(placeholder: Placeholder | undefined): Fault | undefined {
  if (placeholder === undefined || !IDENTITY_PATHS.has(formatPath(placeholder.path))) return undefined;
  return { code: "UnrenderedTemplate", message: placeholderMessage(placeholder), path: placeholder.path };
}

function placeholderMessage({ text, path }: Placeholder): string {
  return `looks like an unrendered template: ${formatPath(path)} holds ${text}`;
}

/** A placeholder here hides which object is meant. */
const IDENTITY_PATHS = new Set(["apiVersion", "kind", "metadata.name", "metadata.namespace"]);

function faultOfTexts(value: unknown, path: FieldPath): Fault | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) return { message: `${formatPath(path)} is ${nameOf(value)}, not a mapping`, path };
  for (const [name, text] of Object.entries(value)) {
    if (typeof text === "string") continue;
    const place = [...path, name];
    return { message: `${formatPath(place)} is ${nameOf(text)}: quote it`, path: place };
  }
  return undefined;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

/** A value's kind with its article: `the number 5`, `a list`. */
function nameOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isJsonObject(value)) return "a mapping";
  if (typeof value === "number" || typeof value === "bigint") return `the number ${value}`;
  if (typeof value === "boolean") return `the boolean ${value}`;
  return value === null ? "null" : "a string";
}
