import { type ControlPlane, eventually } from "../../control-plane/index.ts";
import { Admin } from "./admin.ts";
import { PATIENT } from "./patience.ts";

/** The administrator of a plane without a controller manager: makes the account that Keelson waits for. */
export async function adminOf(plane: ControlPlane): Promise<Admin> {
  const admin = new Admin(plane);
  const metadata = { name: "default", namespace: "kube-system" };
  await eventually(
    "kube-system has its default ServiceAccount",
    async () => {
      await admin.create("/api/v1/namespaces/kube-system/serviceaccounts", {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata,
      });
      return true;
    },
    PATIENT,
  );
  return admin;
}
