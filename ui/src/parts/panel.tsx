import type { ComponentChildren, JSX } from "preact";
import type { Loaded } from "../api/loaded.ts";
import { useStore } from "../store.ts";
import { Icon, type IconName } from "./icon.tsx";

/** A titled part of a page. */
export function Panel(props: {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, aside, children } = props;
  return (
    <section class={`panel ${props.class ?? ""}`} aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        {aside !== undefined && <div class="panel-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** Where there is nothing to show. */
export function Empty(props: {
  readonly title: string;
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <Icon name={props.icon ?? "quiet"} size={28} />
      <p class="empty-title">{props.title}</p>
      {props.children !== undefined && <div class="empty-text">{props.children}</div>}
    </div>
  );
}

/** Where something could not be fetched. */
export function Failure(props: {
  readonly state: Loaded<unknown> & { readonly kind: "failed" };
  readonly again?: () => void;
}): JSX.Element {
  const { dialog } = useStore();
  const { reason, message } = props.state;
  const title = {
    offline: "Keelson does not answer",
    unauthenticated: "Sign in to see this",
    forbidden: "Not allowed",
    failed: "This could not be loaded",
  }[reason];
  return (
    <div class="empty" role="alert">
      <Icon name={reason === "unauthenticated" ? "user" : "bad"} size={28} />
      <p class="empty-title">{title}</p>
      <div class="empty-text">{message}</div>
      {reason === "unauthenticated" || reason === "forbidden" ? (
        <button type="button" class="button" onClick={() => (dialog.value = { kind: "sign-in", next: dialog.peek() })}>
          Sign in
        </button>
      ) : (
        props.again !== undefined && (
          <button type="button" class="button" onClick={props.again}>
            Try again
          </button>
        )
      )}
    </div>
  );
}

/** Where something is on its way: grey bars in the shape of what will come. */
export function Skeleton({ rows = 4 }: { readonly rows?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} class={`bone bone-${row % 3}`} />
      ))}
    </div>
  );
}

/** What has been loaded, or what stands in for it. */
export function Ready<T>(props: {
  readonly state: Loaded<T>;
  readonly again?: () => void;
  readonly rows?: number;
  readonly children: (value: T) => ComponentChildren;
}): JSX.Element {
  const { state, again, rows } = props;
  switch (state.kind) {
    case "loading":
      return <Skeleton {...(rows === undefined ? {} : { rows })} />;
    case "failed":
      return <Failure state={state} {...(again === undefined ? {} : { again })} />;
    case "ready":
      return <>{props.children(state.value)}</>;
  }
}
