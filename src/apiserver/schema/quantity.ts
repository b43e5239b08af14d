/** A quantity's exact value and the notation it was written in. */
interface Quantity {
  readonly mantissa: bigint;
  /** Power of ten. */
  readonly exponent: number;
  readonly format: "binary" | "decimal" | "exponent";
}

const BINARY: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;
const SMALLEST_EXPONENT = -9;

/** The canonical text of a quantity (`1000m` is `1`, `1024Mi` is `1Gi`), as the API server writes it; undefined where `text` is none. */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = parse(text.trim());
  if (quantity === undefined) return undefined;
  if (quantity.mantissa === 0n) return "0";
  return quantity.format === "binary" ? writeBinary(quantity) : writeDecimal(quantity);
}

/** A quantity as a number, for validation (positive, smaller than); NaN where `text` is none. */
export function quantityValue(text: string): number {
  const quantity = parse(text.trim());
  return quantity === undefined ? Number.NaN : Number(quantity.mantissa) * 10 ** quantity.exponent;
}

function parse(text: string): Quantity | undefined {
  const found = SHAPE.exec(text);
  if (found === null) return undefined;
  const [, sign = "", whole = "", fraction = "", suffix = ""] = found;
  if (whole === "" && fraction === "") return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  const mantissa = sign === "-" ? -digits : digits;
  const power = BINARY.indexOf(suffix);
  if (power > 0)
    return round({ mantissa: mantissa * 1024n ** BigInt(power), exponent: -fraction.length, format: "binary" });
  if (/^[eE][+-]?\d/.test(suffix)) {
    return round({ mantissa, exponent: Number(suffix.slice(1)) - fraction.length, format: "exponent" });
  }
  const exponent = DECIMAL[suffix];
  return exponent === undefined
    ? undefined
    : round({ mantissa, exponent: exponent - fraction.length, format: "decimal" });
}

/** Nothing is smaller than a nano; what is finer is rounded up, away from zero. */
function round(quantity: Quantity): Quantity {
  if (quantity.exponent >= SMALLEST_EXPONENT) return quantity;
  const factor = 10n ** BigInt(SMALLEST_EXPONENT - quantity.exponent);
  let mantissa = quantity.mantissa / factor;
  if (mantissa * factor !== quantity.mantissa) mantissa += quantity.mantissa < 0n ? -1n : 1n;
  return { ...quantity, mantissa, exponent: SMALLEST_EXPONENT };
}

function writeBinary(quantity: Quantity): string {
  let value = quantity.mantissa;
  if (quantity.exponent < 0) {
    const factor = 10n ** BigInt(-quantity.exponent);
    // A fraction of a byte cannot be written in powers of 1024 without loss.
    if (value % factor !== 0n) return writeDecimal(quantity);
    value /= factor;
  }
  if (value > -1024n && value < 1024n) return writeDecimal(quantity);
  let power = 0;
  while (value % 1024n === 0n && power < BINARY.length - 1) {
    value /= 1024n;
    power += 1;
  }
  return `${value}${BINARY[power]}`;
}

function writeDecimal(quantity: Quantity): string {
  let { mantissa, exponent } = quantity;
  while (mantissa % 10n === 0n) {
    mantissa /= 10n;
    exponent += 1;
  }
  while (exponent % 3 !== 0) {
    mantissa *= 10n;
    exponent -= 1;
  }
  if (quantity.format === "exponent") return exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`;
  const suffix = Object.entries(DECIMAL).find(([, power]) => power === exponent)?.[0];
  if (suffix !== undefined) return `${mantissa}${suffix}`;
  return `${mantissa * 10n ** BigInt(exponent - 18)}E`;
}
