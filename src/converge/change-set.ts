import type { KeelsonError } from "../errors/index.ts";
import type { Origin } from "../manifest/index.ts";
import type { ObjectRef } from "../object/index.ts";
import type { ChangedField } from "./changed-fields.ts";
import type { LiveRecord } from "./record.ts";
import type { Step } from "./step.ts";

/** What became of a step. */
export type Outcome = "created" | "configured" | "unchanged" | "deleted" | "released" | "skipped" | "failed";

/** The record of one executed step: what log, events, journal, metrics and status are made from. */
export interface Change {
  readonly key: string;
  readonly ref: ObjectRef;
  readonly step: Step;
  readonly outcome: Outcome;
  /** Why, in words. */
  readonly reason: string;
  /** What it changes, as far as that is known; empty for what is created or deleted. */
  readonly fields: readonly ChangedField[];
  /** Where the object is declared; undefined for one that left. */
  readonly origin: Origin | undefined;
  readonly uid: string | undefined;
  /** What was done beyond the plain request: `took over from kubectl-client-side-apply`, `replaced spec.ports`. */
  readonly remarks: readonly string[];
  readonly error: KeelsonError | undefined;
  /** Warnings of the API server's answer. */
  readonly warnings: readonly string[];
  /** Milliseconds from the start of the step to its last answer. */
  readonly ms: number;
  /** Wall clock, milliseconds since the epoch. */
  readonly at: number;
}

/** What an executed step leaves for the engine: the outcome, and the object's new state where it is known. */
export interface Executed {
  readonly outcome: Outcome;
  /** State after the write; undefined where the object is gone or unknown. */
  readonly live: LiveRecord | undefined;
  readonly remarks: readonly string[];
  readonly warnings: readonly string[];
}
