import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type Dialog, useStore } from "../store.ts";
import { Dialog as DialogFrame } from "./dialog.tsx";

/** Takes a token of the cluster. It stays in this browser tab and is sent to Keelson only. */
export function SignIn({ next }: { readonly next: Dialog | undefined }): JSX.Element {
  const store = useStore();
  const token = useSignal("");
  const submit = (event: Event): void => {
    event.preventDefault();
    const value = token.value.trim();
    if (value === "") return;
    store.signIn(value);
    store.dialog.value = next;
  };
  return (
    <DialogFrame title="Sign in">
      <form onSubmit={submit}>
        <div class="dialog-body">
          <p>
            Keelson asks the cluster who you are and what you may do. Give a bearer token, for instance of a service
            account:
          </p>
          <pre class="command">
            <code>kubectl create token NAME --namespace NAMESPACE</code>
          </pre>
          <label class="field">
            <span>Token</span>
            <input
              type="password"
              name="token"
              autoComplete="off"
              spellcheck={false}
              value={token.value}
              onInput={(event) => (token.value = event.currentTarget.value)}
            />
          </label>
          <p class="muted">It is kept until this tab is closed, and never stored.</p>
        </div>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={() => (store.dialog.value = undefined)}>
            Cancel
          </button>
          <button type="submit" class="button button-main" disabled={token.value.trim() === ""}>
            Sign in
          </button>
        </footer>
      </form>
    </DialogFrame>
  );
}
