/**
 * # gotemplate: Go's text/template
 *
 * Lexer, parser and evaluator of Go's template language, with the functions that Kubernetes manifests use: Go's own,
 * sprig's, `toYaml`, `include`, `getOr` and `isSet`. A template that Go renders renders here to the same text, and one
 * that Go refuses is refused here with the same words, place included. A differential test against Go proves it
 * (tools/gotemplate-oracle).
 *
 * Invariants: pure (no file, clock, environment, randomness); a parsed template is immutable, and the caller's data is
 * never changed, whatever `set` and `merge` do. Strings are bytes in Go and are treated as such where it shows.
 *
 * Where it is not Go: `keys` and `values` come in the order of the keys instead of a random one; a recursion ends with
 * Go's own error, but at one or two thousand levels and not at 100,000; regular expressions are run by JavaScript's engine,
 * which may take exponential time where Go's does not; an address (`%p`) is a constant; Go's slices that grew by
 * `append` may be re-sliced beyond their length, ours may not. Output is all or nothing.
 *
 * Refused when called, because the same files must render to the same objects everywhere: `env` `expandenv`
 * (environment); `getHostByName` (network); `now` `ago` `date` `dateInZone` `dateModify` `htmlDate` `htmlDateInZone`
 * `toDate` `mustToDate` `mustDateModify` `unixEpoch` and their spellings with underscores (clock and time zone);
 * `randAlpha` `randAlphaNum` `randAscii` `randBytes` `randInt` `randNumeric` `shuffle` `uuidv4` (randomness); `bcrypt`
 * `htpasswd` `derivePassword` `encryptAES` `decryptAES` `buildCustomCert` and all of `gen…` (secrets); `urlParse` and
 * `urlJoin` (not carried over).
 *
 * It does not read files, know Kubernetes, or parse YAML: `fromYaml` is the caller's to add, with the dialect it needs.
 */

export type { TemplateData } from "./data.ts";
export type { MissingKey } from "./exec/state.ts";
export type { GoType } from "./go/values.ts";
export { type ExtraFunction, type ParseOptions, parseTemplate, type Template } from "./template.ts";
