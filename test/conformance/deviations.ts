import type { Difference } from "./compare.ts";
import type { Sequence } from "./sequence.ts";

/** A difference between the embedded and the real API server that is accepted, and why. */
export interface Deviation {
  readonly id: string;
  readonly reason: string;
  readonly matches: (sequence: Sequence, difference: Difference) => boolean;
}

/** The accepted deviations. More than 15 mean that the embedded server is not done. */
export const DEVIATIONS: readonly Deviation[] = [
  {
    id: "scale-reorders-field-sets",
    reason:
      "On the real server a write through `scale` re-encodes every managedFields entry with numeric list keys in another " +
      "order (443 before 53), so that it and the next write move the resourceVersion although nothing changes.",
    matches: (sequence, { index, paths }) =>
      paths.every((path) => path.startsWith("/written:")) &&
      sequence.steps.slice(0, index + 1).some((step) => step.what.startsWith("scale")),
  },
  {
    id: "empty-inside-atomic",
    reason:
      "Inside an atomic list of structs the real server tells an empty list from none until it is stored: whoever sends " +
      "`hosts: []` for an Ingress without hosts takes the list from its owner.",
    matches: ({ spec }, { step, paths }) =>
      spec.kind === "Ingress" &&
      paths.every((path) => path.includes("/managedFields/")) &&
      JSON.stringify(step.call({ metadata: {} }).body).includes("[]"),
  },
];

/** The deviation that explains a difference. */
export function deviationOf(sequence: Sequence, difference: Difference): Deviation | undefined {
  return DEVIATIONS.find((deviation) => deviation.matches(sequence, difference));
}
