import { afterAll, beforeAll } from "vitest";
import { describeWithControlPlane } from "../control-plane/index.ts";
import { answerCases, type ProxiedBed } from "./answers.case.ts";
import { type Admin, adminOf, startKeelson } from "./bed/index.ts";
import { rightsCases } from "./rights.case.ts";
import { startUpCases } from "./start-up.case.ts";
import { watchCases } from "./watches.case.ts";

describeWithControlPlane(
  "an API server whose answers fail",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await adminOf(plane());
    });
    afterAll(() => admin?.close());
    const bed: ProxiedBed = {
      admin: () => admin,
      proxy: () => plane().startFaultProxy(),
      start: (context, through, { user = "keelson", ...options }) =>
        startKeelson(context, { kubeconfig: plane().kubeconfigThrough(through, user), ...options }),
      writes: async () => {
        const answers = new Map<string, string[]>();
        for (const { verb, resource, name, namespace, code } of await plane().requests({ user: "keelson" })) {
          if (resource !== "configmaps" || !["create", "patch", "delete"].includes(verb)) continue;
          // A POST names no object in its path: those of these tests have a namespace each.
          const key = verb === "create" ? namespace : name;
          answers.set(key, [...(answers.get(key) ?? []), `${verb} ${code}`]);
        }
        return answers;
      },
    };
    answerCases(bed);
    rightsCases(bed);
    watchCases(bed);
    startUpCases(bed);
  },
  { controllerManager: false, auditLog: true },
);
