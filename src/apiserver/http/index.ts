/**
 * # apiserver/http: HTTP
 *
 * Routes, content negotiation, discovery, OpenAPI, tables and watches over `rest`.
 *
 * Invariants: a request is answered in one turn of the event loop once its body is read; a fault is a 500, never a
 * crash; a watch holds no more than its subscription.
 *
 * JSON only: no protobuf, no CBOR, no compression, no authentication.
 */
export { type HandlerContext, handleRequest } from "./handler.ts";
