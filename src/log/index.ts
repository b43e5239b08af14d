/**
 * # log: structured logging
 *
 * Lines in the original addon manager's shape (`INFO: == … ==`, `WRN:`, `ERR:`), or JSON for machines, written
 * synchronously to a descriptor or a file that rotates by size.
 *
 * Invariants: logging never throws and never ends the process (closed pipe, full disk); no control character, escape
 * sequence or credential reaches a line; one call is one line.
 *
 * It does not decide what is worth saying, except for {@link ChangeLog}, which says a thing once until it changes.
 */
export { ChangeLog, type ChangeReport } from "./change-log.ts";
export { escapeControls, withoutCredentials } from "./clean.ts";
export { LOG_LEVELS, type LogFields, type LogFormat, type LogLevel } from "./line.ts";
export { createLogger, type Logger, type LoggerOptions, silentLogger } from "./logger.ts";
export { makeFolder } from "./make-folder.ts";
export { type RotatingFileOptions, rotatingFileSink } from "./rotating-file.ts";
export { descriptorSink, type LineSink } from "./sink.ts";
export { NOT_LEADER_MESSAGE, startMessage } from "./text-format.ts";
