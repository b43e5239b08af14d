import { expect, it } from "vitest";
import { eventually } from "../control-plane/index.ts";
import type { Call, Json, Reply, Target } from "./target.ts";

/** What a case works with: one server, and a namespace of its own. */
export interface Bench {
  readonly target: Target;
  readonly namespace: string;
  call(call: Call): Promise<Reply>;
  /** Applies an object by server-side apply. */
  apply(path: string, body: Json, options?: { manager?: string; force?: boolean; dryRun?: boolean }): Promise<Reply>;
  get(path: string): Promise<Reply>;
  /** The path of a core resource in the namespace. */
  core(resource: string, name?: string): string;
}

/** One claim that must hold on both servers. A skip carries its reason. */
export interface Case {
  readonly claim: string;
  readonly run: (bench: Bench) => Promise<void>;
  readonly skip?: Partial<Record<"embedded" | "real", string>>;
}

/** Declares the cases as tests on one server. */
export function declareCases(group: string, cases: readonly Case[], target: () => Target): void {
  for (const [index, one] of cases.entries()) {
    it(`${one.claim}`, async (context) => {
      const reason = one.skip?.[target().name];
      if (reason !== undefined) context.skip(reason);
      await one.run(await benchFor(target(), `${group}-${index}`));
    });
  }
}

async function benchFor(target: Target, namespace: string): Promise<Bench> {
  const created = await target.call({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { metadata: { name: namespace } },
  });
  expect(created.status).toBe(201);
  return {
    target,
    namespace,
    call: (call) => target.call(call),
    apply: (path, body, { manager = "alpha", force = false, dryRun = false } = {}) =>
      target.call({
        method: "PATCH",
        path,
        query: { fieldManager: manager, ...(force ? { force: "true" } : {}), ...(dryRun ? { dryRun: "All" } : {}) },
        body,
        contentType: "application/apply-patch+yaml",
      }),
    get: (path) => target.call({ method: "GET", path }),
    core: (resource, name) => `/api/v1/namespaces/${namespace}/${resource}${name === undefined ? "" : `/${name}`}`,
  };
}

/** A ConfigMap, as tests need it most. */
export function configMap(name: string, data: Json, metadata: Json = {}): Json {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

export { eventually };
