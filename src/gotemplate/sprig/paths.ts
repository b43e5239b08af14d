import type { GoFunction } from "../go/values.ts";
import { bool, fn, text } from "./signature.ts";

/** sprig's functions on slash-separated paths; the `os…` forms are the same on Linux. */
export const PATH_FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  base: fn([text], text, base),
  dir: fn([text], text, dir),
  clean: fn([text], text, clean),
  ext: fn([text], text, ext),
  isAbs: fn([text], bool, isAbsolute),
  osBase: fn([text], text, base),
  osDir: fn([text], text, dir),
  osClean: fn([text], text, clean),
  osExt: fn([text], text, ext),
  osIsAbs: fn([text], bool, isAbsolute),
};

function base(path: string): string {
  if (path === "") {
    return ".";
  }
  const trimmed = path.replace(/\/+$/, "");
  return trimmed === "" ? "/" : trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

function dir(path: string): string {
  return clean(path.slice(0, path.lastIndexOf("/") + 1));
}

/** The shortest path that means the same: no `.`, no doubled slash, `..` only at the start of a relative path. */
function clean(path: string): string {
  const isRooted = path.startsWith("/");
  const kept: string[] = [];
  for (const element of path.split("/")) {
    if (element === "" || element === ".") {
      continue;
    }
    if (element !== ".." || (kept.length > 0 ? kept.at(-1) === ".." : !isRooted)) {
      kept.push(element);
    } else {
      kept.pop();
    }
  }
  const cleaned = (isRooted ? "/" : "") + kept.join("/");
  return cleaned === "" ? "." : cleaned;
}

function ext(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot);
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}
