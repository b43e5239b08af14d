import type { JsonObject } from "../../object/index.ts";
import type { FieldError } from "../strategy/index.ts";

/** A refusal: the Status that the client gets. */
export class ApiError extends Error {
  readonly code: number;
  readonly status: JsonObject;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: number,
    reason: string,
    message: string,
    more: { details?: JsonObject; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.headers = more.headers ?? {};
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      // A failure that the server did not foresee has no reason.
      ...(reason === "" ? {} : { reason }),
      ...(more.details === undefined ? {} : { details: more.details }),
      code,
    };
  }
}

/** The resource that an error is about. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

function qualified({ group, resource }: ResourceName): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function detailsOf(of: ResourceName, name: string): JsonObject {
  return { ...(name === "" ? {} : { name }), ...(of.group === "" ? {} : { group: of.group }), kind: of.resource };
}

export function notFound(of: ResourceName, name: string): ApiError {
  return new ApiError(404, "NotFound", `${qualified(of)} ${JSON.stringify(name)} not found`, {
    details: detailsOf(of, name),
  });
}

/** A path that names nothing the server serves. */
export function unknownResource(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", { details: {} });
}

export function alreadyExists(of: ResourceName, name: string): ApiError {
  return new ApiError(409, "AlreadyExists", `${qualified(of)} ${JSON.stringify(name)} already exists`, {
    details: detailsOf(of, name),
  });
}

export function conflict(of: ResourceName, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(of)} ${JSON.stringify(name)}: ${why}`;
  return new ApiError(409, "Conflict", message, { details: detailsOf(of, name) });
}

/** What the server says when an update comes with an old resourceVersion. */
export const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";

export function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}

export function forbidden(of: ResourceName, name: string, why: string, causes?: readonly JsonObject[]): ApiError {
  const details = { ...detailsOf(of, name), ...(causes === undefined ? {} : { causes }) };
  return new ApiError(403, "Forbidden", `${qualified(of)} ${JSON.stringify(name)} is forbidden: ${why}`, { details });
}

/** 422 with the fields that are wrong. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const lines = errors.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`));
  const list = lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`;
  const who = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  const causes = errors.map(({ reason, field, message }) => ({ reason, message, field }));
  const details = {
    ...(name === "" ? {} : { name }),
    ...(kind.group === "" ? {} : { group: kind.group }),
    ...(kind.kind === "" ? {} : { kind: kind.kind }),
    causes,
  };
  return new ApiError(422, "Invalid", `${who} ${JSON.stringify(name)} is invalid: ${list}`, { details });
}

/** A failure that the server did not foresee: 500 without a reason. */
export function unforeseen(message: string): ApiError {
  return new ApiError(500, "", message);
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {
    details: {},
  });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new ApiError(415, "UnsupportedMediaType", message);
}

export function notAcceptable(accepted: readonly string[]): ApiError {
  return new ApiError(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);
}

export function tooLarge(limit: number): ApiError {
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limit}`);
}

/** A list or watch from a resourceVersion that is not kept any more. */
export function expired(message: string): ApiError {
  return new ApiError(410, "Expired", message);
}
