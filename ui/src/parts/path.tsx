import type { JSX } from "preact";
import { Fragment } from "preact";
import { oneLine } from "../format.ts";

/** A field's path; a long one breaks before its steps rather than within their names. */
export function Path({ path }: { readonly path: string }): JSX.Element {
  const steps = oneLine(path, 300).split(/(?=[.[])/);
  return (
    <code class="path">
      {steps.map((step, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {step}
        </Fragment>
      ))}
    </code>
  );
}
