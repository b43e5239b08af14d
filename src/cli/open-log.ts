import type { Settings } from "../daemon/index.ts";
import { createLogger, descriptorSink, type Logger, type LogLevel, rotatingFileSink } from "../log/index.ts";
import type { Progress } from "./progress.ts";

const STDOUT = 1;
const STDERR = 2;

/** The daemon's log: stdout, or the file that settings name. */
export function openDaemonLog(settings: Pick<Settings, "logFile" | "logFormat" | "logLevel">): Logger {
  const { logFile, logFormat, logLevel } = settings;
  const sink = logFile === undefined ? descriptorSink(STDOUT) : rotatingFileSink({ path: logFile });
  return createLogger({ sink, format: logFormat, level: logLevel });
}

/** The log of every other command: stderr, as stdout is for its report. */
export function openStderrLog(level: LogLevel, progress: Progress): Logger {
  const sink = descriptorSink(STDERR);
  const write = (line: string): boolean => {
    progress.clear();
    return sink.write(line);
  };
  return createLogger({ sink: { ...sink, write }, level });
}
