/**
 * The words that generated templates are made of. A list is text, its words two blanks or a line apart.
 */

/** What an argument is meant to be. */
export type Kind =
  | "any"
  | "text"
  | "count"
  | "int"
  | "number"
  | "bool"
  | "list"
  | "map"
  | "pattern"
  | "format"
  | "json"
  | "version"
  | "constraint"
  | "key"
  | "fresh";

/** Values of each kind that are there. */
export const RIGHT: Readonly<Record<Kind, readonly string[]>> = {
  any: [
    ...words(`
    .  .name  .n  .f  .list  .map  .nul  .user.name  .user.tags.k  $  $x  $y  .t  .z  .e  .mixed  .objs  .tiny
    .huge  .uni  "x"  1  1.5  true  'a'  2i  1+2i  0x1p4
  `),
    "`raw`",
  ],
  text: [
    ...words(String.raw`
    .name  .e  .uni  .s  .user.name  .map.c.d  .yaml  $.name  $.user.tags.k  $y  "a"  ""  "a b-c_d"  "\u00e9\n"
    "HelloWorldHTTP2x"  " x "  "a,b,,c"  "<&'>"  "\xff"  "o"  "/a/../b//c.d"  "1h30m"  "8.0"  "0x1f"  "true"
    "2001-01-01"  "- x: y # z"  "YQ=="  "YQ="  "MFRGG==="  "$1-$2x"
    "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor"
  `),
    "`r\\w`",
  ],
  count: words(String.raw`
    0  1  2  3  7  12  -1  '\t'  (len .list)
  `),
  int: words(String.raw`
    .n  .z  .neg  .big  .user.age  .map.a  0  1  -1  5  017  0x1F  1_000  '\n'  $x
  `),
  number: words(`
    .n  .f  .neg  .tiny  .huge  .z  1.0  2.5  1e3  -0.5  1e-7  1e100  .5  0b101  12
  `),
  bool: words(`
    .t  .no  true  false  (eq .n 3)  (not .list)
  `),
  list: words(`
    .list  .ints  .mixed  .empty  .objs  .map.c.e
  `),
  map: words(`
    .map  .user  .nothing  .user.tags  .map.c  $
  `),
  pattern: words(String.raw`
    "[a-o]+"  "o"  "(l+)(.)"  "^$"  "a*"  "(?i)W(?P<rest>.*)"  "\\d+|\\s"  "x*?"  "[^a-m\\s]"  "(?:ab|a)(c?)"
    "\\bw"  "[[:upper:]]+"  "\\pL"  "."  "(?s).+"  "a{1,2}"  "\\Qa.\\E"  ""  "(?m)^b$"  "(?U)l+"  "[a-c-]"
    "\\x41|\\."  "h\u00e9"  "(?i)[h-l]+"  "$"  "a{,2}"
  `),
  format: words(`
    "%v"  "%d-%s"  "%5d|%-5s|%05d"  "%q %x %X"  "%t %v"  "%6.2f"  "%e %g"  "%T"  "%%"  "%s"  "%+v %#v"
    "%[2]v %[1]v"  "%*d"  "%.3s"  "%c %U %#U"  "%b %o %O"  "%s %s %s"  "% x"  "%+q"  "%08.3f"  "%-8v|"  "%G"
    "%.0f"  "%#x"  "%+d"  "% d"  "%.*f"  "no verb"  "%6.3v|"  "%#q"  "%05s"  "%-05d"  "%.5d"  "%+.2e"  "%x"  "%X"
    "%#o"  "%q"  "%#g"  "%#v"  "%5t"  "%.1q"  "%w"  "%#w|%+w"  "%5w"
  `),
  json: words(String.raw`
    "{\"a\":[1,2.5,null]}"  "\"x\""  "1e5"  "[]"  "{}"  "[true,\"\\u00e9\\n\"]"  " null "
  `),
  version: words(`
    "1.2.3"  "v1.4"  "2.0.0-rc.1"  "1.2.3+meta"  "0.3.1"  "1.2.3-alpha.2"  "0.0.3"  "11"
  `),
  constraint: words(`
    ">=1.2.0"  "^1.2"  "~0.3"  "1.x || >2"  ">1, <2"  "!=1.2.3"  "*"  "1.2 - 1.5"  "~1"  "^0.0.3"  "<=1.2"  ">1"
    "!=1.x"  "=1.2.3"  "^0"  ">=2.0.0-0"  "~>1.2.1 <3"  "=<0.3 || =>11"
  `),
  key: words(`
    "a"  "c"  "k"  "name"  "zz"  "n"
  `),
  /** Maps of the template's own, to be changed: a change to the data could make it contain itself. */
  fresh: words(`
    (dict)  (dict "k" "v" "n" nil)  (dict "a" 0 "b" (list) "c" (dict "d" "" "x" 1))  (dict "name" (list 1))  (deepCopy .map)
  `),
};

