import { type ApiServer, type ApiServerOptions, startApiServer } from "../../src/apiserver/index.ts";
import type { ControlPlane } from "../control-plane/index.ts";
import { Target } from "./target.ts";

/** An embedded server and the target that talks to it. */
export interface Embedded {
  readonly server: ApiServer;
  readonly target: Target;
  close(): Promise<void>;
}

/** Starts an embedded server for a suite. */
export async function startEmbedded(options: ApiServerOptions = {}): Promise<Embedded> {
  const server = await startApiServer(options);
  const target = new Target("embedded", server.url);
  return {
    server,
    target,
    async close() {
      target.close();
      await server.close();
    },
  };
}

/** The target of a real control plane. */
export function realTarget(plane: ControlPlane): Target {
  return new Target("real", plane.serverUrl, plane.tokenFor("admin"));
}
