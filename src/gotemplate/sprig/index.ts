/**
 * sprig's functions by name, in Go's signatures, with the functions that manifests use besides.
 *
 * What reads the environment, the network, the clock or randomness is refused (refused.ts).
 */

import type { GoFunction } from "../go/values.ts";
import { DEFAULT_FUNCTIONS } from "./defaults.ts";
import { DICT_FUNCTIONS } from "./dicts.ts";
import { DURATION_FUNCTIONS } from "./durations.ts";
import { ENCODING_FUNCTIONS } from "./encoding.ts";
import { JSON_FUNCTIONS } from "./json.ts";
import { LAYOUT_FUNCTIONS } from "./layout.ts";
import { LIST_FUNCTIONS } from "./lists.ts";
import { MANIFEST_FUNCTIONS } from "./manifest-functions.ts";
import { NUMBER_FUNCTIONS } from "./numbers.ts";
import { PATH_FUNCTIONS } from "./paths.ts";
import { REFUSED_FUNCTIONS } from "./refused.ts";
import { REGEX_FUNCTIONS } from "./regex.ts";
import { SEMVER_FUNCTIONS } from "./semver.ts";
import { STRING_FUNCTIONS } from "./strings.ts";
import { WORD_FUNCTIONS } from "./words.ts";

export const SPRIG: ReadonlyMap<string, GoFunction> = new Map(
  Object.entries({
    ...DEFAULT_FUNCTIONS,
    ...DICT_FUNCTIONS,
    ...DURATION_FUNCTIONS,
    ...ENCODING_FUNCTIONS,
    ...JSON_FUNCTIONS,
    ...LAYOUT_FUNCTIONS,
    ...LIST_FUNCTIONS,
    ...NUMBER_FUNCTIONS,
    ...PATH_FUNCTIONS,
    ...REFUSED_FUNCTIONS,
    ...REGEX_FUNCTIONS,
    ...SEMVER_FUNCTIONS,
    ...STRING_FUNCTIONS,
    ...WORD_FUNCTIONS,
    ...MANIFEST_FUNCTIONS,
  }),
);
