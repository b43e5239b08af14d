import type { JSX } from "preact";
import type { ObjectState, Phase, Readiness, TimelineEntry } from "../../../src/http/dashboard/types.ts";
import { Icon } from "./icon.tsx";

/** The five colours of a state, each with a shape of its own. */
export type Tone = "good" | "busy" | "warn" | "bad" | "hold" | "quiet";

/** How a state is shown. */
export interface Look {
  readonly tone: Tone;
  readonly label: string;
}

export const STATES: Readonly<Record<ObjectState, Look>> = {
  converged: { tone: "good", label: "Converged" },
  pending: { tone: "busy", label: "Pending" },
  failed: { tone: "bad", label: "Failed" },
  blocked: { tone: "warn", label: "Blocked" },
  fighting: { tone: "bad", label: "Fighting" },
  paused: { tone: "hold", label: "Paused" },
  held: { tone: "hold", label: "Held" },
  kept: { tone: "quiet", label: "Kept" },
  leaving: { tone: "busy", label: "Leaving" },
};

export const READINESS: Readonly<Record<Readiness, Look>> = {
  Current: { tone: "good", label: "Ready" },
  InProgress: { tone: "busy", label: "In progress" },
  Failed: { tone: "bad", label: "Not ready" },
  Terminating: { tone: "warn", label: "Terminating" },
  NotFound: { tone: "warn", label: "Absent" },
  Unknown: { tone: "quiet", label: "Unknown" },
};

export const PHASES: Readonly<Record<Phase, Look>> = {
  starting: { tone: "busy", label: "Starting" },
  waiting: { tone: "busy", label: "Waiting" },
  progressing: { tone: "busy", label: "Converging" },
  degraded: { tone: "warn", label: "Needs a look" },
  converged: { tone: "good", label: "Converged" },
  paused: { tone: "hold", label: "Paused" },
};

/** How an entry of the timeline is shown. */
export function lookOfEntry({ kind, outcome }: Pick<TimelineEntry, "kind" | "outcome">): Look {
  switch (kind) {
    case "drift":
      return { tone: "warn", label: "Drift repaired" };
    case "failed":
      return { tone: "bad", label: "Failed" };
    case "action":
      return { tone: "hold", label: capital(outcome) };
    case "write":
      return { tone: outcome === "deleted" ? "quiet" : "good", label: capital(outcome) };
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A state: shape, colour and word together. */
export function Status({ look, small = false }: { readonly look: Look; readonly small?: boolean }): JSX.Element {
  return (
    <span class={`status tone-${look.tone}${small ? " status-small" : ""}`}>
      <Icon name={look.tone} size={small ? 14 : 16} />
      <span>{look.label}</span>
    </span>
  );
}
