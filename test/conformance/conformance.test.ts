import { afterAll, beforeAll, describe } from "vitest";
import { describeWithControlPlane } from "../control-plane/index.ts";
import { APPLY_CASES } from "./apply.case.ts";
import { type Case, declareCases } from "./case.ts";
import { CUSTOM_CASES } from "./custom.case.ts";
import { REQUEST_CASES } from "./requests.case.ts";
import { type Embedded, realTarget, startEmbedded } from "./servers.ts";
import type { Target } from "./target.ts";
import { WATCH_CASES } from "./watch.case.ts";

const GROUPS: Readonly<Record<string, readonly Case[]>> = {
  apply: APPLY_CASES,
  requests: REQUEST_CASES,
  watch: WATCH_CASES,
  custom: CUSTOM_CASES,
};

function declareAll(target: () => Target): void {
  for (const [group, cases] of Object.entries(GROUPS)) describe(group, () => declareCases(group, cases, target));
}

describe("conformance of the embedded API server", () => {
  let embedded: Embedded;

  beforeAll(async () => {
    embedded = await startEmbedded();
  });

  afterAll(() => embedded.close());

  declareAll(() => embedded.target);
});

describeWithControlPlane("conformance of the real API server", (plane) => {
  let real: Target;

  beforeAll(() => {
    real = realTarget(plane());
  });

  afterAll(() => real.close());

  declareAll(() => real);
});
