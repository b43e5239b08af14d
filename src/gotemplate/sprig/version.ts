import { compareStrings } from "../go/bytes.ts";
import { failure } from "../go/failure.ts";
import { parseUnsigned } from "../go/number-text.ts";

/** A semantic version, read as leniently as the library behind sprig does: a v before it, parts left out. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

const IDENTIFIERS = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const VERSION = new RegExp(
  `^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${IDENTIFIERS}))?(?:\\+(${IDENTIFIERS}))?$`,
);

/** @throws KeelsonError InvalidTemplate with the library's text */
export function parseVersion(original: string): Version {
  const match = VERSION.exec(original);
  if (match === null) {
    throw failure("Invalid Semantic Version");
  }
  const [, major = "", minor = "0", patch = "0", prerelease = "", metadata = ""] = match;
  const version = {
    major: segment(major),
    minor: segment(minor),
    patch: segment(patch),
    prerelease,
    metadata,
    original,
  };
  if (prerelease.split(".").some((part) => /^0[0-9]+$/.test(part))) {
    throw failure("Version segment starts with 0");
  }
  return version;
}

function segment(digits: string): bigint {
  const value = parseUnsigned(digits, 10);
  if (value === undefined) {
    throw failure(`Error parsing version segment: strconv.ParseUint: parsing "${digits}": value out of range`);
  }
  return value;
}

export function versionText(version: Version): string {
  const { major, minor, patch, prerelease, metadata } = version;
  return `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`;
}

/** -1, 0 or 1; metadata does not count, and a pre-release comes before its release. */
export function compareVersions(left: Version, right: Version): number {
  for (const part of ["major", "minor", "patch"] as const) {
    if (left[part] !== right[part]) {
      return left[part] < right[part] ? -1 : 1;
    }
  }
  if (left.prerelease === "" || right.prerelease === "") {
    return Number(left.prerelease === "") - Number(right.prerelease === "");
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

export function comparePrereleases(left: string, right: string): number {
  const leftParts = left.split(".");
  const rightParts = right.split(".");
  for (let index = 0; index < Math.max(leftParts.length, rightParts.length); index += 1) {
    const order = compareParts(leftParts[index] ?? "", rightParts[index] ?? "");
    if (order !== 0) {
      return order;
    }
  }
  return 0;
}

/** Numbers come before words, and a part that is missing before both. */
function compareParts(left: string, right: string): number {
  if (left === right) {
    return 0;
  }
  if (left === "" || right === "") {
    return left === "" ? -1 : 1;
  }
  const leftNumber = parseUnsigned(left, 10);
  const rightNumber = parseUnsigned(right, 10);
  if (leftNumber === undefined && rightNumber === undefined) {
    return compareStrings(left, right) > 0 ? 1 : -1;
  }
  if (leftNumber === undefined || rightNumber === undefined) {
    return leftNumber === undefined ? 1 : -1;
  }
  return leftNumber > rightNumber ? 1 : -1;
}
