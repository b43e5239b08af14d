import { describe, expect, test } from "vitest";
import { parseStatus } from "./api-status.ts";
import { classify } from "./classify.ts";
import { status } from "./test-server.case.ts";

const asked = { verb: "apply", object: "Widget a/x", resource: "widgets" };

function codeOf(code: number, body: unknown, isJsonPatch = false): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return classify(parseStatus(code, text), { ...asked, isJsonPatch }).code;
}

function invalid(reason: string, message: string, field = "spec.x"): unknown {
  return status(422, { reason: "Invalid", message, details: { name: "x", causes: [{ reason, message, field }] } });
}

describe("classify", () => {
  test.each([
    ["401", 401, status(401, { reason: "Unauthorized" }), "Unauthorized"],
    ["403", 403, status(403, { reason: "Forbidden" }), "Forbidden"],
    [
      "403 of a namespace that goes away",
      403,
      status(403, {
        reason: "Forbidden",
        details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] },
      }),
      "NamespaceTerminating",
    ],
    [
      "404 of an object",
      404,
      status(404, { reason: "NotFound", message: 'widgets "x" not found', details: { name: "x", kind: "widgets" } }),
      "NotFound",
    ],
    [
      "404 of its namespace",
      404,
      status(404, {
        reason: "NotFound",
        message: 'namespaces "a" not found',
        details: { name: "a", kind: "namespaces" },
      }),
      "NamespaceNotFound",
    ],
    [
      "404 of an unknown resource",
      404,
      status(404, { reason: "NotFound", message: "the server could not find the requested resource", details: {} }),
      "NoMatch",
    ],
    ["404 of an unknown group", 404, "404 page not found\n", "NoMatch"],
    ["409 on create", 409, status(409, { reason: "AlreadyExists" }), "AlreadyExists"],
    ["409 on a precondition", 409, status(409, { reason: "Conflict" }), "Conflict"],
    ["410", 410, status(410, { reason: "Expired" }), "Expired"],
    ["413", 413, status(413, { reason: "RequestEntityTooLarge" }), "BadRequest"],
    ["405", 405, status(405, { reason: "MethodNotAllowed" }), "BadRequest"],
    ["415", 415, status(415, { reason: "UnsupportedMediaType" }), "BadRequest"],
    [
      "400 of a wrong type",
      400,
      status(400, { reason: "BadRequest", message: "invalid object type: /, Kind=" }),
      "BadRequest",
    ],
    [
      "400 of a duplicate key",
      400,
      status(400, { reason: "BadRequest", message: 'error strict decoding patch: yaml: key "a" already set' }),
      "SchemaError",
    ],
    [
      "400 of an unknown field",
      400,
      status(400, { reason: "BadRequest", message: 'strict decoding error: unknown field "spec.foo"' }),
      "SchemaError",
    ],
    ["422", 422, invalid("FieldValueRequired", "Required value"), "Invalid"],
    [
      "422 of an immutable field",
      422,
      invalid("FieldValueInvalid", "Invalid value: 1: field is immutable"),
      "Immutable",
    ],
    [
      "422 of an immutable ConfigMap",
      422,
      invalid("FieldValueForbidden", "Forbidden: field is immutable when `immutable` is set"),
      "Immutable",
    ],
    // Kubernetes 1.34; later ones say that it is immutable.
    ["422 of a role", 422, invalid("FieldValueInvalid", "Invalid value: {}: cannot change roleRef"), "Immutable"],
    ["422 of a cluster IP", 422, invalid("FieldValueInvalid", "Invalid value: may not change once set"), "Immutable"],
    [
      "422 of a StatefulSet",
      422,
      invalid(
        "FieldValueForbidden",
        "Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden",
      ),
      "Immutable",
    ],
    ["422 with the words but another reason", 422, invalid("FieldValueDuplicate", "field is immutable"), "Invalid"],
    [
      "422 of a taken address",
      422,
      invalid("FieldValueInvalid", "failed to allocate IP 10.96.77.7: provided IP is already allocated"),
      "Invalid",
    ],
    ["422 of another uid", 422, invalid("FieldValueInvalid", "field is immutable", "metadata.uid"), "Conflict"],
    ["429", 429, status(429, { reason: "TooManyRequests" }), "TooManyRequests"],
    ["429 in plain text", 429, "Too many requests", "TooManyRequests"],
    [
      "500 of a manifest that does not fit",
      500,
      status(500, {
        message: "failed to create typed patch object (a/x; v1, Kind=Widget): .spec.y: field not declared in schema",
      }),
      "SchemaError",
    ],
    [
      "500 of a bad quantity",
      500,
      status(500, { message: "failed to convert new object (a/x; v1, Kind=Widget): quantities must match" }),
      "SchemaError",
    ],
    [
      "500 of entries of a version that is gone",
      500,
      status(500, { message: "request to convert CR to an invalid group/version: test.dev/v1alpha1" }),
      "TrackingUnreliable",
    ],
    [
      "500 of entries that no longer fit",
      500,
      status(500, {
        message:
          "failed to prune fields: failed add back owned items: failed to convert merged object at version test.dev/v1: .spec.d: field not declared in schema",
      }),
      "TrackingUnreliable",
    ],
    [
      "500 of entries that no longer fit, in short",
      500,
      status(500, { message: ".spec.d: field not declared in schema" }),
      "TrackingUnreliable",
    ],
    [
      "500 of a webhook",
      500,
      status(500, { reason: "InternalError", message: 'Internal error occurred: failed calling webhook "x"' }),
      "ServerError",
    ],
    ["503 in plain text", 503, "upstream connect error", "ServerError"],
    [
      "504",
      504,
      status(504, { reason: "Timeout", details: { causes: [{ reason: "ResourceVersionTooLarge" }] } }),
      "ServerError",
    ],
    ["a redirect", 302, "<a href='/login'>", "BadRequest"],
  ])("takes %s for %4$s", (_, code, body, expected) => {
    expect(codeOf(code, body)).toBe(expected);
  });

  test("takes 422 without causes for a conflict on a JSON patch only", () => {
    const body = status(422, {
      reason: "Invalid",
      message: "the server rejected our request due to an error in our request",
    });

    expect(codeOf(422, body, true)).toBe("Conflict");
    expect(codeOf(422, body, false)).toBe("Invalid");
  });

  test("takes a missing Namespace, when it is the object itself, for NotFound", () => {
    const body = status(404, {
      reason: "NotFound",
      message: 'namespaces "a" not found',
      details: { name: "a", kind: "namespaces" },
    });
    const error = classify(parseStatus(404, JSON.stringify(body)), { ...asked, resource: "namespaces" });

    expect(error.code).toBe("NotFound");
  });

  test("keeps object, status, causes and the server's wish", () => {
    const body = status(429, {
      details: { retryAfterSeconds: 3, causes: [{ reason: "R", message: "m", field: "f" }] },
    });

    const error = classify(parseStatus(429, JSON.stringify(body)), asked);

    expect(error).toMatchObject({
      message: "Widget a/x: apply: refused with 429",
      object: "Widget a/x",
      httpStatus: 429,
      retryAfterMs: 3_000,
      causes: [{ reason: "R", message: "m", field: "f" }],
    });
  });

  test("cuts a long page of a proxy short", () => {
    const error = classify(parseStatus(502, `<html>${"x".repeat(10_000)}`), asked);

    expect(error.message.length).toBeLessThan(400);
  });
});

describe("an answer about a Secret", () => {
  const secret = { verb: "apply", object: "Secret a/x", resource: "secrets" };

  test("is told without the value that the server quotes", () => {
    const text =
      "failed to create typed patch object (a/x; v1, Kind=Secret): .stringData.p: expected string, got &value.valueUnstructured{Value:987654321}";

    const { code, message } = classify(parseStatus(500, JSON.stringify(status(500, { message: text }))), secret);

    expect(code).toBe("SchemaError");
    expect(message).toContain(".stringData.p: expected string, got *");
    expect(message).not.toContain("987654321");
  });

  test("has no value in its causes either", () => {
    const body = invalid("FieldValueInvalid", 'data[p]: Invalid value: "hunter2": must be short', "data[p]");

    const error = classify(parseStatus(422, JSON.stringify(body)), secret);

    expect(JSON.stringify([error.message, error.causes])).not.toContain("hunter2");
  });
});
