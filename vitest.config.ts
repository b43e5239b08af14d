import { defineConfig, type ViteUserConfig } from "vitest/config";

const project = (name: string, include: string[], options: Record<string, unknown> = {}) => ({
  test: { name, include, testTimeout: 30_000, setupFiles: ["test/fast-check.setup.ts"], ...options },
});

// Suites with processes of their own (servers, daemons) share the machine with each other: a test whose deadline was eaten
// by a busy machine gets a second try. One that fails twice has failed.
const withProcesses = { retry: 1, hookTimeout: 120_000 };

const config: ViteUserConfig = defineConfig({
  test: {
    // Most of their time the suites wait for servers and for time to pass: two fill two cores better than one.
    maxWorkers: 2,
    projects: [
      project("unit", ["src/**/*.test.ts", "ui/**/*.test.ts", "tools/**/*.test.ts"]),
      project("integration", ["test/integration/**/*.test.ts"], { ...withProcesses, testTimeout: 120_000 }),
      project("conformance", ["test/conformance/**/*.test.ts"], { ...withProcesses, testTimeout: 120_000 }),
      project("faults", ["test/faults/**/*.test.ts"], { ...withProcesses, testTimeout: 180_000 }),
      // Not with `npm test`: it builds images for five architectures.
      project("images", ["test/images/**/*.test.ts"], { ...withProcesses, testTimeout: 180_000 }),
      // Not with `npm test`: it needs Prometheus.
      project("monitoring", ["test/monitoring/**/*.test.ts"], { ...withProcesses, testTimeout: 120_000 }),
      project("e2e", ["test/e2e/**/*.test.ts"], { ...withProcesses, testTimeout: 180_000 }),
      project("browser", ["test/browser/**/*.test.ts"], { ...withProcesses, testTimeout: 120_000 }),
    ],
  },
});

export default config;
