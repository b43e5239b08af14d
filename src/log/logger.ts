import { type Logger as PinoLogger, pino } from "pino";
import { type Clock, systemClock } from "../async/index.ts";
import { assertNever } from "../errors/index.ts";
import { cleanFields, cleanText } from "./clean.ts";
import { LOG_LEVELS, type LogFields, type LogFormat, type LogLevel } from "./line.ts";
import { type LineSink, lossNotingSink } from "./sink.ts";
import { formatTextLine } from "./text-format.ts";

/** Writes one line per call, synchronously, and never throws. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line; the call's own fields win. */
  child(fields: LogFields): Logger;
}

/** What {@link createLogger} needs. */
export interface LoggerOptions {
  /** Where lines go. */
  readonly sink: LineSink;
  /** Default `text`. */
  readonly format?: LogFormat;
  /** The least grave level that is written; default `info`. */
  readonly level?: LogLevel;
  /** Stamps JSON lines; default the system clock. Text lines carry no time, as the original's do not. */
  readonly clock?: Clock;
}

type WriteLine = (level: LogLevel, message: string, fields: LogFields) => void;

/** A logger on `sink`. */
export function createLogger(options: LoggerOptions): Logger {
  const { sink, format = "text", level = "info", clock = systemClock } = options;
  return loggerOver(lineWriter(format, sink, clock), LOG_LEVELS.indexOf(level), {});
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};

function loggerOver(write: WriteLine, threshold: number, inherited: LogFields): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (LOG_LEVELS.indexOf(level) >= threshold)
        write(level, cleanText(message), cleanFields({ ...inherited, ...fields }));
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => loggerOver(write, threshold, { ...inherited, ...fields }),
  };
}

function lineWriter(format: LogFormat, sink: LineSink, clock: Clock): WriteLine {
  const lossText = (lost: number): string => `${lost} log lines lost: they could not be written`;
  switch (format) {
    case "text": {
      const noting = lossNotingSink(sink, (lost) => formatTextLine("warn", lossText(lost), {}));
      return (level, message, fields) => noting.write(formatTextLine(level, message, fields));
    }
    case "json": {
      const stamp = (): string => new Date(clock.now()).toISOString();
      const noting = lossNotingSink(
        sink,
        (lost) => `${JSON.stringify({ level: "warn", time: stamp(), msg: lossText(lost) })}\n`,
      );
      const json = jsonLogger(noting, stamp);
      return (level, message, fields) =>
        Object.keys(fields).length === 0 ? json[level](message) : json[level]({ fields }, message);
    }
    default:
      return assertNever(format);
  }
}

/** Pino does the JSON; the threshold and the cleaning are ours, so that both formats say the same. */
function jsonLogger(sink: LineSink, stamp: () => string): PinoLogger {
  return pino(
    {
      base: null,
      level: "debug",
      timestamp: () => `,"time":"${stamp()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    sink,
  );
}
