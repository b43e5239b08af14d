import type { StatusReport } from "./reports.ts";

/** What `keelson sandbox` is asked for. */
export interface SandboxOptions {
  /** A directory of manifests, or a snapshot file; undefined: an empty cluster. */
  readonly load?: string | undefined;
  /** Where the state is written at the end, and on `io.onRescan`. */
  readonly save?: string | undefined;
  /** On 127.0.0.1; 0: any free one. */
  readonly port: number;
  /** Where the kubeconfig appears once the server is ready; undefined: in a temporary directory. */
  readonly kubeconfigOut?: string | undefined;
  readonly simulateWorkloads: boolean;
  /** Holder of the kube-controller-manager Lease; undefined: there is none. */
  readonly leaseHost?: string | undefined;
  /** Called once it serves, with the path of the kubeconfig. */
  readonly onReady: (kubeconfig: string) => void;
}

/** What `keelson demo` is asked for. */
export interface DemoOptions {
  /** Stay up at the end, until `io.signal` fires. */
  readonly keep: boolean;
  /** Prints one line of the tour. */
  readonly say: (line: string) => void;
  /** Prints the daemon's status as `keelson status` does. */
  readonly sayStatus: (status: StatusReport) => void;
}
