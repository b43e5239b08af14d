import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Reply, Route } from "../route.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const PACKED = ".gz";
/** The build puts a digest into the names of scripts and styles: such a file never changes. */
const HASHED = /-[\w-]{8,}\.(?:js|css)$/;

/**
 * The pages, as the build left them in `folder`: `/`, and files below `/assets/`. Only files that are there now are ever
 * opened, by the names that the folder gave. They hold nothing of a cluster and are open to everybody.
 */
export function pageRoutes(folder: string | undefined): readonly Route[] {
  const assets = folder === undefined ? [] : listed(join(folder, "assets"));
  const packed = new Set(assets);
  const serve = (path: string, acceptsGzip: boolean): Promise<Reply> | Reply => {
    if (folder === undefined) return { status: 404, body: "this build has no dashboard\n" };
    return fileReply(join(folder, path), acceptsGzip);
  };
  return [
    {
      path: "/",
      access: "open",
      respond: ({ header }) => serve("index.html", acceptsGzip(header("accept-encoding"))),
    },
    {
      path: "/assets/*",
      access: "open",
      respond: ({ path, header }) => {
        const name = path.slice("/assets/".length);
        if (!packed.has(name) || name.endsWith(PACKED)) return { status: 404, body: "not found\n" };
        return serve(`assets/${name}`, acceptsGzip(header("accept-encoding")) && packed.has(`${name}${PACKED}`));
      },
    },
  ];
}

/** Whether a client takes gzip. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:[.]0*)?(?:,|$))/.test(acceptEncoding ?? "");
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function fileReply(path: string, isPacked: boolean): Promise<Reply> {
  const body = await readFile(isPacked ? `${path}${PACKED}` : path).catch(() => undefined);
  if (body === undefined) return isPacked ? fileReply(path, false) : { status: 404, body: "not found\n" };
  const headers = {
    vary: "accept-encoding",
    ...(isPacked ? { "content-encoding": "gzip" } : {}),
    ...(HASHED.test(path) ? { "cache-control": "public, max-age=31536000, immutable" } : {}),
  };
  return { status: 200, contentType: TYPES[extname(path)] ?? "application/octet-stream", headers, body };
}
