import { hostname } from "node:os";
import { systemClock } from "../async/index.ts";
import { SRIOV_LEASE } from "../controllers/sriov-operator-config/index.ts";
import { type ApiResource, createClient, type KubeClient, loadKubeconfig } from "../kube/index.ts";
import {
  alwaysLeader,
  CONTROLLER_MANAGER_LEASE,
  kubeLease,
  LEASE_NAMESPACE,
  type LeaderElector,
  LeaseFollower,
  LeaseHolder,
  ownLeaseName,
} from "../leader-election/index.ts";
import { ChangeLog, type Logger } from "../log/index.ts";
import type { RequestMeter } from "../metrics/index.ts";
import { groupKindKey } from "../object/index.ts";
import type { OperationIo } from "./operations.ts";
import type { Settings } from "./settings.ts";

/** Whether the API server answered the last request that was sent: of a watch, say, in steady state. */
export class ApiHealth {
  #isAnswering = false;

  get isAnswering(): boolean {
    return this.#isAnswering;
  }

  /** Takes note of the end of a request; `code` 0: no answer came. */
  note(code: number): void {
    this.#isAnswering = code !== 0;
  }
}

/** Who is told of requests. */
export interface RequestListeners {
  readonly health?: ApiHealth;
  readonly meter?: RequestMeter | undefined;
}

/** Connects to the cluster that the settings and the environment name. Makes no request. */
export async function connect(
  settings: Settings,
  io: OperationIo,
  { health, meter }: RequestListeners = {},
): Promise<KubeClient> {
  const env = io.environment;
  const config = await loadKubeconfig({ flags: settings.kubectl, env, home: env.HOME ?? "/" });
  const said = new ChangeLog(io.log);
  return createClient({
    config,
    clock: systemClock,
    observer: {
      onRequest: ({ verb, resource, code, ms, isAborted }) => {
        if (isAborted) return;
        health?.note(code);
        meter?.requested(verb, pluralOf(resource), { code, ms });
      },
      onWatchEnd: (resource, reason) => meter?.watchEnded(pluralOf(resource), reason),
      onWarning: (message, resource) => {
        const kind = resource === undefined ? "" : `${groupKindKey(resource)}: `;
        said.report({ key: `${kind}${message}`, level: "warn", message: `${kind}${message}` });
      },
    },
  });
}

/** `deployments.apps`; "" where no kind is addressed. */
function pluralOf(resource: ApiResource | undefined): string {
  if (resource === undefined) return "";
  return resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
}

/** The elector that the settings ask for. */
export function buildElector(settings: Settings, client: KubeClient, log: Logger): LeaderElector {
  const clock = systemClock;
  switch (settings.leaderElect) {
    case "always":
      return alwaysLeader(settings.hostname);
    case "lease": {
      const name = ownLeaseName(settings.set);
      const store = kubeLease({ client, clock, name });
      return new LeaseHolder({
        store,
        identity: instanceName(settings),
        clock,
        log,
        name: `${LEASE_NAMESPACE}/${name}`,
      });
    }
    case "follow": {
      const lease = kubeLease({ client, clock, name: CONTROLLER_MANAGER_LEASE });
      return new LeaseFollower({ watch: lease, store: lease, hostname: settings.hostname, clock, log });
    }
  }
}

/** The elector of the SR-IOV controller: a Lease of its own, in the operator's namespace. */
export function buildSriovElector(
  settings: Settings,
  client: KubeClient,
  to: { readonly log: Logger; readonly namespace: string },
): LeaderElector {
  if (settings.sriovLeaderElect === "always") return alwaysLeader(settings.hostname);
  const { log, namespace } = to;
  const name = SRIOV_LEASE;
  const store = kubeLease({ client, clock: systemClock, name, namespace });
  return new LeaseHolder({
    store,
    identity: instanceName(settings),
    clock: systemClock,
    log,
    name: `${namespace}/${name}`,
  });
}

/** A name for this process that no other one has, on this host or elsewhere. */
export function instanceName(settings: Settings): string {
  const host = settings.hostname === "" ? hostname() : settings.hostname;
  return `${host}_${process.pid}_${Date.now().toString(36)}`;
}
