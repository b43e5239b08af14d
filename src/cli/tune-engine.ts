import { setFlagsFromString } from "node:v8";

/** In bytes of executed bytecode; the default of V8 11 is 132 KiB. */
const INTERRUPT_BUDGET = 1_000_000;
/** What goes on for months, and must be small. */
const LONG_LIVED: ReadonlySet<string> = new Set(["run", "sriov-webhook"]);

/**
 * Tells V8 what kind of program this is. To be called before anything else is loaded.
 *
 * V8 11 (Node.js 20) compiles functions so early that a pass over 500 objects spends a third of its time in the compiler,
 * and a daemon keeps 5 MB of machine code that it hardly uses; later versions judge better, and do not know the flag. What
 * lives long does without unoptimised machine code (2 MB more than its bytecode), and with a heap that is kept small.
 */
export function tuneEngine(command: string | undefined, versions: Readonly<Record<string, string | undefined>>): void {
  if (versions.v8?.startsWith("11.") === true) setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
  if (!isLongLived(command)) return;
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--no-sparkplug");
}

/** Whether a command goes on for months. */
export function isLongLived(command: string | undefined): boolean {
  return command !== undefined && LONG_LIVED.has(command);
}
