// Loaded into the program under test by NODE_OPTIONS=--require: the program itself is the built one, its time is not.
//   KEELSON_TEST_CLOCK_FILE  a file with milliseconds by which the wall clock is off, read anew at each look
//   KEELSON_TEST_SPEED       how many times faster timers and the monotonic clock go
//   KEELSON_TEST_DEAF_FILE   while this file is there, timers of twenty seconds and more never ring
// A process cannot be given another clock from outside without root rights over the whole machine's.
const { existsSync, readFileSync } = require("node:fs");

const clockFile = process.env.KEELSON_TEST_CLOCK_FILE;
if (clockFile !== undefined) {
  const now = Date.now;
  const offset = () => Number(readFileSync(clockFile, "utf8"));
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length === 0 ? [now() + offset()] : given));
    }
    static now() {
      return now() + offset();
    }
  };
}

const speed = Number(process.env.KEELSON_TEST_SPEED ?? "1");
if (speed !== 1) {
  const { setTimeout: wait } = globalThis;
  globalThis.setTimeout = (callback, ms = 0, ...given) => wait(callback, ms / speed, ...given);
  const monotonic = performance.now.bind(performance);
  performance.now = () => monotonic() * speed;
}

const deafFile = process.env.KEELSON_TEST_DEAF_FILE;
if (deafFile !== undefined) {
  const { setTimeout: wait } = globalThis;
  globalThis.setTimeout = (callback, ms = 0, ...given) => {
    const ring = (...values) => {
      if (ms < 20_000 || !existsSync(deafFile)) callback(...values);
    };
    return wait(ring, ms, ...given);
  };
}
