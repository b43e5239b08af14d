import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeWithControlPlane, eventually, repositoryRoot, TestBedError } from "../control-plane/index.ts";
import { account, ServedDaemon } from "../integration/addon-bed/index.ts";
import { Prometheus, whyNoPrometheus } from "./prometheus.ts";

const monitoring = (file: string): string => join(repositoryRoot, "deploy/monitoring", file);
const RULES = monitoring("keelson.rules.yaml");

function promtool(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8", cwd: import.meta.dirname });
  return `${status === 0 ? "ok" : `exit code ${status}`}\n${stdout}${stderr}`;
}

/** The queries of the dashboard, with Grafana's variables as Grafana would fill them in. */
function dashboardQueries(): readonly string[] {
  const { panels } = JSON.parse(readFileSync(monitoring("keelson.dashboard.json"), "utf8")) as {
    panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  return queries.map((query) => query.replaceAll("$__rate_interval", "1m").replace(/\$\w+/g, ".*"));
}

function declare(): void {
  describe("alert rules", () => {
    it("are rules, as promtool sees them", () => {
      expect(promtool("check", "rules", RULES)).toMatch(/^ok\n.*SUCCESS: \d+ rules found/s);
    });

    it("fire when they should, and only then", () => {
      expect(promtool("test", "rules", "alerts.test.yaml")).toMatch(/^ok\n/);
    });
  });

  describeWithControlPlane("a real Prometheus", (plane) => {
    const served = new ServedDaemon();
    let started: Prometheus | undefined;
    const prometheus = (): Prometheus => {
      if (started === undefined) throw new TestBedError("Prometheus is there within tests only");
      return started;
    };
    let token = "";
    const query = async (text: string): ReturnType<Prometheus["query"]> => prometheus().query(text);

    beforeAll(async () => {
      token = await account(plane(), "prometheus", true);
      await served.start(plane());
      const rules = readFileSync(RULES, "utf8");
      const scrape = {
        job_name: "keelson",
        scheme: "https",
        authorization: { credentials_file: "token" },
        tls_config: { insecure_skip_verify: true },
        static_configs: [{ targets: [served.authority] }],
      };
      const global = { scrape_interval: "1s", evaluation_interval: "1s" };
      started = await Prometheus.start(
        { global, rule_files: ["rules.yaml"], scrape_configs: [scrape] },
        { token, "rules.yaml": rules },
      );
    });

    afterAll(async () => {
      await started?.close();
      await served.stop();
    });

    it("scrapes a daemon with the token of its account", async () => {
      const [sample] = await eventually("it is up and converged", async () => {
        const result = await query("keelson_converged == 1");
        if (result.length === 0) throw new TypeError(JSON.stringify(await prometheus().get("targets")));
        return result;
      });

      expect(sample?.metric).toMatchObject({ job: "keelson", controller: "addon" });
      expect(await query("up == 1")).toHaveLength(1);
    });

    it("learns type and meaning of every metric", async () => {
      const metadata = (await prometheus().get("metadata")) as Record<
        string,
        readonly { type: string; help: string }[]
      >;
      const page = (await served.scrape(token)).body;
      const types = [...page.matchAll(/^# TYPE (\w+) (\w+)$/gm)];

      expect(types.length).toBeGreaterThan(30);
      for (const [, name = "", type = ""] of types) {
        // OpenMetrics, which Prometheus asks for, has a counter's type without the suffix.
        const known = metadata[name] ?? metadata[name.replace(/_total$/, "")];
        expect(known?.[0], name).toMatchObject({ type });
      }
    });

    it("answers every query of the dashboard", async () => {
      const queries = dashboardQueries();
      expect(queries.length).toBeGreaterThan(30);

      const answers = await eventually("most have something to show", async () => {
        const found = await Promise.all(queries.map(async (text) => ({ text, series: (await query(text)).length })));
        const empty = found.filter(({ series }) => series === 0);
        // Some count what has not happened here: failures, fights, rollbacks.
        if (empty.length > queries.length / 2) throw new TypeError(empty.map(({ text }) => text).join("\n"));
        return found;
      });

      expect(answers).toHaveLength(queries.length);
    });

    it("has no rule that fails, and none that fires where all is well", async () => {
      const groups = await eventually("the rules were evaluated", async () => {
        const answer = (await prometheus().get("rules")) as {
          groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[];
        };
        const rules = answer.groups.flatMap((group) => group.rules);
        if (rules.some(({ health }) => health === "unknown")) throw new TypeError(JSON.stringify(rules));
        return rules;
      });

      expect(groups.filter(({ health }) => health !== "ok")).toEqual([]);
      const { alerts } = (await prometheus().get("alerts")) as { alerts: readonly { state: string }[] };
      expect(alerts.filter(({ state }) => state === "firing")).toEqual([]);
    });
  });
}

const missing = whyNoPrometheus();
if (missing === undefined) describe("monitoring", declare);
else {
  process.stderr.write(`\n*** SKIPPED for want of ${missing}: monitoring (apt-get install prometheus) ***\n\n`);
  describe.skip(`monitoring (skipped: no ${missing})`, declare);
}
