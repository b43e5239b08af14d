import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The folder of the built pages: beside the bundle, or in `dist/` where the sources run; undefined where the program
 * came without. `from` is the URL of a module.
 */
export function builtPages(from: string = import.meta.url): string | undefined {
  const here = dirname(fileURLToPath(from));
  const places = [join(here, "ui"), join(here, "../../../dist/ui")];
  return places.find((place) => existsSync(join(place, "index.html")) && existsSync(join(place, "assets")));
}
