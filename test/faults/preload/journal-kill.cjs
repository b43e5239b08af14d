// Loaded into the program under test by NODE_OPTIONS=--require: ends it, as a power failure would, at one point of its
// first write to the audit journal.
//   KEELSON_TEST_KILL_AT  before | within | after
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const at = process.env.KEELSON_TEST_KILL_AT;
const { writeSync } = fs;
fs.writeSync = (descriptor, data, ...rest) => {
  const isLine = Buffer.isBuffer(data) && data.subarray(0, 7).toString() === '{"seq":';
  if (!isLine) return writeSync(descriptor, data, ...rest);
  if (at === "within") writeSync(descriptor, data.subarray(0, Math.floor(data.length / 2)));
  const written = at === "after" ? writeSync(descriptor, data, ...rest) : 0;
  process.kill(process.pid, "SIGKILL");
  return written;
};
syncBuiltinESMExports();
