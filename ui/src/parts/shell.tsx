import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { duration, oneLine } from "../format.ts";
import { hrefOf, type Route } from "../router.ts";
import { useStore } from "../store.ts";
import { applyTheme, storedTheme, type Theme } from "../theme.ts";
import { Icon, type IconName } from "./icon.tsx";
import { PHASES, STATES, Status } from "./status.tsx";

const NAV: readonly (readonly [Route["page"], string, IconName])[] = [
  ["overview", "Overview", "overview"],
  ["addons", "Add-ons", "addons"],
  ["objects", "Objects", "objects"],
  ["history", "History", "history"],
];

/** What stands around every page. */
export function Shell({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="shell">
      <button type="button" class="skip button" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header class="side">
        <Brand />
        <Navigation />
        <div class="side-foot">
          <User />
          <ThemeChoice />
        </div>
      </header>
      <div class="stage">
        <ConnectionBanner />
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}

function Brand(): JSX.Element {
  const { overview } = useStore();
  const state = overview.value;
  return (
    <div class="brand">
      <img src="/assets/keelson.svg" alt="" width="28" height="28" />
      <div class="brand-text">
        <span class="brand-name">Keelson</span>
        {state.kind === "ready" && <BrandState phase={state.value.phase} set={state.value.set} />}
      </div>
    </div>
  );
}

function BrandState(props: { readonly phase: keyof typeof PHASES; readonly set: string }): JSX.Element {
  return (
    <span class="brand-state">
      {props.set !== "" && <span class="muted">{oneLine(props.set, 40)}</span>}
      <Status look={PHASES[props.phase]} small />
    </span>
  );
}

function Navigation(): JSX.Element {
  const { route, overview } = useStore();
  const here = route.value.page === "object" ? "objects" : route.value.page;
  const state = overview.value;
  const trouble = state.kind === "ready" ? state.value.counts.failed + state.value.counts.fighting : 0;
  return (
    <nav class="nav" aria-label="Pages">
      {NAV.map(([page, label, icon]) => (
        <a key={page} href={hrefOf(page)} aria-current={here === page ? "page" : undefined}>
          <Icon name={icon} />
          <span>{label}</span>
          {page === "objects" && trouble > 0 && (
            <span class="badge tone-bad">
              {trouble}
              <span class="hidden"> {STATES.failed.label.toLowerCase()}</span>
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}

function User(): JSX.Element {
  const store = useStore();
  const me = store.me.value;
  const isSignedIn = store.api.token !== undefined;
  return (
    <div class="user">
      <Icon name="user" />
      <span class="user-name" title={me?.user ?? ""}>
        {me === undefined ? "Not signed in" : oneLine(me.user, 60)}
      </span>
      {isSignedIn ? (
        <button type="button" class="link" onClick={() => store.signIn(undefined)}>
          Sign out
        </button>
      ) : (
        <button type="button" class="link" onClick={() => (store.dialog.value = { kind: "sign-in" })}>
          Sign in
        </button>
      )}
    </div>
  );
}

const THEMES: readonly (readonly [Theme, string, IconName])[] = [
  ["system", "As the system", "system"],
  ["light", "Light", "light"],
  ["dark", "Dark", "dark"],
];

function ThemeChoice(): JSX.Element {
  const chosen = useSignal<Theme>(storedTheme());
  return (
    <fieldset class="themes">
      <legend class="hidden">Colours</legend>
      {THEMES.map(([theme, label, icon]) => (
        <label key={theme} title={label}>
          <input
            type="radio"
            name="theme"
            value={theme}
            checked={chosen.value === theme}
            onChange={() => {
              chosen.value = theme;
              applyTheme(theme);
            }}
          />
          <Icon name={icon} />
          <span class="hidden">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Says that what is shown may be old, and since when. */
function ConnectionBanner(): JSX.Element {
  const store = useStore();
  const state = store.connection.value;
  const now = store.now.value;
  return (
    <div class="banners" role="status" aria-live="polite">
      {state.kind === "lost" && (
        <div class="banner tone-bad">
          <Icon name="bad" />
          <span>
            <strong>Disconnected</strong> for {duration(Math.max(0, now - state.since))}: what is shown may be out of
            date. Trying again.
          </span>
          <button type="button" class="button button-small" onClick={() => store.reconnect()}>
            Reconnect now
          </button>
        </div>
      )}
      {state.kind === "refused" && (
        <div class="banner tone-warn">
          <Icon name="user" />
          <span>
            <strong>Sign in to see this cluster.</strong> {oneLine(state.reason, 200)}
          </span>
          <button type="button" class="button button-small" onClick={() => (store.dialog.value = { kind: "sign-in" })}>
            Sign in
          </button>
        </div>
      )}
    </div>
  );
}
