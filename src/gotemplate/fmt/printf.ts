import { typeOf, type Value } from "../go/values.ts";
import { type Flags, NO_FLAGS } from "./flags.ts";
import { formatArgument, formatDefault } from "./printer.ts";

/** Widths and precisions beyond a million are taken for mistakes. */
const TOO_LARGE = 1_000_000;

/** Go's fmt.Sprint: a blank between two operands that are both no strings. */
export function sprint(args: readonly Value[]): string {
  let text = "";
  args.forEach((arg, index) => {
    const isApart = index > 0 && arg.kind !== "string" && args[index - 1]?.kind !== "string";
    text += (isApart ? " " : "") + formatDefault(arg);
  });
  return text;
}

/** Go's fmt.Sprintln: always a blank, and a newline at the end. */
export function sprintln(args: readonly Value[]): string {
  return `${args.map(formatDefault).join(" ")}\n`;
}

/** Go's fmt.Sprintf, with its notes about mistakes: `%!d(string=x)`, `%!s(MISSING)`, `%!(EXTRA int=1)`. */
export function sprintf(format: string, args: readonly Value[]): string {
  return new Formatter(format, args).run();
}

/** Reads one format string from left to right; the fields are Go's own bookkeeping. */
class Formatter {
  private readonly format: string;
  private readonly args: readonly Value[];
  private at = 0;
  private argument = 0;
  /** An explicit index (`%[2]d`) was used: surplus arguments are then no mistake. */
  private reordered = false;
  private isIndexGood = true;
  private isAfterIndex = false;
  private out = "";

  constructor(format: string, args: readonly Value[]) {
    this.format = format;
    this.args = args;
  }

  run(): string {
    for (;;) {
      const percent = this.format.indexOf("%", this.at);
      if (percent < 0) {
        this.out += this.format.slice(this.at);
        break;
      }
      this.out += this.format.slice(this.at, percent);
      this.at = percent + 1;
      if (!this.directive()) {
        break;
      }
    }
    return this.out + this.surplus();
  }

  /** One directive; false where the format ends within it. */
  private directive(): boolean {
    this.isIndexGood = true;
    this.isAfterIndex = false;
    let flags = this.readFlags();
    this.readIndex();
    flags = this.readWidth(flags);
    flags = this.readPrecision(flags);
    if (!this.isAfterIndex) {
      this.readIndex();
    }
    const code = this.format.codePointAt(this.at);
    if (code === undefined) {
      this.out += "%!(NOVERB)";
      return false;
    }
    const verb = String.fromCodePoint(code);
    this.at += verb.length;
    this.out += this.printed(verb, flags);
    return true;
  }

  private printed(verb: string, flags: Flags): string {
    if (verb === "%") {
      return "%";
    }
    if (!this.isIndexGood) {
      return `%!${verb}(BADINDEX)`;
    }
    const value = this.args[this.argument];
    if (value === undefined) {
      return `%!${verb}(MISSING)`;
    }
    this.argument += 1;
    const isValueVerb = verb === "v" || verb === "w";
    return formatArgument(value, verb, isValueVerb ? valueFlags(flags) : flags);
  }

  private readFlags(): Flags {
    const set = { minus: false, plus: false, sharp: false, space: false, zero: false };
    for (; this.at < this.format.length; this.at += 1) {
      const name = FLAG_NAMES.get(this.format[this.at] ?? "");
      if (name === undefined) {
        break;
      }
      set[name] = true;
    }
    return { ...NO_FLAGS, ...set };
  }

  private readWidth(flags: Flags): Flags {
    if (this.format[this.at] !== "*") {
      const width = this.readNumber();
      if (this.isAfterIndex && width !== undefined) {
        this.isIndexGood = false;
      }
      return { ...flags, width };
    }
    this.at += 1;
    this.isAfterIndex = false;
    const width = this.integerArgument();
    if (width === undefined) {
      this.out += "%!(BADWIDTH)";
      return flags;
    }
    return width < 0 ? { ...flags, width: -width, minus: true, zero: false } : { ...flags, width };
  }

  private readPrecision(flags: Flags): Flags {
    if (this.at + 1 >= this.format.length || this.format[this.at] !== ".") {
      return flags;
    }
    this.at += 1;
    if (this.isAfterIndex) {
      this.isIndexGood = false;
    }
    this.readIndex();
    if (this.format[this.at] !== "*") {
      return { ...flags, precision: this.readNumber() ?? 0 };
    }
    this.at += 1;
    this.isAfterIndex = false;
    const precision = this.integerArgument();
    if (precision === undefined || precision < 0) {
      this.out += "%!(BADPREC)";
      return flags;
    }
    return { ...flags, precision };
  }

  private readNumber(): number | undefined {
    const digits = /^[0-9]*/.exec(this.format.slice(this.at))?.[0] ?? "";
    if (digits === "") {
      return undefined;
    }
    if (Number(digits.slice(0, -1)) > TOO_LARGE) {
      this.at = this.format.length;
      return undefined;
    }
    this.at += digits.length;
    return Number(digits);
  }

  /** A `*`: the next argument, if it is an integer of sensible size. */
  private integerArgument(): number | undefined {
    const value = this.args[this.argument];
    if (value !== undefined) {
      this.argument += 1;
    }
    if (value?.kind !== "int" || value.value > TOO_LARGE || value.value < -TOO_LARGE) {
      return undefined;
    }
    return Number(value.value);
  }

  private readIndex(): void {
    this.isAfterIndex = false;
    if (this.format[this.at] !== "[") {
      return;
    }
    this.reordered = true;
    const close = this.format.indexOf("]", this.at + 1);
    if (close < 0 || this.format.length - this.at < 3) {
      this.isIndexGood = false;
      this.at += 1;
      return;
    }
    const digits = this.format.slice(this.at + 1, close);
    const index = /^[0-9]+$/.test(digits) ? Number(digits) - 1 : undefined;
    this.at = close + 1;
    this.isAfterIndex = index !== undefined;
    if (index === undefined || index < 0 || index >= this.args.length) {
      this.isIndexGood = false;
      return;
    }
    this.argument = index;
  }

  private surplus(): string {
    if (this.reordered || this.argument >= this.args.length) {
      return "";
    }
    const listed = this.args
      .slice(this.argument)
      .map((value) => (value.kind === "nil" ? "<nil>" : `${typeOf(value)}=${formatDefault(value)}`));
    return `%!(EXTRA ${listed.join(", ")})`;
  }
}

type FlagName = "minus" | "plus" | "sharp" | "space" | "zero";

const FLAG_NAMES: ReadonlyMap<string, FlagName> = new Map<string, FlagName>([
  ["-", "minus"],
  ["+", "plus"],
  ["#", "sharp"],
  [" ", "space"],
  ["0", "zero"],
]);

/** `%+v` and `%#v` are formats of their own, in which the flags do not reach the numbers inside. */
function valueFlags(flags: Flags): Flags {
  return { ...flags, plusV: flags.plus, sharpV: flags.sharp, plus: false, sharp: false };
}
