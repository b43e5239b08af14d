import type { Clock } from "../../async/index.ts";
import {
  type AddonView,
  type PauseTarget as ControlTarget,
  removePauses,
  requestResume,
  requestRollback,
  writeConfirmation,
  writePause,
} from "../../controllers/addon/index.ts";
import { assertNever, KeelsonError } from "../../errors/index.ts";
import { type Journal, RevisionStore, unservedKinds } from "../../history/index.ts";
import type {
  ActionRequest,
  ActionResult,
  Actor,
  DashboardActions,
  PauseTarget,
  TimelineEntry,
} from "../../http/index.ts";
import type { KubeClient } from "../../kube/index.ts";
import type { Logger } from "../../log/index.ts";
import { parseRefKey } from "../../object/index.ts";
import { controlOf } from "./control.ts";
import type { DashboardHistory } from "./history.ts";
import { type Preview, previewPause, previewPrune, previewResume, previewRollback, refusal } from "./previews.ts";
import { shortText } from "./texts.ts";

/** What actions work with. */
export interface ActionPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly journal: Pick<Journal, "append">;
  readonly history: DashboardHistory;
  readonly view: () => AddonView | undefined;
  /** Tells the timeline. */
  readonly note: (entry: Omit<TimelineEntry, "id">) => void;
}

/** What people can do from the dashboard: the same as on the command line, by the same control ConfigMap. */
export class DashboardControls implements DashboardActions {
  readonly #ports: ActionPorts;

  constructor(ports: ActionPorts) {
    this.#ports = ports;
  }

  async preview(request: ActionRequest, { signal }: Actor): Promise<Preview> {
    const view = this.#view();
    switch (request.kind) {
      case "confirm-prune":
        return previewPrune(view, request.digest);
      case "rollback":
        return this.#previewRollback(view, request.revision, signal);
      case "resume":
        return previewResume(view.status().hold);
      case "pause":
      case "unpause":
        return previewPause(view, request, isPaused(view, request.target));
      default:
        return assertNever(request);
    }
  }

  async act(request: ActionRequest, actor: Actor): Promise<ActionResult> {
    const { clock, log, note } = this.#ports;
    const by = `${shortText(actor.user, 200)} (dashboard)`;
    const message = await this.#do(request, { by, signal: actor.signal });
    log.info(`Dashboard: ${request.kind} by ${by}`);
    const at = new Date(clock.now()).toISOString();
    const reason = "reason" in request && request.reason !== undefined ? `${message} ${request.reason}` : message;
    note({ at, kind: "action", outcome: request.kind, reason: shortText(reason), authors: [by], changes: [] });
    return { message };
  }

  /** Does it, and says in a sentence what was done. */
  async #do(request: ActionRequest, who: { readonly by: string; readonly signal: AbortSignal }): Promise<string> {
    const { client, clock, history } = this.#ports;
    const { names } = this.#view();
    const { by, signal } = who;
    const now = clock.now();
    const told = { by, at: new Date(now).toISOString(), signal };
    switch (request.kind) {
      case "rollback":
        await requestRollback(history.ports(signal), { by, now, revision: request.revision, reason: request.reason });
        return `Rolling back to revision ${request.revision}.`;
      case "resume":
        await requestResume(history.ports(signal), { by, now });
        return "The directory is applied again.";
      case "pause": {
        const until = now + request.forMs;
        await writePause(client, names, { ...told, target: targetOf(request.target), until, reason: request.reason });
        return `Paused ${wordsOf(request.target)} until ${new Date(until).toISOString()}.`;
      }
      case "unpause":
        await removePauses(client, names, { targets: [targetOf(request.target)], signal });
        this.#journal("unpause", `the pause of ${wordsOf(request.target)} was ended by ${by}`, now);
        return `${wordsOf(request.target)} is no longer paused.`;
      case "confirm-prune":
        await writeConfirmation(client, names, { digest: request.digest, ...told });
        return "The held prune is confirmed.";
      default:
        return assertNever(request);
    }
  }

  async #previewRollback(view: AddonView, revision: number, signal: AbortSignal): Promise<Preview> {
    const { client, history } = this.#ports;
    const { revision: newest } = view;
    if (newest === undefined) return refusal("No revision is known yet.");
    if (newest === revision) return refusal("This revision is in force.");
    const { set, revisionNamespace: namespace } = history.ports(signal);
    const { contents } = await new RevisionStore({ client, set, namespace }).load(revision, signal);
    const unserved = await unservedKinds(contents, client.discovery, signal);
    return previewRollback(await history.diff(newest, revision, signal), unserved);
  }

  /** The journal is the leader's. What the control ConfigMap tells, the leader puts down itself. */
  #journal(action: string, cause: string, at: number): void {
    if (this.#view().leader.kind === "leading") this.#ports.journal.append({ at, action, cause, result: "accepted" });
  }

  #view(): AddonView {
    const view = this.#ports.view();
    if (view === undefined) throw new KeelsonError("Refused", "the cluster has not answered yet");
    return view;
  }
}

function isPaused(view: AddonView, target: PauseTarget): boolean {
  return controlOf(view.status()).pauses.some((pause) => JSON.stringify(pause.target) === JSON.stringify(target));
}

function targetOf(target: PauseTarget): ControlTarget {
  return target.kind === "file" ? target : { kind: "object", ref: parseRefKey(target.key) };
}

function wordsOf(target: PauseTarget): string {
  return shortText(target.kind === "file" ? target.file : target.key, 300);
}
