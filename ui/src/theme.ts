/** `system` follows the reader's machine. */
export type Theme = "system" | "light" | "dark";

const KEY = "keelson-theme";

/** What the reader chose last. */
export function storedTheme(): Theme {
  const text = localStorage.getItem(KEY);
  return text === "light" || text === "dark" ? text : "system";
}

/** Shows a theme, and remembers it. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(KEY);
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(KEY, theme);
  }
}
