import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";
import { TEST_SEED } from "../seed.ts";
import { Api } from "./ownership-fuzz/api.ts";
import { fuzz } from "./ownership-fuzz/fuzz.ts";
import { WIDGET_CRD } from "./ownership-fuzz/scenarios.ts";

/**
 * Random foreign edits on the real API server, judged by the server itself: a dry-run forced apply compared with the
 * live object. KEELSON_FUZZ_EDITS asks for more than the usual 2,000 (or 60 s), KEELSON_SEED chooses others (a seed
 * repeats a run as far as requests in parallel repeat).
 */
const edits = Number(process.env.KEELSON_FUZZ_EDITS ?? 2000);
const budgetMs = process.env.KEELSON_FUZZ_EDITS === undefined ? 60_000 : 3_600_000;

describeWithControlPlane(
  "drift detection under random foreign edits",
  (plane) => {
    let api: Api;

    beforeAll(async () => {
      api = new Api(plane());
      await api.send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "fuzz" } } });
      await api.send({
        method: "POST",
        path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        body: WIDGET_CRD,
      });
      await eventually("the CRD is served", async () => {
        return (await api.get("/apis/fuzz.keelson.test/v1/namespaces/fuzz/widgets")).status === 200;
      });
    });

    afterAll(() => api.close());

    it(
      "misses no drift and raises no false alarm, while running and across a restart",
      async () => {
        const result = await fuzz(api, { seed: TEST_SEED, edits, until: Date.now() + budgetMs });

        const { verdicts, unexplained, restless, stuck, byEdit, ...figures } = result;
        console.log(
          JSON.stringify({
            seed: TEST_SEED,
            ...figures,
            restless: restless.length,
            unexplained: unexplained.length,
            stuck: stuck.length,
            byEdit,
          }),
        );
        for (const verdict of [...verdicts, ...unexplained, ...stuck].slice(0, 10))
          console.log(JSON.stringify(verdict));
        expect(verdicts.map(({ mode, fault, scenario, edit }) => `${mode}: ${fault}: ${scenario}, ${edit}`)).toEqual(
          [],
        );
        expect(unexplained.map(({ scenario, edit }) => `${scenario}, ${edit}`)).toEqual([]);
        expect(stuck.map(({ scenario, edit, causes }) => `${scenario}, ${edit}: ${JSON.stringify(causes)}`)).toEqual(
          [],
        );
        expect(restless).toEqual([]);
        expect(result.edits).toBeGreaterThan(Math.min(edits, 100) - 1);
        expect(result.drifts).toBeGreaterThan(result.edits / 10);
      },
      budgetMs + 60_000,
    );
  },
  { controllerManager: false },
);
