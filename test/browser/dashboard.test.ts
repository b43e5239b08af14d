import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ObjectDetail, ObjectRow, Overview } from "../../src/http/index.ts";
import { describeWithControlPlane, eventually, TestBedError } from "../control-plane/index.ts";
import {
  clusterRole,
  configMap,
  DashboardDaemon,
  deployment,
  documents,
  findChromium,
  OpenPages,
  secret,
  startBrowser,
} from "./bed/index.ts";

const HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
/** A path segment: no slash. */
const HOSTILE_NAME = '<img src=x onerror="alert(1)">';
const ANSI = "\u001b[31mred\u001b[0m\u0007\u202e";
const LONG = `${HOSTILE}${ANSI}${"x".repeat(700_000)}`;
const SECRET = "hunter2-and-more";

const files = {
  "dns/dns.yaml": documents(configMap("dns", { zone: "cluster.local" }), deployment("dns", "dns:1", 2)),
  "web.yaml": configMap("web", { greeting: "hello" }),
  "keys.yaml": secret("keys", { password: SECRET }),
  "hostile.yaml": documents(
    clusterRole(HOSTILE_NAME, { note: `${HOSTILE}${ANSI}` }),
    configMap("long", { long: LONG }),
  ),
  "broken.yaml": `a: [${HOSTILE}\n`,
};

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly string[];
}

/** What axe-core holds serious or worse about the page as it is. */
async function seriousViolations(page: Page): Promise<readonly Violation[]> {
  // Not by a script element, which the content security policy forbids.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    interface Result {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly html: string }[];
    }
    const { axe: engine } = globalThis as unknown as { axe: { run(): Promise<{ violations: readonly Result[] }> } };
    const { violations } = await engine.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html.slice(0, 200)) }));
  });
}

