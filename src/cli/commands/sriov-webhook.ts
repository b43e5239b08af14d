import { KeelsonError } from "../../errors/index.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

/** The admission webhook of the SR-IOV operator's resources. */
export const sriovWebhookCommand: Command = {
  kind: "backed",
  name: "sriov-webhook",
  summary: "serve the admission webhook of the SR-IOV operator's resources",
  description:
    "Checks SriovOperatorConfigs, SriovNetworkNodePolicies and SriovNetworkPoolConfigs before they are stored, and completes policies. NAMESPACE names the operator's namespace, where ConfigMap supported-nic-ids has to be; DEV_MODE=TRUE accepts any network card.",
  operands: [],
  options: [
    { name: "port", value: "PORT", fallback: "6443", help: "where it serves" },
    { name: "tls-cert-file", value: "FILE", required: true, help: "certificate, PEM; read again when it is renewed" },
    { name: "tls-private-key-file", value: "FILE", required: true, help: "its private key, PEM" },
  ],
  exitCodes: [{ code: EXIT.ok, meaning: "stopped by a signal, in good order" }],
  settings: "sriov-webhook",
  takesDirectory: false,
  run({ operations, settings, io, options }) {
    const port = Number(options.get("port"));
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new KeelsonError("InvalidFlag", `--port="${options.get("port")}": no port; accepted: 0 to 65535`, {
        object: "--port",
      });
    }
    const certFile = options.get("tls-cert-file") ?? "";
    const keyFile = options.get("tls-private-key-file") ?? "";
    return operations.sriovWebhook(settings, { port, certFile, keyFile }, io);
  },
};
