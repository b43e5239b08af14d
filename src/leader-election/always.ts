import type { LeaderElector } from "./leader-elector.ts";

/** The elector of clusters where one instance acts always (election off). */
export function alwaysLeader(holder: string): LeaderElector {
  return {
    state: { kind: "leading", holder, term: "always" },
    onChange: () => () => {},
    run: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
}
