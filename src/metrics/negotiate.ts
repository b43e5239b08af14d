/** The two text formats. */
export type Exposition = "openmetrics" | "prometheus";

/** What a scraper would rather have, by its Accept header: OpenMetrics where it says so at least as strongly. */
export function negotiate(accept: string | undefined): Exposition {
  let openmetrics = 0;
  let plain = 0;
  for (const part of (accept ?? "").split(",")) {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const weight = weightOf(parameters);
    if (type === "application/openmetrics-text") openmetrics = Math.max(openmetrics, weight);
    if (type === "text/plain" || type === "text/*" || type === "*/*") plain = Math.max(plain, weight);
  }
  return openmetrics > 0 && openmetrics >= plain ? "openmetrics" : "prometheus";
}

function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith("q="));
  const weight = given === undefined ? 1 : Number(given.slice(2));
  return Number.isFinite(weight) ? weight : 0;
}
