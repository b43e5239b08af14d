import { failure } from "../go/failure.ts";
import { comparePrereleases, compareVersions, parseVersion, type Version } from "./version.ts";

const OPERATOR = "(?:!=|>=|=>|<=|=<|~>|=|>|<|~|\\^)?";
const PART = "[0-9|xX*]+";
const IDENTIFIERS = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const OPERAND = `v?${PART}(?:\\.${PART})?(?:\\.${PART})?(?:-${IDENTIFIERS})?(?:\\+${IDENTIFIERS})?`;
const SINGLE = `(?:${OPERATOR})\\s*(?:${OPERAND})`;
const VALID = new RegExp(`^\\s*${SINGLE}\\s*(?:(?:\\s+|,\\s*)${SINGLE}\\s*)*$`);
const EACH = new RegExp(SINGLE, "g");
const RANGE = new RegExp(`\\s*(${OPERAND})\\s+-\\s+(${OPERAND})\\s*`, "g");
const PARTS = new RegExp(
  `^\\s*(${OPERATOR})\\s*v?(${PART})(\\.${PART})?(\\.${PART})?(-${IDENTIFIERS})?(?:\\+${IDENTIFIERS})?\\s*$`,
);

/** One comparison of a constraint. A version given in part (`1.x`, `1`) is dirty: what is missing is anything. */
interface Comparison {
  readonly operator: string;
  readonly version: Version;
  readonly isDirty: boolean;
  readonly isMinorDirty: boolean;
  readonly isPatchDirty: boolean;
}

/**
 * Whether a version satisfies a constraint such as `>=1.2, <2 || ^3`.
 *
 * @throws KeelsonError InvalidTemplate with the library's text, for the constraint first, then for the version
 */
export function satisfies(constraint: string, text: string): boolean {
  const alternatives = parseConstraint(constraint);
  const version = parseVersion(text);
  return alternatives.some((comparisons) => comparisons.every((comparison) => holds(version, comparison)));
}

function parseConstraint(constraint: string): readonly (readonly Comparison[])[] {
  const spelledOut = constraint.replace(RANGE, (_, from: string, to: string) => `>= ${from}, <= ${to} `);
  return spelledOut.split("||").map((alternative) => {
    if (!VALID.test(alternative)) {
      throw failure(`improper constraint: ${alternative}`);
    }
    return (alternative.match(EACH) ?? [alternative]).map(parseComparison);
  });
}

function parseComparison(text: string): Comparison {
  const match = PARTS.exec(text);
  if (match === null) {
    throw failure(`improper constraint: ${text}`);
  }
  const [, operator = "", major = "", minor = "", patch = "", prerelease = ""] = match;
  const isMajorFree = isWildcard(major);
  const isMinorFree = !isMajorFree && isWildcard(minor);
  const isPatchFree = !isMajorFree && !isMinorFree && isWildcard(patch);
  const numbers = isMajorFree
    ? "0.0.0"
    : isMinorFree
      ? `${major}.0.0`
      : isPatchFree
        ? `${major}${minor}.0`
        : `${major}${minor}${patch}`;
  return {
    operator,
    version: constraintVersion(numbers + prerelease),
    isDirty: isMajorFree || isMinorFree || isPatchFree,
    isMinorDirty: isMinorFree,
    isPatchDirty: isPatchFree,
  };
}

function isWildcard(part: string): boolean {
  return part === "" || ["x", "X", "*"].includes(part.replace(/^\./, ""));
}

function constraintVersion(text: string): Version {
  try {
    return parseVersion(text);
  } catch {
    throw failure("constraint Parser Error");
  }
}

/** A pre-release only satisfies a constraint that names one. */
function holds(version: Version, comparison: Comparison): boolean {
  const isForeignPrerelease = version.prerelease !== "" && comparison.version.prerelease === "";
  switch (comparison.operator) {
    case "!=":
      return differs(version, comparison, isForeignPrerelease);
    case ">":
      return !isForeignPrerelease && isGreater(version, comparison);
    case "<":
      return !isForeignPrerelease && compareVersions(version, comparison.version) < 0;
    case ">=":
    case "=>":
      return !isForeignPrerelease && compareVersions(version, comparison.version) >= 0;
    case "<=":
    case "=<":
      return !isForeignPrerelease && isLessOrEqual(version, comparison);
    case "~":
    case "~>":
      return !isForeignPrerelease && isTilde(version, comparison);
    case "^":
      return !isForeignPrerelease && isCaret(version, comparison);
    default:
      return !isForeignPrerelease && isTildeOrEqual(version, comparison);
  }
}

function differs(version: Version, comparison: Comparison, isForeignPrerelease: boolean): boolean {
  const wanted = comparison.version;
  if (!comparison.isDirty) {
    return compareVersions(version, wanted) !== 0;
  }
  if (isForeignPrerelease) {
    return false;
  }
  if (wanted.major !== version.major) {
    return true;
  }
  if (comparison.isMinorDirty) {
    return false;
  }
  if (wanted.minor !== version.minor) {
    return true;
  }
  if (comparison.isPatchDirty) {
    const hasPrerelease = version.prerelease !== "" || wanted.prerelease !== "";
    return hasPrerelease && comparePrereleases(version.prerelease, wanted.prerelease) !== 0;
  }
  return wanted.patch !== version.patch || compareVersions(version, wanted) !== 0;
}

/** `>11` means 12 or more, and `>11.1` means 11.2 or more. */
function isGreater(version: Version, comparison: Comparison): boolean {
  const wanted = comparison.version;
  if (!comparison.isDirty) {
    return compareVersions(version, wanted) > 0;
  }
  if (version.major !== wanted.major) {
    return version.major > wanted.major;
  }
  if (comparison.isMinorDirty) {
    return false;
  }
  return comparison.isPatchDirty ? version.minor > wanted.minor : compareVersions(version, wanted) > 0;
}

function isLessOrEqual(version: Version, comparison: Comparison): boolean {
  const wanted = comparison.version;
  if (!comparison.isDirty) {
    return compareVersions(version, wanted) <= 0;
  }
  if (version.major !== wanted.major) {
    return version.major < wanted.major;
  }
  return comparison.isMinorDirty || version.minor <= wanted.minor;
}

function isTilde(version: Version, comparison: Comparison): boolean {
  const wanted = comparison.version;
  if (compareVersions(version, wanted) < 0) {
    return false;
  }
  const isZero = wanted.major === 0n && wanted.minor === 0n && wanted.patch === 0n;
  if (isZero && !comparison.isMinorDirty && !comparison.isPatchDirty) {
    return true;
  }
  return version.major === wanted.major && (comparison.isMinorDirty || version.minor === wanted.minor);
}

function isTildeOrEqual(version: Version, comparison: Comparison): boolean {
  return comparison.isDirty ? isTilde(version, comparison) : compareVersions(version, comparison.version) === 0;
}

/** The first number that is not zero must stay. */
function isCaret(version: Version, comparison: Comparison): boolean {
  const wanted = comparison.version;
  if (compareVersions(version, wanted) < 0) {
    return false;
  }
  if (wanted.major > 0n || comparison.isMinorDirty) {
    return version.major === wanted.major;
  }
  if (version.major > 0n) {
    return false;
  }
  if (wanted.minor > 0n || comparison.isPatchDirty) {
    return version.minor === wanted.minor;
  }
  return version.minor === 0n && version.patch === wanted.patch;
}
