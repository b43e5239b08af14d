import { type Signal, signal } from "@preact/signals";

/** A page, with what the address says of it. */
export interface Route {
  readonly page: "overview" | "addons" | "objects" | "object" | "history" | "unknown";
  readonly params: URLSearchParams;
}

const PAGES: Readonly<Record<string, Route["page"]>> = {
  "": "overview",
  addons: "addons",
  objects: "objects",
  object: "object",
  history: "history",
};

/** Reads `#/objects?kind=Pod`. Unknown paths are a page of their own. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return {
    page: Object.hasOwn(PAGES, path) ? (PAGES[path] ?? "unknown") : "unknown",
    params: new URLSearchParams(query),
  };
}

/** The address of a page; empty values are left out. */
export function hrefOf(page: Route["page"], params: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== "")).toString();
  const path = page === "overview" ? "" : page;
  return `#/${path}${query === "" ? "" : `?${query}`}`;
}

/** Follows the address bar; ends with the page. */
export function followRoute(): Signal<Route> {
  const route = signal(parseRoute(location.hash));
  addEventListener("hashchange", () => {
    route.value = parseRoute(location.hash);
  });
  return route;
}

/** Puts parameters of the current page into the address without a step of history: filters while they are typed. */
export function replaceParams(route: Signal<Route>, params: Readonly<Record<string, string>>): void {
  const hash = hrefOf(route.value.page, params);
  history.replaceState(null, "", hash);
  route.value = parseRoute(hash);
}
