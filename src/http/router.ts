import type { Route } from "./route.ts";

/** What a path and method lead to. */
export type Found =
  | { readonly kind: "route"; readonly route: Route }
  | { readonly kind: "no-path" }
  /** The path is there, with these methods only. */
  | { readonly kind: "no-method"; readonly allowed: readonly string[] };

/** Finds routes: the exact path first, then the longest folder. */
export class Router {
  readonly #exact: Map<string, Route[]> = new Map();
  readonly #folders: readonly (readonly [string, readonly Route[]])[];

  constructor(routes: readonly Route[]) {
    const folders = new Map<string, Route[]>();
    for (const route of routes) {
      const isFolder = route.path.endsWith("/*");
      const [paths, path] = isFolder ? [folders, route.path.slice(0, -1)] : [this.#exact, route.path];
      paths.set(path, [...(paths.get(path) ?? []), route]);
    }
    this.#folders = [...folders].sort(([a], [b]) => b.length - a.length);
  }

  /** `method` as the client sent it; HEAD finds the route of GET. */
  find(method: string, path: string): Found {
    const routes = this.#exact.get(path) ?? this.#folders.find(([folder]) => path.startsWith(folder))?.[1];
    if (routes === undefined) return { kind: "no-path" };
    const wanted = method === "HEAD" ? "GET" : method;
    const route = routes.find((candidate) => methodOf(candidate) === wanted);
    if (route !== undefined) return { kind: "route", route };
    const methods = routes.map(methodOf);
    return { kind: "no-method", allowed: methods.includes("GET") ? [...methods, "HEAD"] : methods };
  }
}

function methodOf(route: Route): string {
  return route.method ?? "GET";
}
