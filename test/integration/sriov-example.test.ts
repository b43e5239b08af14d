import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithControlPlane, repositoryRoot } from "../control-plane/index.ts";
import { Admin } from "./addon-bed/index.ts";
import {
  collection,
  DEFAULT_OPERANDS,
  installDefinitions,
  METRICS_OPERANDS,
  startOperator,
} from "./sriov-bed/index.ts";

const FOLDER = join(repositoryRoot, "examples/sriov");
const NAMESPACE = "sriov-network-operator";

describeWithControlPlane(
  "examples/sriov",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await Admin.of(plane());
      await installDefinitions(plane());
      await plane().kubectl("create", "namespace", NAMESPACE);
    });
    afterAll(() => admin.close());

    it("makes what its README says, and takes the injector away", async () => {
      const lines = readFileSync(join(FOLDER, "operator.env"), "utf8").split("\n");
      const variables = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split("=", 2));
      const operator = await startOperator(plane(), admin, {
        namespace: NAMESPACE,
        environment: Object.fromEntries(variables),
      });

      await plane().kubectl("apply", "-f", join(FOLDER, "policy.yaml"), "-f", join(FOLDER, "config.yaml"));
      await plane().kubectl(
        "wait",
        "-n",
        NAMESPACE,
        "sriovoperatorconfig/default",
        "--for=condition=Ready",
        "--timeout=20s",
      );

      const operands = [...DEFAULT_OPERANDS, ...METRICS_OPERANDS];
      expect(await operator.missing(operands)).toEqual([]);
      const readme = readFileSync(join(FOLDER, "README.md"), "utf8");
      expect(readme).toContain(`: ${operands.length} objects`);
      const listed = [...readme.matchAll(/^DaemonSet (\S+)$/gm)].map(([, name]) => name);
      const live = await admin.list(collection("DaemonSet", NAMESPACE));
      expect(live.map(({ metadata }) => metadata.name).sort()).toEqual(listed);
      expect(
        (await operator.where("Mutating", "network-resources-injector-config")).metadata.annotations,
      ).toMatchObject({
        "cert-manager.io/inject-ca-from": `${NAMESPACE}/network-resources-injector-cert`,
      });

      await operator.patchSpec({ enableInjector: false });
      await operator.gone("DaemonSet", "network-resources-injector");
      const { stdout } = await plane().kubectl("get", "-n", NAMESPACE, "sriovoperatorconfig");
      expect(stdout).toMatch(/NAME +READY +REASON +INJECTOR +WEBHOOK/);
    });
  },
  { apiServerFlags: ["--disable-admission-plugins=MutatingAdmissionWebhook,ValidatingAdmissionWebhook"] },
);
