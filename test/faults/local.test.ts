import { afterAll, beforeAll } from "vitest";
import { describeWithControlPlane } from "../control-plane/index.ts";
import { type Admin, adminOf, startKeelson } from "./bed/index.ts";
import { directoryCases, hostileCases, type LocalBed } from "./directory.case.ts";
import { machineCases } from "./machine.case.ts";

describeWithControlPlane(
  "a directory and a machine that go wrong",
  (plane) => {
    let admin: Admin;
    beforeAll(async () => {
      admin = await adminOf(plane());
    });
    afterAll(() => admin?.close());
    const bed: LocalBed = {
      admin: () => admin,
      start: (context, options) => startKeelson(context, { kubeconfig: plane().kubeconfigFor("keelson"), ...options }),
      deleted: async (set) => {
        const requests = await plane().requests({ user: "keelson" });
        return requests
          .filter(({ verb, resource, name }) => verb === "delete" && resource === "configmaps" && name.startsWith(set))
          .map(({ name }) => name);
      },
    };
    directoryCases(bed);
    hostileCases(bed);
    machineCases(bed);
  },
  { controllerManager: false, auditLog: true },
);
