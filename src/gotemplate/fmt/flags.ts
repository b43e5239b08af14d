/** What stands between `%` and the verb of a format directive. */
export interface Flags {
  readonly minus: boolean;
  readonly plus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
  /** `%+v`: the plus belongs to the value's syntax, not to its numbers. */
  readonly plusV: boolean;
  /** `%#v`: Go syntax. */
  readonly sharpV: boolean;
  readonly width: number | undefined;
  readonly precision: number | undefined;
}

export const NO_FLAGS: Flags = {
  minus: false,
  plus: false,
  sharp: false,
  space: false,
  zero: false,
  plusV: false,
  sharpV: false,
  width: undefined,
  precision: undefined,
};

/** Fills text up to the width, counted in characters; zeros only on the left, and even for text. */
export function pad(text: string, flags: Flags): string {
  if (flags.width === undefined || flags.width === 0) {
    return text;
  }
  const missing = flags.width - [...text].length;
  if (missing <= 0) {
    return text;
  }
  if (flags.minus) {
    return text + " ".repeat(missing);
  }
  return (flags.zero ? "0" : " ").repeat(missing) + text;
}

/** Pads with blanks, where zeros have been dealt with already. */
export function padBlank(text: string, flags: Flags): string {
  return pad(text, flags.zero ? { ...flags, zero: false } : flags);
}
