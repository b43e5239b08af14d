/**
 * # apiserver/storage: what etcd is to the API server
 *
 * Objects in tables, one resourceVersion sequence, events for watches, a bounded history.
 *
 * Invariants: writes are synchronous and totally ordered; a stored object is never mutated.
 *
 * It knows nothing of kinds, versions or validity.
 */
export {
  objectKey,
  Store,
  type StoreEvent,
  type StoreListener,
  type StoreSnapshot,
  type TableName,
} from "./store.ts";
