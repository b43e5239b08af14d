import { render } from "preact";
import { Api } from "./api/client.ts";
import { App } from "./app.tsx";
import { Store, StoreContext } from "./store.ts";
import { applyTheme, storedTheme } from "./theme.ts";

applyTheme(storedTheme());
const root = document.getElementById("app");
if (root !== null) {
  const store = new Store(new Api());
  store.start();
  render(
    <StoreContext.Provider value={store}>
      <App />
    </StoreContext.Provider>,
    root,
  );
}
