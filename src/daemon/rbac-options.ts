/** How rights are asked for. */
export interface RbacOptions {
  /** Name of roles and bindings; default keelson, with a set keelson-SET. */
  readonly name: string | undefined;
  /** Default: the name. */
  readonly serviceAccount: string | undefined;
  /** Of the ServiceAccount; default kube-system. */
  readonly namespace: string | undefined;
  /** Whether the namespaces that the directory declares are printed, too, so that rights can stay within them. */
  readonly hasNamespaces: boolean;
  /** Whether the cluster is asked which kinds it serves; else those of a plain Kubernetes and of the directory's CRDs. */
  readonly isOnline: boolean;
}
