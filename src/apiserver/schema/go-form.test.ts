import { beforeAll, describe, expect, it } from "vitest";
import { loadDataFile } from "../data-file.ts";
import { BuiltinTypes } from "./builtin-types.ts";
import { DecodeError, toGoForm } from "./go-form.ts";

let types: BuiltinTypes;

beforeAll(async () => {
  types = new BuiltinTypes(await loadDataFile());
});

const read = (apiVersion: string, kind: string, content: object): Record<string, unknown> => {
  const {
    apiVersion: _,
    kind: __,
    ...rest
  } = toGoForm({ apiVersion, kind, ...content }, types.named(types.ofKind(apiVersion, kind)?.name ?? "")).object;
  return rest;
};

describe("the form in which Go holds an object", () => {
  it("writes struct values always, and lists without omitempty as null", () => {
    expect(read("rbac.authorization.k8s.io/v1", "ClusterRole", {})).toEqual({ metadata: {}, rules: null });
    expect(read("apps/v1", "Deployment", {})).toEqual({
      metadata: {},
      spec: { selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
      status: {},
    });
  });

  it("drops zero values with omitempty, and keeps those of pointers", () => {
    const spec = { replicas: 0, minReadySeconds: 0, paused: false };

    expect(read("apps/v1", "Deployment", { spec }).spec).toMatchObject({ replicas: 0 });
    expect(read("apps/v1", "Deployment", { spec }).spec).not.toHaveProperty("minReadySeconds");
  });

  it("drops unknown fields and names them by path", () => {
    const decoded = toGoForm({ spec: { ports: [{ prot: 1 }], typo: 1 } }, types.named("core.v1.Service"));

    expect(decoded.unknownFields).toEqual(["spec.ports[0].prot", "spec.typo"]);
  });

  it("reads null in a map of text as the empty text", () => {
    expect(read("v1", "ConfigMap", { data: { a: null } }).data).toEqual({ a: "" });
  });

  it("writes quantities, times and base64 canonically", () => {
    expect(read("v1", "ResourceQuota", { spec: { hard: { cpu: "1000m", pods: 3 } } }).spec).toEqual({
      hard: { cpu: "1", pods: "3" },
    });
    expect(
      read("coordination.k8s.io/v1", "Lease", { spec: { renewTime: "2030-01-01T01:00:00.1+01:00" } }).spec,
    ).toEqual({ renewTime: "2030-01-01T00:00:00.100000Z" });
    expect(read("v1", "Secret", { data: { a: "YQ=\n=" } }).data).toEqual({ a: "YQ==" });
  });

  it.each([
    [
      "v1",
      "ConfigMap",
      { data: { a: 1 } },
      "cannot unmarshal number 1 into Go struct field ConfigMap.data.a of type string",
    ],
    ["v1", "Secret", { data: { a: "%" } }, "illegal base64 data at input byte 0"],
    ["apps/v1", "Deployment", { spec: { replicas: 1.5 } }, "of type int32"],
    ["apps/v1", "Deployment", { spec: [] }, "cannot unmarshal array"],
    ["v1", "ResourceQuota", { spec: { hard: { cpu: "lots" } } }, "quantities must match"],
  ])("refuses %s %s %j", (apiVersion, kind, content, message) => {
    expect(() => read(apiVersion, kind, content)).toThrow(DecodeError);
    expect(() => read(apiVersion, kind, content)).toThrow(message);
  });
});