const chromium = findChromium();
if (chromium.kind === "missing") {
  process.stderr.write(`\n*** SKIPPED: the dashboard in a browser: ${chromium.why} ***\n\n`);
  describe.skip(`the dashboard (skipped: ${chromium.why})`, () => {
    it("is driven in a browser", () => {});
  });
} else {
  describeWithControlPlane("the dashboard", (plane) => {
    let browser: Browser;
    let daemon: DashboardDaemon;
    const pages = new OpenPages();

    const visit = (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
      pages.open(browser, daemon.page(path), options);

    beforeAll(async () => {
      browser = await startBrowser();
      daemon = new DashboardDaemon({ kubeconfig: plane().kubeconfigFor("admin"), set: "browser", files });
      await daemon.start();
      await eventually(
        "all are applied",
        async () => {
          const { counts, attention } = await daemon.get<Overview>("/overview");
          if (counts.converged === 6) return true;
          throw new TestBedError(JSON.stringify({ counts, attention }));
        },
        { timeoutMs: 30_000 },
      );
    });

    afterAll(async () => {
      await browser?.close();
      await daemon?.dispose();
    });

    afterEach(async () => {
      expect(await pages.close()).toEqual([]);
    });

    it("shows in one look how things stand", async () => {
      const page = await visit("");

      await page.getByText("6", { exact: true }).first().waitFor();
      expect(await page.locator(".hero-title").textContent()).toBe("Needs a look");
      expect(await page.getByRole("region", { name: "Problems" }).textContent()).toContain("broken.yaml");
      expect(await page.locator(".facts").textContent()).toContain("This instance");
    });

    it("shows drift within a second, with who did it", async () => {
      const page = await visit("");
      await page.getByText("Recent changes").waitFor();

      const patch = plane().kubectl(
        "patch",
        "configmap",
        "web",
        "--type=merge",
        "-p",
        '{"data":{"greeting":"drifted"}}',
      );
      await patch;
      const changed = performance.now();
      await page.locator(".entry", { hasText: "hello→drifted" }).first().waitFor({ timeout: 5000 });

      expect(performance.now() - changed).toBeLessThan(1000);
      expect(await page.locator(".entry").first().textContent()).toContain("kubectl-patch");
      await eventually("it is repaired", async () => {
        const { stdout } = await plane().kubectl("get", "configmap", "web", "-o", "jsonpath={.data.greeting}");
        return stdout === "hello";
      });
    });

    it("shows an object with its fields, their owners, its manifest and what happened to it", async () => {
      await plane().kubectl("annotate", "configmap", "web", "team=blue", "--overwrite");
      const page = await visit("object?key=ConfigMap%2Fdefault%2Fweb");
      await page.getByRole("heading", { name: "web" }).waitFor();

      const fields = page.getByRole("region", { name: "Fields" });
      expect(await fields.textContent()).toContain("data.greeting");
      await fields.getByText("Others’").click();
      expect(await fields.textContent()).toContain("team");
      expect(await fields.textContent()).toContain("kubectl-annotate");
      const manifest = await page.getByRole("region", { name: "Manifest" }).textContent();
      expect(manifest).toContain("web.yaml:1");
      expect(manifest).toContain("greeting: hello");
      const entry = page
        .getByRole("region", { name: "Timeline" })
        .locator(".entry", { hasText: "Drift repaired" })
        .first();
      expect(await entry.locator(".change-before").textContent()).toContain("drifted");
    });

    it("never lets a value of a Secret out", async () => {
      const page = await visit("object?key=Secret%2Fdefault%2Fkeys");
      await page.getByRole("heading", { name: "keys" }).waitFor();
      await page.getByText("data.password").first().waitFor();

      const encoded = Buffer.from(SECRET).toString("base64");
      const told = JSON.stringify(await daemon.get<ObjectDetail>("/object?key=Secret%2Fdefault%2Fkeys"));
      for (const text of [await page.content(), told]) {
        expect(text).toContain("***");
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain(encoded);
      }
    });

    it("shows hostile names, annotations and megabytes as harmless text", async () => {
      const rows = await daemon.get<readonly ObjectRow[]>("/objects");
      const { key = "" } = rows.find(({ kind }) => kind === "ClusterRole") ?? {};
      const page = await visit(`object?key=${encodeURIComponent(key)}`);

      await page.getByRole("heading", { name: HOSTILE_NAME }).waitFor();
      const fields = page.getByRole("region", { name: "Fields" });
      await fields.getByText("\\u001b[31mred", { exact: false }).first().waitFor();
      expect(await page.locator("main img, main script").count()).toBe(0);

      const input = JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "long", namespace: "default" },
        data: { long: `!${LONG}` },
      });
      const intruder = ["--server-side", "--force-conflicts", `--field-manager=${HOSTILE_NAME}`];
      await plane().kubectl("apply", ...intruder, "-f", "-", { input });
      await page.goto(daemon.page("object?key=ConfigMap%2Fdefault%2Flong"));
      await page.locator(".entry", { hasText: "Drift repaired" }).first().waitFor();
      const text = (await page.locator("body").textContent()) ?? "";
      expect(text.length).toBeLessThan(200_000);
      expect(["\u0007", "\u001b", "\u202e"].filter((character) => text.includes(character))).toEqual([]);
      expect(await page.locator("main img, main script").count()).toBe(0);
      await page.goto(daemon.page(""));
      await page.locator(".entry", { hasText: "long" }).first().waitFor();
    });

    it("says that it is disconnected, and goes on by itself when the daemon is back", async () => {
      const page = await visit("");
      await page.getByText("Recent changes").waitFor();

      await daemon.end("SIGKILL");
      await page.getByText("Disconnected", { exact: false }).waitFor({ timeout: 15_000 });
      await daemon.start();

      await page.getByText("Disconnected", { exact: false }).waitFor({ state: "detached", timeout: 30_000 });
      await eventually(
        "the page is live",
        async () => {
          await plane().kubectl("label", "configmap", "dns", `addonmanager.kubernetes.io/mode-`, "--overwrite");
          return (await page.locator(".entry", { hasText: "default/dns" }).count()) > 0;
        },
        { timeoutMs: 20_000, intervalMs: 500 },
      );
    });

    describe.each([
      ["light", 1280],
      ["dark", 1280],
      ["light", 360],
    ] as const)("in %s colours, %d pixels wide", (colorScheme, width) => {
      it.each([
        ["overview", "", ".hero"],
        ["add-ons", "addons", ".card"],
        ["objects", "objects", ".cell-name"],
        ["one object", "object?key=Deployment.apps%2Fdefault%2Fdns", ".fields"],
        ["history", "history", "h1"],
        ["no such page", "nowhere", ".empty"],
        ["no such object", "object?key=Pod%2F%2Fnone", ".empty"],
      ])("%s has no serious fault of accessibility, and fits", async (_, path, settled) => {
        const page = await visit(path, { colorScheme, viewport: { width, height: 780 } });
        await page.locator(settled).first().waitFor();

        expect(await seriousViolations(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      });
    });

    it("is walked through by keyboard alone", async () => {
      const page = await visit("objects");
      await page.locator(".cell-name").first().waitFor();

      await page.keyboard.press("/");
      await page.keyboard.type("configmap dns");
      await eventually(
        "the list is filtered",
        async () => (await page.locator(".grid-canvas .grid-row").count()) === 1,
      );
      await page.locator(".grid").focus();
      await page.keyboard.press("End");
      await page.keyboard.press("Enter");

      await page.getByRole("heading", { name: "dns" }).waitFor();
      expect(await page.title()).toContain("Object");
    });
  });
}
