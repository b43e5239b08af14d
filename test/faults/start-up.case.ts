import { expect, it } from "vitest";
import { eventually, type FaultAction, type FaultMatch } from "../control-plane/index.ts";
import type { ProxiedBed } from "./answers.case.ts";
import { configMap, crd, custom, file, fresh, PATIENT } from "./bed/index.ts";

const FAULTS: readonly (readonly [string, FaultAction])[] = [
  ["401", { kind: "respond", status: 401 }],
  ["403", { kind: "respond", status: 403 }],
  ["404", { kind: "respond", status: 404 }],
  ["429", { kind: "respond", status: 429, headers: { "retry-after": "1" } }],
  ["500", { kind: "respond", status: 500 }],
  ["503", { kind: "respond", status: 503 }],
  ["cut connections", { kind: "cut", when: "before" }],
  ["answers cut off", { kind: "truncate", bytes: 30 }],
  ["no answers", { kind: "hang", when: "before" }],
  ["answers that are no JSON", { kind: "respond", status: 200, body: "<html>who are you?</html>" }],
];

/** What the daemon asks before it converges anything, each by itself: a fault at one must not hide those behind it. */
const REQUESTS: readonly FaultMatch[] = [
  { path: /\/serviceaccounts\/default$/ },
  { method: "GET", path: /\/configmaps\/keelson-status-[^/]+$/ },
  { method: "PATCH", path: /\/configmaps\/keelson-status-[^/]+$/, times: 1 },
  { method: "POST", path: /\/kube-system\/configmaps$/, times: 1 },
  { method: "GET", path: /\/kube-system\/configmaps$/ },
  { path: /^\/api$/ },
  { path: /^\/apis$/ },
  { path: /\/customresourcedefinitions$/ },
  { path: /\/apiservices$/ },
  { path: /^\/api\/v1\/configmaps$/ },
  { path: /^\/api\/v1\/secrets$/ },
  { method: "GET", path: /\/default\/configmaps(\/|$)/ },
];

/** Faults at the requests of the start, which come once only: nothing may be missing afterwards. */
export function startUpCases({ admin, proxy, start }: ProxiedBed): void {
  it.concurrent.for(FAULTS)(
    "starts through %s at every request of its start, and misses nothing later",
    async ([, action], context) => {
      const index = FAULTS.findIndex(([, each]) => each === action);
      const set = fresh(`start-${index}`);
      const through = await proxy();
      const faults = REQUESTS.map((request) => through.addFault({ times: 2, ...request }, action));
      const kind = set.replaceAll("-", "");
      const keelson = start(context, through, {
        set,
        files: { "a.yaml": file(configMap(`${set}-a`), configMap(`${set}-b`), custom(kind, "later")) },
        kubectlOptions: "--request-timeout=1s",
        // Long: what is not watched would not be found.
        env: { TEST_ADDON_CHECK_INTERVAL_SEC: "600" },
      });
      await keelson.statusWhere(admin(), "both ConfigMaps converged", ({ summary }) => summary.converged === 2);
      expect(REQUESTS.filter((_request, at) => faults[at]!.hits === 0)).toEqual([]);

      await admin().create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd(kind));
      await keelson.converged(admin(), 3);
      await admin().patch(`/api/v1/namespaces/default/configmaps/${set}-a`, { data: { a: "drift" } });
      await eventually("drift is repaired", async () => (await value(`${set}-a`)) === "1", PATIENT);

      expect(keelson.isRunning).toBe(true);
    },
  );

  async function value(name: string): Promise<string | undefined> {
    return (await admin().get(`/api/v1/namespaces/default/configmaps/${name}`))?.data?.a;
  }
}
