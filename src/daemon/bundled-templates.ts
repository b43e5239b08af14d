import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { KeelsonError } from "../errors/index.ts";

const FOLDER = "templates/sriov";

/**
 * The SR-IOV templates that come with the program: in the first folder above it that has them, which is the package's
 * root for the bundle as for the sources. `from` is the URL of a module.
 *
 * @throws KeelsonError Unreadable where the installation lacks them
 */
export function bundledTemplates(from: string = import.meta.url): string {
  let folder = dirname(fileURLToPath(from));
  for (;;) {
    const candidate = join(folder, FOLDER);
    if (existsSync(candidate)) return candidate;
    const above = dirname(folder);
    if (above === folder) break;
    folder = above;
  }
  const message = `${FOLDER} is not beside the program: name a folder of templates with --manifests`;
  throw new KeelsonError("Unreadable", message, { object: FOLDER });
}
