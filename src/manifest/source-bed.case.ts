import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { ManifestSnapshot } from "./index.ts";

/** A directory of manifests, and a signal, for the tests of a file: new for each test, gone after it. */
export interface SourceBed {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly abort: () => void;
  /** Writes a file; returns where. */
  readonly put: (path: string, text: string | Uint8Array) => string;
  /** As if the file had been there for an hour. */
  readonly putOld: (path: string, text: string | Uint8Array) => void;
}

export function useSourceBed(): SourceBed {
  let path = "";
  let controller = new AbortController();
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), "keelson-manifest-"));
    controller = new AbortController();
  });
  afterEach(() => {
    controller.abort();
    rmSync(path, { recursive: true, force: true });
  });
  const put = (name: string, text: string | Uint8Array): string => {
    const full = join(path, name);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  return {
    get path() {
      return path;
    },
    get signal() {
      return controller.signal;
    },
    abort: () => controller.abort(),
    put,
    putOld(name, text) {
      const then = Date.now() / 1000 - 3600;
      utimesSync(put(name, text), then, then);
    },
  };
}

export const configMap = (name: string, value = "1"): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  v: "${value}"\n`;

export const names = (snapshot: ManifestSnapshot | undefined): readonly string[] =>
  (snapshot?.objects ?? []).map(({ name }) => name);
