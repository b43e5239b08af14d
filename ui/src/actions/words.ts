import type { ActionRequest } from "../../../src/http/dashboard/types.ts";
import { oneLine } from "../format.ts";

/** How an action is called: the dialog's title, its button, and whether it can destroy something. */
export interface ActionWords {
  readonly title: string;
  readonly verb: string;
  readonly isDangerous: boolean;
}

/** The words for an action. */
export function wordsOf(request: ActionRequest): ActionWords {
  switch (request.kind) {
    case "rollback":
      return { title: `Roll back to revision ${request.revision}`, verb: "Roll back", isDangerous: true };
    case "resume":
      return { title: "Resume the directory", verb: "Resume", isDangerous: false };
    case "pause":
      return { title: `Pause repairs of ${targetOf(request.target)}`, verb: "Pause", isDangerous: false };
    case "unpause":
      return { title: `Unpause ${targetOf(request.target)}`, verb: "Unpause", isDangerous: false };
    case "confirm-prune":
      return { title: "Confirm the held prune", verb: "Delete these objects", isDangerous: true };
  }
}

function targetOf(target: (ActionRequest & { readonly kind: "pause" })["target"]): string {
  return oneLine(target.kind === "file" ? target.file : target.key, 100);
}
