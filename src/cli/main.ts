import { tuneEngine } from "./tune-engine.ts";
import { versionLine } from "./version.ts";

const [command, ...rest] = process.argv.slice(2);
tuneEngine(command, process.versions);
// Loading the command line takes longer than Node.js itself; what only asks for the version need not wait for it.
if (command === "version" && rest.length === 0) process.stdout.write(versionLine());
else await (await import("./start.ts")).start();
