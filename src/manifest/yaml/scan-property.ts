import { type Cursor, isSeparator, isWordCharacter } from "./cursor.ts";

/** What may follow an anchor or alias beside a blank. */
const ANCHOR_ENDS = "?:,]}%@`";
/** Characters of a tag beside word characters and `%` escapes. */
const TAG_CHARACTERS = ";/?:@&=+$,.!~*'()[]";

/** The prefix of `!!`. Documents of this dialect cannot declare others: `%TAG` would need a `---`, at which they end. */
const STANDARD_PREFIX = "tag:yaml.org,2002:";

/** Reads the name of an anchor or alias, the cursor being on its `&` or `*`. */
export function scanAnchor(cursor: Cursor): string {
  const start = cursor.pos;
  cursor.pos += 1;
  const name = takeWord(cursor);
  if (name === "" || !(isSeparator(cursor.code()) || ANCHOR_ENDS.includes(cursor.text.charAt(cursor.pos)))) {
    throw cursor.fault("an anchor or alias has no name of letters, digits, - and _", start);
  }
  return name;
}

/** Reads a tag, the cursor being on its `!`, and gives it in full: `tag:yaml.org,2002:str`, `!local`, `!`. */
export function scanTag(cursor: Cursor): string {
  const start = cursor.pos;
  const tag = cursor.text.charAt(cursor.pos + 1) === "<" ? scanVerbatimTag(cursor) : scanShortTag(cursor);
  if (!isSeparator(cursor.code())) throw cursor.fault("a tag is not followed by a blank", start);
  return tag;
}

function scanVerbatimTag(cursor: Cursor): string {
  const start = cursor.pos;
  cursor.pos += 2;
  const tag = scanTagText(cursor);
  if (tag === "" || cursor.text.charAt(cursor.pos) !== ">") throw cursor.fault("a tag !<…> is not closed", start);
  cursor.pos += 1;
  return tag;
}

function scanShortTag(cursor: Cursor): string {
  const start = cursor.pos;
  cursor.pos += 1;
  const word = takeWord(cursor);
  if (cursor.text.charAt(cursor.pos) !== "!") return `!${word}${scanTagText(cursor)}`;
  cursor.pos += 1;
  const suffix = scanTagText(cursor);
  if (suffix === "") throw cursor.fault("a tag has no name", start);
  if (word !== "") throw cursor.fault(`the tag handle !${word}! is not declared`, start);
  return STANDARD_PREFIX + suffix;
}

function scanTagText(cursor: Cursor): string {
  let text = "";
  for (;;) {
    const character = cursor.text.charAt(cursor.pos);
    if (character === "%") text += scanTagEscape(cursor);
    else if (isWordCharacter(cursor.code()) || (character !== "" && TAG_CHARACTERS.includes(character))) {
      text += character;
      cursor.pos += 1;
    } else return text;
  }
}

/** Reads the `%xx` octets of one UTF-8 character. */
function scanTagEscape(cursor: Cursor): string {
  const match = /^(?:%[0-9a-fA-F]{2})+/.exec(cursor.text.slice(cursor.pos, cursor.pos + 64));
  try {
    if (match === null) throw new URIError("no octets");
    const decoded = decodeURIComponent(match[0]);
    cursor.pos += match[0].length;
    return decoded;
  } catch {
    throw cursor.fault("a tag has a % that is no escape");
  }
}

function takeWord(cursor: Cursor): string {
  const start = cursor.pos;
  while (isWordCharacter(cursor.code())) cursor.pos += 1;
  return cursor.text.slice(start, cursor.pos);
}
