import { spawnSync } from "node:child_process";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { TestBedError } from "../../control-plane/index.ts";

/** A Chromium for tests, or why there is none. */
export type ChromiumAvailability =
  | { readonly kind: "ready"; readonly path: string }
  | { readonly kind: "missing"; readonly why: string };

/** Looks for one; installs none (`make test-browser` does, where it can). */
export function findChromium(): ChromiumAvailability {
  const given = process.env.KEELSON_CHROMIUM;
  if (given !== undefined && given !== "") return { kind: "ready", path: given };
  const { stdout } = spawnSync("sh", [
    "-c",
    "command -v chromium || command -v chromium-browser || command -v google-chrome",
  ]);
  const path = stdout.toString().trim();
  const why = "no Chromium is installed: tools/debian-packages does it as root, or name one in KEELSON_CHROMIUM";
  return path === "" ? { kind: "missing", why } : { kind: "ready", path };
}

/** Chromium without a window. Sandboxing is off: tests run as root in containers. */
export async function startBrowser(): Promise<Browser> {
  const found = findChromium();
  if (found.kind === "missing") throw new TestBedError(found.why);
  return chromium.launch({ executablePath: found.path, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
}

/** A page, and everything about it that no page of ours may have. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, violations of the content security policy, dialogs, requests to elsewhere. */
  readonly faults: readonly string[];
}

/** Opens a page of the dashboard (`#/objects`) in a browser profile of its own. */
export async function openPage(
  browser: Browser,
  at: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  const { origin } = new URL(at);
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // What the browser itself says of a server that is gone is no fault of the page.
    if (message.type() === "error" && !message.text().includes("Failed to load resource")) faults.push(message.text());
  });
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) faults.push(`request to ${request.url().slice(0, 200)}`);
  });
  await page.goto(at);
  return { page, faults };
}

/** The pages of a suite: none of them may have a fault. */
export class OpenPages {
  readonly #open: WatchedPage[] = [];

  async open(browser: Browser, at: string, options: BrowserContextOptions = {}): Promise<Page> {
    const watched = await openPage(browser, at, options);
    this.#open.push(watched);
    return watched.page;
  }

  /** Closes all; what faults they had. */
  async close(): Promise<readonly string[]> {
    const pages = this.#open.splice(0);
    await Promise.all(pages.map(({ page }) => page.context().close()));
    return pages.flatMap(({ faults }) => faults);
  }
}
