import { describe, expect, test } from "vitest";
import { isSecret, maskSecret, maskSecretPair } from "./index.ts";
import type { KubeObject } from "./types.ts";

const text = "kubectl.kubernetes.io/last-applied-configuration";

function secret(value: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", annotations: { [text]: `{"data":"${value}"}`, note: "kept" } },
    type: "Opaque",
    data: { a: value },
    stringData: { b: value },
  };
}

describe("maskSecret", () => {
  test("hides every value, also where the annotation repeats it", () => {
    expect(JSON.stringify(maskSecret(secret("hush")))).not.toContain("hush");
    expect(maskSecret(secret("hush"))).toMatchObject({
      metadata: { annotations: { [text]: "***", note: "kept" } },
      type: "Opaque",
      data: { a: "***" },
      stringData: { b: "***" },
    });
  });

  test("hides values of a malformed Secret too", () => {
    expect(maskSecret({ ...secret("x"), data: "hush" })).toMatchObject({ data: "***" });
  });

  test("leaves other kinds alone", () => {
    const configMap: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "1" } };
    const other: KubeObject = { apiVersion: "x.dev/v1", kind: "Secret", metadata: { name: "c" }, data: { a: "1" } };

    expect(maskSecret(configMap)).toBe(configMap);
    expect(maskSecret(other)).toBe(other);
    expect(isSecret(other)).toBe(false);
  });
});

describe("maskSecretPair", () => {
  test("says which values changed without showing them", () => {
    const { before, after } = maskSecretPair(secret("old"), secret("new"));

    expect(before).toMatchObject({ data: { a: "***" } });
    expect(after).toMatchObject({
      data: { a: "*** (changed)" },
      metadata: { annotations: { [text]: "*** (changed)" } },
    });
    expect(maskSecretPair(secret("same"), secret("same")).after).toMatchObject({ data: { a: "***" } });
  });

  test("hides values where there is only one side", () => {
    expect(maskSecretPair(undefined, secret("hush")).after).toMatchObject({ data: { a: "***" } });
    expect(maskSecretPair(secret("hush"), undefined)).toMatchObject({
      before: { data: { a: "***" } },
      after: undefined,
    });
  });
});
