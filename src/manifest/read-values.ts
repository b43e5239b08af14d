import { KeelsonError } from "../errors/index.ts";
import type { TemplateData } from "../gotemplate/index.ts";
import { isJsonObject } from "../object/index.ts";
import { lineAt, readDocuments } from "./yaml/index.ts";

/**
 * Reads the data that templates are rendered with: one YAML or JSON mapping. An empty text is an empty mapping.
 *
 * @throws KeelsonError InvalidYaml with FILE:LINE
 */
export function readValues(source: string | Uint8Array, file: string): TemplateData {
  const documents = readDocuments(source);
  const [first, second] = documents;
  if (first === undefined) return {};
  const refuse = (document: typeof first, why: string): never => {
    const place = `${file}:${lineAt(document, document.start)}`;
    throw new KeelsonError("InvalidYaml", `${place}: ${why}`, { object: place });
  };
  if (first.kind === "fault") return refuse(first, first.message);
  if (second !== undefined) return refuse(second, "a second document: values are one mapping");
  if (!isJsonObject(first.value)) return refuse(first, "values are a mapping of names to values");
  // Read from text, it holds what JSON can hold, and bigints.
  return first.value as TemplateData;
}
