import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithControlPlane } from "../control-plane/index.ts";
import { account, ServedDaemon } from "./addon-bed/index.ts";

describeWithControlPlane(
  "serving beyond loopback",
  (plane) => {
    const served = new ServedDaemon();
    let scraper = "";
    let stranger = "";

    beforeAll(async () => {
      scraper = await account(plane(), "scraper", true);
      stranger = await account(plane(), "stranger", false);
      await served.start(plane());
    });

    afterAll(() => served.stop());

    it("tells who has the right how things stand, in numbers", async () => {
      const body = await served.shows(scraper, /^keelson_converged\{controller="addon"\} 1$/m);

      for (const line of [
        'keelson_objects{controller="addon",mode="Reconcile",readiness="Current"} 1',
        'keelson_objects{controller="addon",mode="EnsureExists",readiness="Current"} 1',
        'keelson_objects_converged{controller="addon"} 2',
        'keelson_changes_total{controller="addon",outcome="created"} 2',
        'keelson_api_requests_total{verb="apply",resource="configmaps",code="201"} 1',
        'keelson_leader{controller="addon"} 1',
        'keelson_leadership_terms_total{controller="addon"} 1',
        "keelson_api_reachable 1",
        "keelson_stuck_loops 0",
      ]) {
        expect(body.split("\n")).toContain(line);
      }
    });

    it("counts revisions and what the journal fares", async () => {
      const body = await served.shows(scraper, /^keelson_revision\{controller="addon"\} 1$/m);

      for (const line of [
        'keelson_revisions_recorded_total{controller="addon"} 1',
        'keelson_revision_held{controller="addon"} 0',
        'keelson_journal_writable{controller="addon"} 1',
        'keelson_journal_gaps_total{controller="addon"} 0',
      ]) {
        expect(body.split("\n")).toContain(line);
      }
    });

    it.each([
      ["no token", {}, 401],
      ["a wrong token", { authorization: "Bearer eyJhbGciOiJub25lIn0.e30." }, 401],
      ["a password", { authorization: "Basic YWRtaW46YWRtaW4=" }, 401],
    ])("answers %s with 401 and nothing else", async (_, headers, status) => {
      const answer = await served.get("/metrics", headers);

      expect(answer.status).toBe(status);
      expect(answer.body).not.toMatch(/keelson_|default|kube/);
    });

    it("answers 403 to an account without the right, by its name", async () => {
      expect(await served.scrape(stranger)).toMatchObject({
        status: 403,
        body: 'user "system:serviceaccount:default:stranger" may not get the path "/metrics"\n',
      });
    });

    it("leaves probes open, and keeps their reasons to itself", async () => {
      const [live, ready] = [await served.get("/livez?verbose"), await served.get("/readyz?verbose")];

      expect(live).toMatchObject({
        status: 200,
        body: "[+]ping ok\n[+]source ok\n[+]worker ok\n[+]watches ok\n[+]passes ok\nlivez check passed\n",
      });
      expect(ready).toMatchObject({
        status: 200,
        body: "[+]ping ok\n[+]api ok\n[+]caches ok\n[+]source ok\n[+]leader ok\nreadyz check passed\n",
      });
    });

    it("counts a repair by kind and by whoever had changed the object", async () => {
      await served.shows(scraper, /^keelson_converged\{controller="addon"\} 1$/m);
      const patch = ["patch", "configmap", "a", "--type", "merge", "-p", '{"data":{"v":"2"}}'];
      await plane().kubectl("-n", "default", ...patch, "--field-manager=mallory");

      await served.shows(
        scraper,
        /^keelson_drift_repairs_total\{controller="addon",kind="ConfigMap",manager="mallory"\} 1$/m,
      );

      await plane().kubectl("-n", "default", "delete", "configmap", "a");
      await served.shows(
        scraper,
        /^keelson_drift_repairs_total\{controller="addon",kind="ConfigMap",manager="unknown"\} 1$/m,
      );
    });

    it("speaks OpenMetrics to a scraper that wants it", async () => {
      const { type, body } = await served.scrape(
        scraper,
        "application/openmetrics-text;version=1.0.0,text/plain;q=0.5",
      );

      expect(type).toMatch(/^application\/openmetrics-text/);
      expect(body).toMatch(/# EOF\n$/);
    });

    it("costs the API server nothing: twenty scrapes, no request but what is asked once in a while", async () => {
      await served.shows(scraper, /^keelson_converged\{controller="addon"\} 1$/m);
      const ours = async (): Promise<readonly string[]> => {
        const requests = await plane().requests({ user: "keelson" });
        // Its own Lease, status, Events and revisions are counted apart.
        const isOwn = ({ resource, namespace }: { resource: string; namespace: string }): boolean =>
          resource === "leases" || resource === "events" || namespace === "kube-system";
        return requests.filter((each) => !isOwn(each)).map(({ verb, uri }) => `${verb} ${uri.split("?", 1)[0]}`);
      };
      const before = (await ours()).length;

      for (let i = 0; i < 20; i++) expect((await served.scrape(scraper)).status).toBe(200);

      const added = (await ours()).slice(before);
      expect(added.filter((each) => !each.includes("reviews"))).toEqual([]);
      expect(added.length).toBeLessThanOrEqual(1);
    });
  },
  { auditLog: true },
);
