import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Overview, Revisions } from "../../src/http/index.ts";
import { describeWithControlPlane, eventually, TestBedError } from "../control-plane/index.ts";
import { configMap, DashboardDaemon, findChromium, OpenPages, startBrowser } from "./bed/index.ts";

const chromium = findChromium();
if (chromium.kind === "missing") {
  process.stderr.write(`\n*** SKIPPED: actions of the dashboard in a browser: ${chromium.why} ***\n\n`);
  describe.skip(`actions of the dashboard (skipped: ${chromium.why})`, () => {
    it("are driven in a browser", () => {});
  });
} else {
  describeWithControlPlane("actions of the dashboard", (plane) => {
    let browser: Browser;
    let daemon: DashboardDaemon;
    const pages = new OpenPages();

    /** Opens a page and signs in. */
    const visit = async (path: string, token: string = plane().tokenFor("admin")): Promise<Page> => {
      const page = await pages.open(browser, daemon.page(path));
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByLabel("Token").fill(token);
      await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
      return page;
    };
    const liveValue = async (name: string): Promise<string> =>
      (await plane().kubectl("get", "configmap", name, "-o", "jsonpath={.data.v}", "--ignore-not-found")).stdout;
    const becomes = (name: string, value: string): Promise<unknown> =>
      eventually(`${name} is ${value}`, async () => {
        const now = await liveValue(name);
        if (now === value) return true;
        throw new TestBedError(`it is ${now}; the log ends: ${daemon.log.slice(-1500)}`);
      });
    const revisionIs = (revision: number): Promise<unknown> =>
      eventually(
        `revision ${revision}`,
        async () => (await daemon.get<Overview>("/overview")).revision?.revision === revision,
      );
    const audit = (): string => daemon.run("audit", "-o", "json");
    const dialog = (page: Page) => page.getByRole("dialog");

    beforeAll(async () => {
      browser = await startBrowser();
      daemon = new DashboardDaemon({
        kubeconfig: plane().kubeconfigFor("admin"),
        set: "actions",
        files: { "a.yaml": configMap("a", { v: "1" }), "b.yaml": configMap("b", { v: "1" }) },
      });
      await daemon.start();
      await becomes("b", "1");
      await revisionIs(1);
      daemon.write("a.yaml", configMap("a", { v: "2" }));
      await becomes("a", "2");
      await revisionIs(2);
    });

    afterAll(async () => {
      await browser?.close();
      await daemon?.dispose();
    });

    afterEach(async () => {
      expect(await pages.close()).toEqual([]);
    });

    it("rolls back to an earlier revision, having shown what changes, and resumes", async () => {
      const page = await visit("history");
      await page.locator(".revision").nth(1).click();
      await page.getByRole("button", { name: "Roll back to 1…" }).click();

      const plan = dialog(page).getByRole("region", { name: "What will happen" });
      await plan.getByText("default/a").waitFor();
      expect(await plan.textContent()).toContain("data.v");
      expect(await plan.textContent()).not.toContain("default/b");
      await dialog(page).getByLabel("Reason (optional)").fill("the new one crashes");
      await dialog(page).getByRole("button", { name: "Roll back" }).click();

      await becomes("a", "1");
      await page.getByText("Held at revision 1.").waitFor();
      expect(daemon.run("history")).toContain("rollback to 1 by admin (dashboard): the new one crashes");
      await eventually("the journal names the user", () => audit().includes("rollback to 1 by admin (dashboard)"));

      daemon.write("b.yaml", configMap("b", { v: "9" }));
      await eventually(
        "the file waits",
        async () => ((await daemon.get<Overview>("/overview")).hold?.waiting ?? 0) === 2,
      );
      await page.getByRole("button", { name: "Resume…" }).click();
      await dialog(page).getByText("default/b").waitFor();
      await dialog(page).getByRole("button", { name: "Resume" }).click();

      await becomes("a", "2");
      await becomes("b", "9");
      await page.getByText("Held at revision").waitFor({ state: "detached" });
    });

    it("pauses repairs of an object, and ends that", async () => {
      const page = await visit("object?key=ConfigMap%2Fdefault%2Fa");
      await page.getByRole("button", { name: "Pause repairs…" }).click();
      await dialog(page).getByLabel("Reason (optional)").fill("looking into it");
      await dialog(page).getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Unpause…" }).waitFor();

      await plane().kubectl("patch", "configmap", "a", "--type=merge", "-p", '{"data":{"v":"mine"}}');
      await page.getByText("Paused", { exact: true }).first().waitFor();
      expect(await liveValue("a")).toBe("mine");
      await eventually("the journal names the user", () => audit().includes("by admin (dashboard): looking into it"));

      await page.getByRole("button", { name: "Unpause…" }).click();
      await dialog(page).getByRole("button", { name: "Unpause" }).click();

      await becomes("a", "2");
      await eventually("the journal names the user", () => audit().includes("was ended by admin (dashboard)"));
    });

    it("pauses a whole file", async () => {
      const page = await visit("addons");
      await page.locator(".card", { hasText: "b.yaml" }).getByRole("button", { name: /Pause/ }).click();
      await dialog(page).getByText("1 object:").waitFor();
      await dialog(page).getByRole("button", { name: "Pause" }).click();
      await page.locator(".card", { hasText: "b.yaml" }).getByText("Paused until").waitFor();

      await plane().kubectl("patch", "configmap", "b", "--type=merge", "-p", '{"data":{"v":"mine"}}');
      await page.locator(".card", { hasText: "b.yaml" }).getByRole("button", { name: "Unpause…" }).click();
      await dialog(page).getByRole("button", { name: "Unpause" }).click();

      await becomes("b", "9");
    });

    it("confirms a held prune, for the list that was shown and no other", async () => {
      for (const name of ["c", "d"]) daemon.write(`${name}.yaml`, configMap(name, { v: "1" }));
      await becomes("d", "1");
      const before = await daemon.get<Overview>("/overview");
      expect(before.held.objects).toEqual([]);
      daemon.write("broken.yaml", "a: [\n");
      daemon.remove("c.yaml");
      const page = await visit("");
      await page.getByRole("button", { name: "Confirm prune of 1…" }).click();
      await dialog(page).getByText("default/c").waitFor();

      // A file that was already broken in the same way holds nothing back.
      daemon.write("broken.yaml", "b: [\n");
      daemon.remove("d.yaml");
      await eventually("two are held", async () => (await daemon.get<Overview>("/overview")).held.confirmable === 2);
      await dialog(page).getByRole("button", { name: "Delete these objects" }).click();
      await dialog(page).getByRole("alert").first().waitFor();
      expect(await liveValue("c")).toBe("1");

      await dialog(page).getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Confirm prune of 2…" }).click();
      await dialog(page).getByText("default/d").waitFor();
      await dialog(page).getByRole("button", { name: "Delete these objects" }).click();

      await becomes("c", "");
      await becomes("d", "");
      await eventually("the journal names the user", () => audit().includes("confirmed by admin (dashboard)"));
      daemon.remove("broken.yaml");
    });

    it("does nothing for a request that a foreign page could make a browser send", async () => {
      const url = `${daemon.origin}/api/v1/actions/resume`;
      const order = JSON.stringify({ request: { kind: "resume" }, digest: "v1:any" });
      const authorization = `Bearer ${plane().tokenFor("admin")}`;
      const own = { "content-type": "application/json", "x-keelson-action": "1", authorization };
      const ask = async (headers: Record<string, string>, body: string = order): Promise<number> =>
        (await fetch(url, { method: "POST", headers, body })).status;

      expect(await ask({ "content-type": "application/json", authorization })).toBe(403);
      expect(
        await ask({ "content-type": "text/plain", "x-keelson-action": "1", authorization }),
      ).toBeGreaterThanOrEqual(400);
      expect(await ask({ ...own, origin: "https://elsewhere.example" })).toBe(403);
      expect(await ask(own, '{"request":{"kind":"pause"}}')).toBe(400);
      // From us, but for nothing that was shown.
      expect(await ask(own)).toBe(409);
    });

    it("lets nobody act without a token, with a wrong one, or without the right, and says so", async () => {
      const url = `${daemon.origin}/api/v1/actions/resume`;
      const body = JSON.stringify({ request: { kind: "resume" }, digest: "v1:any" });
      const ask = async (authorization: Record<string, string>): Promise<number> => {
        const headers = { "content-type": "application/json", "x-keelson-action": "1", ...authorization };
        return (await fetch(url, { method: "POST", headers, body })).status;
      };

      expect(await ask({})).toBe(401);
      expect(await ask({ authorization: "Bearer wrong" })).toBe(401);
      expect(await ask({ authorization: `Bearer ${plane().tokenFor("someone")}` })).toBe(403);

      const page = await visit("object?key=ConfigMap%2Fdefault%2Fa", plane().tokenFor("someone"));
      await page.getByRole("button", { name: "Pause repairs…" }).click();
      await dialog(page).getByText("does not have the right").waitFor();
      expect(await dialog(page).getByRole("button", { name: "Pause" }).isDisabled()).toBe(true);
      await dialog(page).getByRole("button", { name: "Sign in with a token that has it" }).click();
      await page.getByLabel("Token").fill(plane().tokenFor("admin"));
      await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
      await eventually("it may be done now", () => dialog(page).getByRole("button", { name: "Pause" }).isEnabled());
    });

    it("tells revisions and their differences", async () => {
      const { revisions } = await daemon.get<Revisions>("/revisions");

      expect(revisions.map(({ revision }) => revision)).toEqual(
        [...revisions.keys()].map((at) => revisions.length - at),
      );
      const missing = await fetch(`${daemon.origin}/api/v1/diff?from=1&to=9999`);
      expect(missing.status).toBe(404);
      expect(await missing.text()).toContain("9999");
    });
  });
}
