import { expect, it } from "vitest";
import { fieldPathsOf } from "./field-paths.ts";

it("writes the owned fields as people do", () => {
  const fields = {
    "f:metadata": {
      "f:labels": { ".": {}, "f:app": {}, "f:x.dev/y": {} },
      "f:finalizers": { ".": {}, 'v:"x.dev/a"': {} },
    },
    "f:spec": {
      "f:ports": { ".": {}, 'k:{"port":53,"protocol":"UDP"}': { ".": {}, "f:name": {}, "f:port": {} } },
      "f:tolerations": {},
    },
  };

  expect(fieldPathsOf(fields)).toEqual([
    "metadata.labels.app",
    'metadata.labels["x.dev/y"]',
    "metadata.finalizers[=x.dev/a]",
    "spec.ports[port=53,protocol=UDP].name",
    "spec.ports[port=53,protocol=UDP].port",
    "spec.tolerations",
  ]);
});

it("finds nothing in a set that owns nothing", () => {
  expect(fieldPathsOf({})).toEqual([]);
});
