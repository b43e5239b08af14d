import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The five kinds of the load, in equal parts. */
export type LoadKind = "ConfigMap" | "ServiceAccount" | "Service" | "ClusterRole" | "Deployment";

/** One object of the load, and where it lies. */
export interface LoadObject {
  readonly index: number;
  readonly kind: LoadKind;
  readonly name: string;
  /** Path of its collection in the API. */
  readonly collection: string;
  readonly mode: "Reconcile" | "EnsureExists";
  /** Name of its file, which holds `objectsPerFile` objects. */
  readonly file: string;
}

export interface Load {
  readonly directory: string;
  readonly objects: readonly LoadObject[];
}

export const modeLabel = "addonmanager.kubernetes.io/mode";
export const namespace = "kube-system";
export const collections: Readonly<Record<LoadKind, string>> = {
  ConfigMap: `/api/v1/namespaces/${namespace}/configmaps`,
  ServiceAccount: `/api/v1/namespaces/${namespace}/serviceaccounts`,
  Service: `/api/v1/namespaces/${namespace}/services`,
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  Deployment: `/apis/apps/v1/namespaces/${namespace}/deployments`,
};

const kinds: readonly LoadKind[] = ["ConfigMap", "ServiceAccount", "Service", "ClusterRole", "Deployment"];
const objectsPerFile = 5;

/** Writes `count` objects into a fresh folder: five to a file, one of each kind; one in ten is EnsureExists. */
export function writeLoad(directory: string, count: number): Load {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const objects = Array.from({ length: count }, (_, index) => describeObject(index));
  for (let first = 0; first < count; first += objectsPerFile) {
    const inFile = objects.slice(first, first + objectsPerFile);
    writeFileSync(join(directory, inFile[0]?.file ?? ""), renderFile(inFile));
  }
  return { directory, objects };
}

/** The same files as a chart, for Helm. Returns the chart's folder. */
export function writeChart(directory: string, count: number): string {
  writeLoad(join(directory, "templates"), count);
  writeFileSync(join(directory, "Chart.yaml"), "apiVersion: v2\nname: bench\nversion: 1.0.0\n");
  return directory;
}

/** The text of a file; `value` replaces what its ConfigMap says. */
export function renderFile(objects: readonly LoadObject[], value?: string): string {
  return objects.map((object) => manifestOf(object, value)).join("---\n");
}

/** The value that a ConfigMap of the load holds under `setting`. */
export function settingOf({ index }: LoadObject): string {
  return `value of ${index}`;
}

function describeObject(index: number): LoadObject {
  const kind = kinds[index % kinds.length] ?? "ConfigMap";
  return {
    index,
    kind,
    name: `bench-${index}`,
    collection: collections[kind],
    mode: index % 10 === 0 ? "EnsureExists" : "Reconcile",
    file: `addon-${String(Math.floor(index / objectsPerFile)).padStart(5, "0")}.yaml`,
  };
}

function manifestOf(object: LoadObject, value = settingOf(object)): string {
  const { kind, name, mode, index } = object;
  const apiVersion = { ClusterRole: "rbac.authorization.k8s.io/v1", Deployment: "apps/v1" }[kind as string] ?? "v1";
  const placement = kind === "ClusterRole" ? "" : `  namespace: ${namespace}\n`;
  return `apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: ${name}
${placement}  labels:
    ${modeLabel}: ${mode}
    app.kubernetes.io/name: ${name}
${contentOf[kind](name, index, value)}`;
}

const contentOf: Readonly<Record<LoadKind, (name: string, index: number, value: string) => string>> = {
  ConfigMap: (_name, index, value) => `data:
  setting: ${value}
  server.conf: |
    workers = ${index % 16}
    listen = 127.0.0.1
`,
  ServiceAccount: () => "",
  Service: (name) => `spec:
  selector:
    app.kubernetes.io/name: ${name}
  ports:
    - name: web
      port: 80
      targetPort: 8080
    - name: metrics
      port: 9090
`,
  ClusterRole: () => `rules:
  - apiGroups: [""]
    resources: ["pods"]
    verbs: ["get", "list", "watch"]
`,
  Deployment: (name, index) => `spec:
  replicas: 0
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}
    spec:
      containers:
        - name: server
          image: registry.example/server:${index}
          resources:
            limits:
              cpu: 100m
`,
};
