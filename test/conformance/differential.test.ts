import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeWithControlPlane, eventually } from "../control-plane/index.ts";
import { type Difference, firstDifference, runSequence } from "./compare.ts";
import { DEVIATIONS, deviationOf } from "./deviations.ts";
import { CUSTOM_DEFINITIONS } from "./kinds.ts";
import { NAMESPACE, type Sequence, sequenceOf } from "./sequence.ts";
import { type Embedded, realTarget, startEmbedded } from "./servers.ts";
import type { Target } from "./target.ts";

/** How many sequences are run; more where somebody has the time. */
const COUNT = Number(process.env.KEELSON_DIFFERENTIAL_SEQUENCES ?? 2000);
/** The seed of the first sequence; the next ones count on. A failure names its own. */
const FIRST_SEED = Number(process.env.KEELSON_DIFFERENTIAL_SEED ?? 1);
const WORKERS = 8;
const MAX_DEVIATIONS = 15;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

describe("the accepted deviations", () => {
  it("are few", () => {
    expect(DEVIATIONS.length).toBeLessThanOrEqual(MAX_DEVIATIONS);
  });
});

describeWithControlPlane(
  "the embedded API server",
  (plane) => {
    let embedded: Embedded;
    let real: Target;

    beforeAll(async () => {
      embedded = await startEmbedded({ controllers: false });
      real = realTarget(plane());
      await prepare(embedded.target);
      await prepare(real);
    });

    afterAll(async () => {
      real.close();
      await embedded.close();
    });

    it(
      "does in generated sequences what the real one does",
      async () => {
        const unexplained: string[] = [];
        const accepted = new Map<string, number>();
        const seeds = Array.from({ length: COUNT }, (_, index) => FIRST_SEED + index);
        let steps = 0;
        const work = async (): Promise<void> => {
          for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
            const sequence = sequenceOf(seed);
            const [ours, theirs] = await Promise.all([
              runSequence(embedded.target, sequence),
              runSequence(real, sequence),
            ]);
            steps += sequence.steps.length;
            const difference = firstDifference(sequence, ours, theirs);
            if (difference === undefined) continue;
            const deviation = deviationOf(sequence, difference);
            if (deviation === undefined) unexplained.push(describeDifference(sequence, difference));
            else accepted.set(deviation.id, (accepted.get(deviation.id) ?? 0) + 1);
          }
        };

        await Promise.all(Array.from({ length: WORKERS }, work));

        console.log(
          `differential: ${COUNT} sequences from seed ${FIRST_SEED}, ${steps} steps;`,
          Object.fromEntries(accepted),
        );
        expect(unexplained.slice(0, 10)).toEqual([]);
      },
      Math.max(600_000, COUNT * 600),
    );
  },
  { controllerManager: false },
);

async function prepare(target: Target): Promise<void> {
  await target.call({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: NAMESPACE } } });
  for (const body of CUSTOM_DEFINITIONS) await target.call({ method: "POST", path: DEFINITIONS, body });
  for (const path of ["/apis/conformance.test/v1/gadgets", "/apis/conformance.test/v1beta1/widgets"]) {
    await eventually(
      "the custom kinds are served",
      async () => (await target.call({ method: "GET", path })).status === 200 || undefined,
    );
  }
}

function describeDifference({ seed, spec }: Sequence, { step, index, paths }: Difference): string {
  return `seed ${seed} (${spec.kind}), step ${index} (${step.what}), embedded | real:\n${paths.slice(0, 8).join("\n")}`;
}
