import { systemClock } from "../async/index.ts";
import { Journal } from "../history/index.ts";
import { ChangeLog, type Logger } from "../log/index.ts";
import type { Settings } from "./settings.ts";

/** The audit journal of a process that writes; it ends with `close`. Opens nothing before the first line. */
export function openJournal(settings: Settings, log: Logger, instance: string): Journal {
  const said = new ChangeLog(log);
  return new Journal({
    directories: settings.stateDirs,
    set: settings.set,
    instance,
    clock: systemClock,
    onTrouble: (trouble) => {
      if (trouble === undefined) {
        if (said.clear("journal")) log.info("The audit journal can be written again");
        return;
      }
      const message = `the audit journal cannot be written: ${trouble}; its lines are kept in memory, and everything else goes on`;
      said.report({ key: "journal", level: "warn", message });
    },
  });
}
