import type { JSX } from "preact";
import { ago, fullTime } from "../format.ts";
import { useStore } from "../store.ts";

/** How long ago something was; the full time on pointing at it. */
export function Ago({ at }: { readonly at: string }): JSX.Element {
  const { now } = useStore();
  return (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at, now.value)}
    </time>
  );
}
