import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiFailure, type FailureKind } from "./client.ts";

/** Something that is fetched. What was shown stays while it is fetched again, and when that fails. */
export type Loaded<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "ready"; readonly value: T }
  | { readonly kind: "failed"; readonly reason: FailureKind; readonly message: string };

/** The state after a fetch that failed: what is there is better than nothing. */
export function afterFailure<T>(before: Loaded<T>, error: unknown): Loaded<T> {
  if (before.kind === "ready") return before;
  if (error instanceof ApiFailure) return { kind: "failed", reason: error.kind, message: error.message };
  return { kind: "failed", reason: "failed", message: error instanceof Error ? error.message : String(error) };
}

/** A query of one page: fetched for `subject`, and again whenever `version` grows. */
export function useLoaded<T>(
  subject: string,
  load: () => Promise<T>,
  version: number,
): { readonly state: Signal<Loaded<T>>; readonly again: () => void } {
  const state = useSignal<Loaded<T>>({ kind: "loading" });
  const shown = useSignal(subject);
  const attempt = useSignal(0);
  useEffect(() => {
    let isCurrent = true;
    if (shown.peek() !== subject) {
      shown.value = subject;
      state.value = { kind: "loading" };
    }
    load().then(
      (value) => {
        if (isCurrent) state.value = { kind: "ready", value };
      },
      (error: unknown) => {
        if (isCurrent) state.value = afterFailure(state.peek(), error);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [subject, version, attempt.value]);
  const again = (): void => {
    state.value = { kind: "loading" };
    attempt.value += 1;
  };
  return { state, again };
}
