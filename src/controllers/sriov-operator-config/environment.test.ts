import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OPERATOR_VARIABLES, readEnvironment, requireEnvironment } from "./environment.ts";

const LEAST = { NAMESPACE: "sriov", RESOURCE_PREFIX: "example.com" };

describe("requireEnvironment", () => {
  it.each([
    { variable: "NAMESPACE", environment: { ...LEAST, NAMESPACE: "" } },
    { variable: "NAMESPACE", environment: { ...LEAST, NAMESPACE: "Not A Name" } },
    { variable: "RESOURCE_PREFIX", environment: { NAMESPACE: "sriov" } },
    { variable: "METRICS_EXPORTER_PORT", environment: { ...LEAST, METRICS_EXPORTER_PORT: "70000" } },
    {
      variable: "ADMISSION_CONTROLLERS_CERTIFICATES_OPERATOR_CA_CRT",
      environment: { ...LEAST, ADMISSION_CONTROLLERS_CERTIFICATES_OPERATOR_CA_CRT: "---" },
    },
  ])("names $variable", ({ variable, environment }) => {
    expect(() => requireEnvironment(environment)).toThrow(
      expect.objectContaining({ code: "InvalidFlag", message: expect.stringContaining(`${variable}: `) }),
    );
  });

  it("needs no image to start", () => {
    expect(requireEnvironment(LEAST).namespace).toBe("sriov");
  });
});

describe("readEnvironment", () => {
  it("trims the names of pull secrets and drops empty ones", () => {
    expect(readEnvironment({ IMAGE_PULL_SECRETS: "a, b,,  " }).imagePullSecrets).toEqual(["a", "b"]);
    expect(readEnvironment({}).imagePullSecrets).toEqual([]);
  });

  it("prefers RELEASEVERSION to the name that manifests set", () => {
    expect(readEnvironment({ RELEASEVERSION: "1", RELEASE_VERSION: "2" }).releaseVersion).toBe("1");
    expect(readEnvironment({ RELEASE_VERSION: "2" }).releaseVersion).toBe("2");
  });
});

describe("docs/reference/sriov.md", () => {
  it("has a row for every variable, and no other", () => {
    const page = readFileSync(new URL("../../../docs/reference/sriov.md", import.meta.url), "utf8");
    const rows = page.split("\n").filter((line) => /^\| `[A-Z_]+` \|/.test(line));

    expect(rows).toEqual(
      OPERATOR_VARIABLES.map(({ name, fallback, effect }) => `| \`${name}\` | ${fallback} | ${effect} |`),
    );
  });
});
