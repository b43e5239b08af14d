import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { repositoryRoot } from "../test/control-plane/binaries.ts";

/** Go programs of the bench; each has a module of its own under bench/peers. */
export type PeerModule = "floor" | "flux" | "helm";

export type Program =
  | { readonly kind: "ready"; readonly path: string }
  /** It cannot be run here, for the reason that stands beside it. */
  | { readonly kind: "missing"; readonly why: string };

const packages: Readonly<Record<PeerModule, string>> = { floor: ".", flux: ".", helm: "helm.sh/helm/v4/cmd/helm" };

/** Builds a peer outside the checkout, unless the same sources have been built there before. */
export function buildPeer(name: PeerModule): Program {
  const go = findGo();
  if (go === undefined) return { kind: "missing", why: "Go is not installed" };
  const module = join(repositoryRoot, "bench/peers", name);
  const hash = createHash("sha256");
  for (const file of readdirSync(module).sort()) hash.update(file).update(readFileSync(join(module, file)));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const directory = join(cache, "keelson/bench-peers", hash.digest("hex").slice(0, 16));
  const path = join(directory, name);
  if (existsSync(path)) return { kind: "ready", path };
  process.stderr.write(`bench: building ${name}\n`);
  mkdirSync(directory, { recursive: true });
  const partial = `${path}.${process.pid}`;
  try {
    execFileSync(
      go,
      ["build", "-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", partial, packages[name]],
      {
        cwd: module,
        env: { ...process.env, CGO_ENABLED: "0" },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
  } catch (error) {
    const { stderr } = error as { readonly stderr?: Buffer };
    return {
      kind: "missing",
      why: `it cannot be built: ${stderr?.toString().trim().split("\n").at(-1) ?? String(error)}`,
    };
  }
  renameSync(partial, path);
  return { kind: "ready", path };
}

function findGo(): string | undefined {
  // Where Go's own installer puts it, for shells whose PATH was not extended.
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/go/bin"];
  return folders.map((folder) => join(folder, "go")).find((path) => existsSync(path));
}
