/** Deadline of what a machine under load takes long for, in milliseconds. Nothing waits that long where all is well. */
export const PATIENT_MS = 60_000;

/** The same as options of `eventually`. */
export const PATIENT: { readonly timeoutMs: number } = { timeoutMs: PATIENT_MS };
