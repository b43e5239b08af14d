import { type ChildProcess, spawn } from "node:child_process";

// Reads "add PID" and "remove PID". Its input ends when the test process closes it or dies, however it dies; then it
// kills the process groups that are left and removes the folder. A shell, because it waits beside every plane.
const script = `
groups=
while read -r action pid; do
  rest=
  for group in $groups; do [ "$group" = "$pid" ] || rest="$rest $group"; done
  groups=$rest
  [ "$action" = remove ] || groups="$groups $pid"
done
for group in $groups; do kill -s KILL -- "-$group"; done 2>/dev/null
rm -rf -- "$1"
`;

/** Ends process groups and removes a folder when this process is gone, even by SIGKILL. */
export class Watchdog {
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;

  constructor(directory: string) {
    // A session of its own: ctrl-C in a terminal must not end it before it has done its work.
    this.#process = spawn("/bin/sh", ["-c", script, "watchdog", directory], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#ended = new Promise((resolve) => {
      this.#process.once("exit", () => resolve());
      this.#process.once("error", () => resolve());
    });
    // A watchdog that was killed makes writes fail; the planes then merely lack it.
    this.#process.stdin?.on("error", () => undefined);
  }

  watch(pid: number): void {
    this.#process.stdin?.write(`add ${pid}\n`);
  }

  forget(pid: number): void {
    this.#process.stdin?.write(`remove ${pid}\n`);
  }

  /** Has the rest killed and the folder removed now. */
  async release(): Promise<void> {
    this.#process.stdin?.end();
    await this.#ended;
  }
}
