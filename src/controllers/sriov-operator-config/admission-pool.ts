import { fieldOf, type KubeObject } from "../../object/index.ts";
import { ALLOWED, type Verdict } from "./admission-review.ts";

/** Judges a SriovNetworkPoolConfig, whatever is done to it. Pure. */
export function reviewPool({ spec }: KubeObject): Verdict {
  const maxUnavailable = fieldOf(spec, "maxUnavailable");
  const offload = fieldOf(fieldOf(spec, "ovsHardwareOffloadConfig"), "name");
  const isPool = maxUnavailable !== undefined || fieldOf(spec, "nodeSelector") !== undefined;
  if (isPool && offload !== undefined && offload !== "") {
    return {
      kind: "denied",
      reason: "ovsHardwareOffloadConfig does not go together with maxUnavailable or nodeSelector: make two pools",
    };
  }
  const fault = maxUnavailable === undefined ? undefined : faultOfUnavailable(maxUnavailable);
  return fault === undefined ? ALLOWED : { kind: "denied", reason: fault };
}

function faultOfUnavailable(value: unknown): string | undefined {
  if (typeof value === "number") return value >= 0 ? undefined : `maxUnavailable ${value} is negative`;
  const percent = /^(\d{1,3})%$/.exec(String(value));
  const isPercent = percent !== null && Number(percent[1]) >= 1 && Number(percent[1]) <= 100;
  return isPercent ? undefined : `maxUnavailable "${String(value)}" is neither a number nor 1% to 100%`;
}
