import { failure } from "../go/failure.ts";
import { ANY, type GoFunction } from "../go/values.ts";

/** Why a function of sprig's is not offered. */
const REASONS = {
  environment: "it reads the environment",
  network: "it asks the network",
  random: "its result differs from run to run",
  clock: "it depends on the clock or on the machine's time zone",
  secrets: "keys, passwords and certificates do not belong into rendered manifests",
  url: "Go's parser of URLs is not carried over",
} as const;

const REFUSED: Readonly<Record<keyof typeof REASONS, readonly string[]>> = {
  environment: ["env", "expandenv"],
  network: ["getHostByName"],
  random: ["randAlpha", "randAlphaNum", "randAscii", "randBytes", "randInt", "randNumeric", "shuffle", "uuidv4"],
  clock: [
    ...["ago", "date", "dateInZone", "dateModify", "date_in_zone", "date_modify", "htmlDate", "htmlDateInZone"],
    ...["mustDateModify", "mustToDate", "must_date_modify", "now", "toDate", "unixEpoch"],
  ],
  secrets: [
    ...["bcrypt", "buildCustomCert", "decryptAES", "derivePassword", "encryptAES", "genCA", "genCAWithKey"],
    ...["genPrivateKey", "genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey"],
    "htpasswd",
  ],
  url: ["urlJoin", "urlParse"],
};

/**
 * sprig's functions that a template may name, and that fail when it calls them: the same files must render to the same
 * manifests, whatever the machine, the hour and the network.
 */
export const REFUSED_FUNCTIONS: Readonly<Record<string, GoFunction>> = Object.fromEntries(
  reasons().flatMap((reason) => REFUSED[reason].map((name) => [name, refusal(name, REASONS[reason])] as const)),
);

function reasons(): readonly (keyof typeof REASONS)[] {
  return ["environment", "network", "random", "clock", "secrets", "url"];
}

function refusal(name: string, reason: string): GoFunction {
  return {
    params: [],
    rest: ANY,
    result: ANY,
    call: () => {
      throw failure(`${name} is refused: ${reason}; pass the value in as data`);
    },
  };
}
