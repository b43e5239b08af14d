import type { JSX } from "preact";
import type { FieldChange } from "../../../src/http/dashboard/types.ts";
import { oneLine } from "../format.ts";
import { Path } from "./path.tsx";

/** Field changes, before and after one under the other; the signs say the same as the colours. */
export function Changes({
  changes,
  limit = 20,
}: {
  readonly changes: readonly FieldChange[];
  readonly limit?: number;
}): JSX.Element {
  const shown = changes.slice(0, limit);
  return (
    <ul class="changes">
      {shown.map((change) => (
        <Change key={change.path} change={change} />
      ))}
      {changes.length > limit && <li class="muted">and {changes.length - limit} more fields</li>}
    </ul>
  );
}

function Change({ change }: { readonly change: FieldChange }): JSX.Element {
  const { path, before, after, manager } = change;
  return (
    <li class="change">
      <div class="change-path">
        <Path path={path} />
        {manager !== undefined && <span class="muted"> by {oneLine(manager, 80)}</span>}
      </div>
      {before !== undefined && (
        <div class="change-before">
          <span class="sign">
            <span aria-hidden="true">−</span>
            <span class="hidden">before: </span>
          </span>
          <code>{oneLine(before, 400)}</code>
        </div>
      )}
      {after !== undefined && (
        <div class="change-after">
          <span class="sign">
            <span aria-hidden="true">+</span>
            <span class="hidden">after: </span>
          </span>
          <code>{oneLine(after, 400)}</code>
        </div>
      )}
    </li>
  );
}