/** What a sloppy template puts there as well. */
export const WRONG: Readonly<Record<Kind, readonly string[]>> = {
  any: words(`
    nil  .nope  .name.foo  .nope.nope  .nul.x  $y.z  $x.y.z  1e400  9223372036854775808  print
  `),
  text: words(`
    .n  .nul  nil  1  .list  .nope
  `),
  count: words(`
    .name  nil  1.5  .nul
  `),
  int: words(`
    .f  "1"  .nul  nil  9223372036854775807  1.5  1e3
  `),
  number: words(`
    "x"  .name  nil  .list
  `),
  bool: words(`
    .n  "true"  .nul  nil  1
  `),
  list: words(`
    .name  .map  .nul  nil  3  list
  `),
  map: words(`
    .list  .name  .nul  nil  "m"  dict
  `),
  pattern: words(String.raw`
    "("  "[z-a]"  "a**"  "*"  "a)"  "(?P<n"  "(?z)"  "\\8"  "[a"  "[[:no:]]"  "a{2,1}"  "\\pX"  .n
  `),
  format: words(`
    "%"  "%z"  "%!"  "%w"  "%[5]d"  "%[x]d"  "%-"  "%5"  "%."  .n  "%.*"  "%d %"  "%*"
  `),
  json: words(String.raw`
    "[true"  "nul"  "{1}"  "01"  "[1,]"  "{\"a\" 1}"  ""  "1.x"  "\"\\q\""  "[1 2]"  "-"  1
  `),
  version: words(`
    "x"  "1.2.3.4"  "1.2.3-01"  "01.2"  ""  .n
  `),
  constraint: words(`
    "bad bad"  ">>1"  ""  "1.2.3.4"  ">= x.y"  .n
  `),
  key: words(`
    .n  nil  .nul
  `),
  fresh: words(`
    (list)  nil  "m"
  `),
};

/** Values that only sprig's functions can make. */
export const MADE: Partial<Readonly<Record<Kind, readonly string[]>>> = {
  list: words(`
    (list 1 "a" nil)  (list)  (list "b" "a" "b")  (until 4)  (splitList "," "x,y,z")  (list .f 1 true)
  `),
  map: words(`
    (dict "a" 1 "b" (list 1))  (dict)  (dict "k" "v" "n" nil)  (dict "a" (dict "b" (dict)) "c" 1.0)
    (deepCopy .map)
  `),
};

/** Go's functions, each with the kinds of its arguments; a word that is no kind stands for itself. */
export const BUILTIN_CALLS: readonly string[] = words(`
  and any any  or any any any  not any  len list  len text  len map  len any  index list count  index map key
  index text count  index map "c" "d"  index list 0  slice text count count  slice list count  slice list 0 1 2
  slice text 1  eq int int  eq text text  eq text text text  ne text text  lt int int  le number number
  gt text text  ge int int  lt text text  eq number number  eq bool bool  ne number number  print any any
  print any any any  println any  printf format any any  printf format any  printf format int int
  printf format text text  printf format number  printf format list  printf format map  html text  js text
  urlquery text  html any any  html any
`);

/** sprig's, and the manifest functions. */
export const SPRIG_CALLS: readonly string[] = words(`
  trim text  upper text  lower text  title text  untitle text  substr count count text  repeat count text
  trimAll text text  trimSuffix text text  trimPrefix text text  nospace text  initials text  swapcase text
  snakecase text  camelcase text  kebabcase text  wrap count text  wrapWith count text text  contains text text
  hasPrefix text text  hasSuffix text text  quote any any  squote any  cat any any any  indent count text
  nindent count text  replace text text text  plural text text int  toString any  trunc count text
  abbrev count text  abbrevboth count count text  join text list  join text any  sortAlpha list  split text text
  splitn text count text  splitList text text  toStrings any  atoi text  int any  int64 any  float64 any
  toDecimal any  seq count  seq count count  seq count count count  until count  untilStep count count count
  add1 number  add any any  sub any any  div int int  mod int int  mul any any  addf number number
  subf number number  mulf number number  divf number number  add1f number  max number number number
  min int int  maxf number number  minf number number  ceil number  floor any  round number count
  round any count  default any any  empty any  coalesce any any any  all any any  any any any  compact list
  ternary any any bool  fromJson json  mustFromJson json  toJson any  toPrettyJson any  toRawJson any
  mustToJson any  deepCopy any  typeOf any  typeIs text any  kindOf any  kindIs text any  typeIsLike text any
  deepEqual any any  base text  dir text  clean text  ext text  isAbs text  b64enc text  b64dec text
  b32enc text  b32dec text  sha1sum text  sha256sum text  sha512sum text  adler32sum text  list any any
  dict text any  dict text any text  get map key  set fresh key any  unset fresh key  hasKey map key
  pluck key map map  pick map key  omit map key  merge fresh map  mergeOverwrite fresh map  mustMerge fresh map
  append list any  prepend list any  first list  last list  rest list  initial list  reverse list  uniq list
  without list any  has any list  slice list count  slice list count count  concat list list  dig key any map
  dig 'c' 'd' any map  chunk count list  mustFirst list  mustAppend list any  mustHas any list
  mustSlice list count  regexMatch pattern text  regexFind pattern text  regexFindAll pattern text count
  mustRegexFind pattern text  regexReplaceAll pattern text text  regexReplaceAllLiteral pattern text text
  regexSplit pattern text count  regexQuoteMeta text  mustRegexMatch pattern text  semver version
  semverCompare constraint version  duration text  durationRound text  toYaml any  toYaml map  toYaml list
  getOr map key text  isSet map key  include "one" any  include "two" any  hello  mustRest list  mustUniq list
  mustCompact list
`);

export function isKind(word: string): word is Kind {
  return word in RIGHT;
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s{2,}|\n/);
}
