import type { JSX } from "preact";
import { oneLine } from "../format.ts";
import { useStore } from "../store.ts";
import { Icon } from "./icon.tsx";

/** Words about what was just done. */
export function Toasts(): JSX.Element {
  const store = useStore();
  return (
    <div class="toasts" role="status" aria-live="polite">
      {store.toasts.value.map(({ id, tone, text }) => (
        <div key={id} class={`toast tone-${tone}`}>
          <Icon name={tone} />
          <span>{oneLine(text, 400)}</span>
          <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => store.unsay(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
