import { notAcceptable } from "../rest/index.ts";
import type { Representation } from "./table.ts";

/** What a request's Accept header comes to. */
export interface Accepted {
  readonly representation: Representation;
  readonly contentType: string;
}

const JSON_TYPES = new Set(["application/json", "*/*", "application/*", ""]);

/** Picks the first wish of an Accept header that can be met; JSON only. Throws 406 where none can. */
export function negotiate(accept: string | undefined): Accepted {
  for (const wish of (accept ?? "*/*").split(",")) {
    const [type = "", ...parameters] = wish.split(";").map((part) => part.trim());
    if (!JSON_TYPES.has(type)) continue;
    const named = new Map(
      parameters.map((text): [string, string] => [text.split("=")[0] ?? "", text.split("=").slice(1).join("=")]),
    );
    const as = named.get("as");
    if (as === undefined) return { representation: "object", contentType: "application/json" };
    if (named.get("g") !== "meta.k8s.io" || (named.get("v") !== "v1" && named.get("v") !== "v1beta1")) continue;
    if (as === "Table") return { representation: "table", contentType: "application/json" };
    if (as.startsWith("PartialObjectMetadata")) return { representation: "metadata", contentType: "application/json" };
  }
  throw notAcceptable(["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]);
}

/** Whether a client asks for aggregated discovery, version 2. */
export function wantsAggregated(accept: string | undefined): boolean {
  return (accept ?? "").split(",").some((wish) => {
    const parts = new Set(wish.split(";").map((part) => part.trim()));
    return parts.has("g=apidiscovery.k8s.io") && parts.has("v=v2") && parts.has("as=APIGroupDiscoveryList");
  });
}
