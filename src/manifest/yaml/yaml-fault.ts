import { KeelsonError } from "../../errors/index.ts";

/** A document is not YAML or JSON as kubectl reads it. `offset` is where, in UTF-16 units of the document's text. */
export class YamlFault extends KeelsonError {
  readonly offset: number;

  constructor(message: string, offset: number, code: "InvalidYaml" | "LimitExceeded" = "InvalidYaml") {
    super(code, message);
    this.name = "YamlFault";
    this.offset = offset;
  }
}
