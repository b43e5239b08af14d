// Usage: node .ci/sum.mjs FOLDER STEP=EXIT_CODE...
// Adds up what the steps of .ci/run counted: vitest's JSON reports and acceptance's lines `ok NAME` and `FAIL NAME: …`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, ...outcomes] = process.argv.slice(2);

/** The vitest reports that a step leaves. */
const reports = {
  test: ["test.json"],
  "test-all": [
    "node24.json",
    "conformance.json",
    "crashes.json",
    "skew.json",
    "images.json",
    "monitoring.json",
    "browser.json",
  ],
};

function countReport(file) {
  if (!existsSync(file)) {
    return { passed: 0, failed: 1, skipped: 0, why: [`${file}: the tests did not run to their end`] };
  }
  const report = JSON.parse(readFileSync(file, "utf8"));
  const count = { passed: report.numPassedTests, failed: 0, skipped: 0, why: [] };
  count.skipped = report.numPendingTests + report.numTodoTests;
  for (const { name, status, message, assertionResults } of report.testResults) {
    const failures = assertionResults.filter((test) => test.status === "failed");
    for (const test of failures) count.why.push(`${name}: ${test.fullName}${messagesOf(test)}`);
    // A file that cannot be loaded, or whose hooks fail, has no failed test of its own.
    if (status === "failed" && failures.length === 0) count.why.push(`${name}: ${message.split("\n")[0]}`);
  }
  count.failed = count.why.length;
  return count;
}

/** The first lines of what each try failed with. */
function messagesOf({ failureMessages = [] }) {
  const lines = failureMessages.flatMap((message) => message.split("\n").slice(0, 3));
  return lines.map((line) => `\n        ${line.trim().slice(0, 400)}`).join("");
}

function countLines(file) {
  const lines = readFileSync(file, "utf8").split("\n");
  const why = lines.filter((line) => line.startsWith("FAIL "));
  return { passed: lines.filter((line) => line.startsWith("ok ")).length, failed: why.length, skipped: 0, why };
}

function countStep(name, code) {
  const counts = (reports[name] ?? []).map((report) => countReport(join(folder, report)));
  if (name === "acceptance") counts.push(countLines(join(folder, `${name}.log`)));
  // Checks (format, types, layers, dead code) and crashes count nothing themselves.
  if (code !== 0 && counts.every(({ failed }) => failed === 0)) {
    counts.push({ passed: 0, failed: 1, skipped: 0, why: [`${name}: exit code ${code}`] });
  }
  return counts;
}

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const outcome of outcomes) {
  const [name, code] = outcome.split("=");
  for (const count of countStep(name, Number(code))) {
    for (const key of Object.keys(sum)) sum[key] += count[key];
    for (const line of count.why) process.stdout.write(`failed: ${line}\n`);
  }
}
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
process.exitCode = sum.failed === 0 ? 0 : 1;
