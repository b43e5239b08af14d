import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ActionDialog } from "./actions/action-dialog.tsx";
import { SignIn } from "./actions/sign-in.tsx";
import { AddonsPage } from "./pages/addons.tsx";
import { HistoryPage } from "./pages/history.tsx";
import { ObjectPage } from "./pages/object.tsx";
import { ObjectsPage } from "./pages/objects.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { Empty } from "./parts/panel.tsx";
import { Shell } from "./parts/shell.tsx";
import { Toasts } from "./parts/toasts.tsx";
import { hrefOf, type Route } from "./router.ts";
import { useStore } from "./store.ts";

const TITLES: Readonly<Record<Route["page"], string>> = {
  overview: "Overview",
  addons: "Add-ons",
  objects: "Objects",
  object: "Object",
  history: "History",
  unknown: "Not found",
};

/** The whole dashboard. */
export function App(): JSX.Element {
  const { route, dialog } = useStore();
  const { page, params } = route.value;
  useFocusOnNavigation(page, params.get("key") ?? "");
  const open = dialog.value;
  return (
    <>
      <Shell>{pageOf(page)}</Shell>
      {open?.kind === "action" && <ActionDialog request={open.request} />}
      {open?.kind === "sign-in" && <SignIn next={open.next} />}
      <Toasts />
    </>
  );
}

function pageOf(page: Route["page"]): JSX.Element {
  switch (page) {
    case "overview":
      return <OverviewPage />;
    case "addons":
      return <AddonsPage />;
    case "objects":
      return <ObjectsPage />;
    case "object":
      return <ObjectPage />;
    case "history":
      return <HistoryPage />;
    case "unknown":
      return (
        <Empty title="There is no such page">
          <a href={hrefOf("overview")}>Go to the overview</a>
        </Empty>
      );
  }
}

/** Whoever cannot see that the page has changed is told: title and focus move, as with a page of its own. */
function useFocusOnNavigation(page: Route["page"], subject: string): void {
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${TITLES[page]} · Keelson`;
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const main = document.getElementById("main");
    main?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [page, subject]);
}
