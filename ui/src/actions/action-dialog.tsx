import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { ActionPreview, ActionRequest, PlannedStep } from "../../../src/http/dashboard/types.ts";
import { useLoaded } from "../api/loaded.ts";
import { count, kindOf, nameOf, oneLine } from "../format.ts";
import { Changes } from "../parts/changes.tsx";
import { Icon } from "../parts/icon.tsx";
import { Ready } from "../parts/panel.tsx";
import { Status, type Tone } from "../parts/status.tsx";
import { useStore } from "../store.ts";
import { Dialog } from "./dialog.tsx";
import { wordsOf } from "./words.ts";

/** Asks, shows what will happen, and does it: exactly what was shown, or nothing. */
export function ActionDialog({ request: first }: { readonly request: ActionRequest }): JSX.Element {
  const store = useStore();
  const request = useSignal<ActionRequest>(first);
  const isBusy = useSignal(false);
  const failure = useSignal("");
  const attempt = useSignal(0);
  const subject = JSON.stringify(forPreview(request.value));
  const { state, again } = useLoaded(subject, () => store.api.preview(forPreview(request.value)), attempt.value);
  const words = wordsOf(request.value);
  const may = store.me.value?.may.includes(request.value.kind) ?? true;
  const act = async (digest: string): Promise<void> => {
    isBusy.value = true;
    failure.value = "";
    try {
      const { message } = await store.api.act({ request: request.value, digest });
      store.say("good", message);
      store.dialog.value = undefined;
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
      attempt.value += 1;
    } finally {
      isBusy.value = false;
    }
  };
  const preview = state.value.kind === "ready" ? state.value.value : undefined;
  const canAct = may && preview !== undefined && preview.refused === undefined && !isBusy.value;
  return (
    <Dialog title={words.title}>
      <div class="dialog-body">
        <Ready state={state.value} again={again}>
          {(value) => <Preview preview={value} />}
        </Ready>
        {(request.value.kind === "pause" || request.value.kind === "rollback") && <Details request={request} />}
        {!may && <NoRight user={store.me.value?.user ?? ""} />}
        {failure.value !== "" && (
          <p class="note tone-bad" role="alert">
            <Icon name="bad" /> <span>{oneLine(failure.value, 600)}</span>
          </p>
        )}
      </div>
      <footer class="dialog-foot">
        <button type="button" class="button" onClick={() => (store.dialog.value = undefined)}>
          Cancel
        </button>
        <button
          type="button"
          class={`button ${words.isDangerous ? "button-danger" : "button-main"}`}
          disabled={!canAct}
          onClick={() => preview !== undefined && void act(preview.digest)}
        >
          {isBusy.value ? "Asking Keelson…" : words.verb}
        </button>
      </footer>
    </Dialog>
  );
}

/** A reason changes nothing of what will happen: it is not asked anew for each letter. */
function forPreview(request: ActionRequest): ActionRequest {
  if (request.kind !== "pause" && request.kind !== "rollback") return request;
  const { reason: _reason, ...rest } = request;
  return rest;
}

function NoRight({ user }: { readonly user: string }): JSX.Element {
  const { dialog } = useStore();
  return (
    <p class="note tone-warn">
      <Icon name="user" />
      <span>
        {oneLine(user, 80)} does not have the right to do this.{" "}
        <button type="button" class="link" onClick={() => (dialog.value = { kind: "sign-in", next: dialog.peek() })}>
          Sign in with a token that has it
        </button>
      </span>
    </p>
  );
}

function Preview({ preview }: { readonly preview: ActionPreview }): JSX.Element {
  const { steps, warnings, refused } = preview;
  return (
    <>
      <p class="dialog-lead">{oneLine(preview.summary, 600)}</p>
      {refused !== undefined && (
        <p class="note tone-bad" role="alert">
          <Icon name="bad" /> <span>{oneLine(refused, 600)}</span>
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} class="note tone-warn">
          <Icon name="warn" /> <span>{oneLine(warning, 600)}</span>
        </p>
      ))}
      {steps.length > 0 && (
        <section class="plan" aria-label="What will happen">
          <h3>What will happen</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard */}
          <ul class="diffs" tabIndex={0}>
            {steps.map((step) => (
              <Step key={JSON.stringify([step.action, step.object])} step={step} />
            ))}
          </ul>
          {preview.more > 0 && <p class="muted">and {count(preview.more, "more object")}</p>}
        </section>
      )}
    </>
  );
}

const ACTIONS: Readonly<Record<PlannedStep["action"], { readonly tone: Tone; readonly label: string }>> = {
  create: { tone: "good", label: "Create" },
  apply: { tone: "busy", label: "Apply" },
  delete: { tone: "bad", label: "Delete" },
  release: { tone: "quiet", label: "Release" },
  hold: { tone: "hold", label: "Hold" },
  keep: { tone: "quiet", label: "Keep" },
  none: { tone: "quiet", label: "Leave" },
};

function Step({ step }: { readonly step: PlannedStep }): JSX.Element {
  return (
    <li class="diff">
      <p class="diff-head">
        <Status look={ACTIONS[step.action]} small />
        <span>
          <span class="muted">{kindOf(step.object)}</span> {nameOf(step.object)}
        </span>
      </p>
      {step.reason !== "" && <p class="muted step-reason">{oneLine(step.reason, 300)}</p>}
      {step.changes.length > 0 && <Changes changes={step.changes} limit={8} />}
    </li>
  );
}

const HOUR = 3_600_000;
const SPANS: readonly (readonly [number, string])[] = [
  [HOUR / 2, "30 minutes"],
  [2 * HOUR, "2 hours"],
  [8 * HOUR, "8 hours"],
  [24 * HOUR, "1 day"],
  [7 * 24 * HOUR, "1 week"],
];

function Details({ request }: { readonly request: Signal<ActionRequest> }): JSX.Element {
  const reason = useSignal("");
  useEffect(() => {
    const current = request.peek();
    if (current.kind === "pause" || current.kind === "rollback") {
      const { reason: _before, ...rest } = current;
      request.value = reason.value === "" ? rest : { ...rest, reason: reason.value };
    }
  }, [reason.value]);
  const current = request.value;
  return (
    <div class="dialog-fields">
      {current.kind === "pause" && (
        <label class="field">
          <span>For</span>
          <select
            value={String(current.forMs)}
            onChange={(event) => (request.value = { ...current, forMs: Number(event.currentTarget.value) })}
          >
            {SPANS.map(([ms, label]) => (
              <option key={ms} value={String(ms)}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="field field-wide">
        <span>Reason (optional)</span>
        <input
          type="text"
          name="reason"
          maxLength={200}
          value={reason.value}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
      </label>
    </div>
  );
}
