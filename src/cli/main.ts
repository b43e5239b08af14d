import { fileURLToPath } from "node:url";
import { loadProgram } from "./load-program.ts";
import { isLongLived, tuneEngine } from "./tune-engine.ts";
import { versionLine } from "./version.ts";

const [command, ...rest] = process.argv.slice(2);
tuneEngine(command, process.versions);
// Loading the command line takes longer than Node.js itself; what only asks for the version need not wait for it.
if (command === "version" && rest.length === 0) process.stdout.write(versionLine());
else await start();

async function start(): Promise<void> {
  const file = fileURLToPath(new URL("program.cjs", import.meta.url));
  // Who only asks for help compiles next to nothing.
  const isCached = !isLongLived(command) && !rest.some((flag) => flag === "--help" || flag === "-h");
  const program = loadProgram(file, { command, isCached });
  await (program as typeof import("./start.ts")).start();
}
