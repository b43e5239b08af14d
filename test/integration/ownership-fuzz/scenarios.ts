import type { Random } from "./random.ts";

// biome-ignore lint/suspicious/noExplicitAny: objects are cut up freely by the fuzz
export type Loose = any;

/** A kind to fuzz: where it lives, what is desired, and which lists are keyed by what (the API's own schema). */
export interface Scenario {
  readonly name: string;
  readonly collection: string;
  readonly desired: (random: Random, name: string) => Loose;
  /** Key names of keyed lists, by the path without indices; `[]` marks a set. Other lists are atomic. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly hasScale?: boolean;
  readonly hasStatus?: boolean;
  readonly isCustom?: boolean;
  /** Edits that the generic ones would hardly hit, such as a change of a union's member. */
  readonly special?: (random: Random, object: Loose) => void;
}

const NS = "fuzz";

function meta(random: Random, name: string): Loose {
  const metadata: Loose = { name, namespace: NS, labels: { "addonmanager.kubernetes.io/mode": "Reconcile" } };
  for (const key of random.some(["app", "app.kubernetes.io/name", "constructor", "tier"]))
    metadata.labels[key] = `l-${name}`;
  if (random.chance(0.5)) metadata.annotations = { note: `n${random.below(9)}` };
  if (random.chance(0.3)) metadata.finalizers = random.some(["x.dev/a", "x.dev/b", "x.dev/c"], 0.8);
  if (metadata.finalizers?.length === 0) delete metadata.finalizers;
  return metadata;
}

function maybe(random: Random, target: Loose, fields: Readonly<Record<string, () => unknown>>): void {
  for (const [name, value] of Object.entries(fields)) if (random.chance(0.4)) target[name] = value();
}

function container(random: Random, name: string): Loose {
  const result: Loose = { name, image: `registry.example/${name}:v${random.below(5)}` };
  maybe(random, result, {
    args: () => random.some(["--a", "--b=1", "--c"], 0.8),
    command: () => ["/bin/x"],
    env: () =>
      random.some(
        [
          { name: "A", value: "1" },
          { name: "B", value: "" },
          { name: "C", value: "3" },
        ],
        0.9,
      ),
    ports: () =>
      random.pick<Loose>([
        [
          { containerPort: 53, protocol: "UDP", name: "dns" },
          { containerPort: 53, name: "dns-tcp" },
        ],
        [{ containerPort: 8080 }, { containerPort: 9090, name: "m" }],
        [{ containerPort: 80, name: "http" }],
        [],
      ]),
    resources: () =>
      random.pick<Loose>([{ requests: { cpu: "100m", memory: "64Mi" } }, { limits: { cpu: "1000m" } }, {}]),
    securityContext: () => random.pick<Loose>([{}, { runAsNonRoot: true }, { capabilities: { drop: ["ALL"] } }]),
    livenessProbe: () => ({
      httpGet: { path: "/healthz", port: random.pick<string | number>([8080, "http"]) },
      periodSeconds: 5,
    }),
    volumeMounts: () => [
      { name: "v1", mountPath: "/a" },
      { name: "v2", mountPath: "/b", readOnly: true },
    ],
  });
  return result;
}

function podTemplate(random: Random, labels: Loose): Loose {
  const spec: Loose = {
    containers: [container(random, "main"), ...(random.chance(0.5) ? [container(random, "aux")] : [])],
  };
  const needsVolumes = spec.containers.some((each: Loose) => each.volumeMounts !== undefined);
  if (needsVolumes || random.chance(0.5)) {
    spec.volumes = [
      { name: "v1", emptyDir: {} },
      { name: "v2", configMap: { name: "cm" } },
      ...(random.chance(0.4) ? [{ name: "v3", emptyDir: { medium: "Memory" } }] : []),
    ];
  }
  maybe(random, spec, {
    nodeSelector: () => random.pick<Loose>([{ "kubernetes.io/os": "linux" }, {}]),
    tolerations: () =>
      random.some(
        [
          { key: "a", operator: "Exists" },
          { operator: "Exists", effect: "NoSchedule" },
        ],
        0.8,
      ),
    imagePullSecrets: () => [{ name: "p1" }, { name: "p2" }],
    hostAliases: () => [{ ip: "10.0.0.1", hostnames: ["a", "b"] }],
    priorityClassName: () => "",
    terminationGracePeriodSeconds: () => random.pick([0, 30, 45]),
    securityContext: () => ({}),
    topologySpreadConstraints: () => [
      { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway", labelSelector: { matchLabels: labels } },
    ],
  });
  const metadata: Loose = { labels };
  maybe(random, metadata, { annotations: () => random.pick<Loose>([{}, { checksum: "1" }]) });
  return { metadata, spec };
}

const POD_LISTS: Readonly<Record<string, readonly string[]>> = {
  "spec.template.spec.containers": ["name"],
  "spec.template.spec.containers.env": ["name"],
  "spec.template.spec.containers.ports": ["containerPort", "protocol"],
  "spec.template.spec.containers.volumeMounts": ["mountPath"],
  "spec.template.spec.volumes": ["name"],
  "spec.template.spec.imagePullSecrets": ["name"],
  "spec.template.spec.hostAliases": ["ip"],
  "spec.template.spec.topologySpreadConstraints": ["topologyKey", "whenUnsatisfiable"],
  "metadata.finalizers": [],
};

function podSpecial(random: Random, object: Loose): void {
  const spec = object.spec.template.spec;
  const main = random.pick<Loose>(spec.containers) ?? {};
  random.pick([
    () => {
      for (const item of main.env ?? [])
        if (random.chance(0.5)) swapUnion(item, "value", "valueFrom", { fieldRef: { fieldPath: "metadata.name" } });
    },
    () => {
      const volume = random.pick<Loose>(spec.volumes ?? []) ?? {};
      delete volume.configMap;
      volume.emptyDir = { sizeLimit: "1Gi" };
    },
    () => {
      if (object.kind === "Deployment") object.spec.strategy = { type: "Recreate" };
    },
    () => {
      spec.containers.push({ name: "sidecar", image: "sidecar:1", env: [{ name: "A", value: "s" }] });
    },
    () => {
      main.env = [...(main.env ?? []), { name: "FOREIGN", value: "f" }];
    },
    () => {
      main.ports = [{ containerPort: 7000 + random.below(50), protocol: "TCP" }, ...(main.ports ?? [])];
    },
    () => {
      object.spec.template.metadata.annotations = { ...object.spec.template.metadata.annotations, restartedAt: "now" };
    },
    () => {
      for (const port of main.ports ?? []) if (random.chance(0.5)) port.containerPort += 1;
    },
  ])();
}

function swapUnion(item: Loose, from: string, to: string, value: unknown): void {
  delete item[from];
  item[to] = value;
}

const deployment: Scenario = {
  name: "Deployment",
  collection: `/apis/apps/v1/namespaces/${NS}/deployments`,
  lists: POD_LISTS,
  hasScale: true,
  hasStatus: true,
  special: podSpecial,
  desired: (random, name) => {
    const labels = { app: name };
    const spec: Loose = { selector: { matchLabels: labels }, template: podTemplate(random, labels) };
    maybe(random, spec, {
      replicas: () => random.below(4),
      strategy: () =>
        random.pick<Loose>([
          { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
          { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
        ]),
      minReadySeconds: () => 0,
      revisionHistoryLimit: () => 3,
    });
    return { apiVersion: "apps/v1", kind: "Deployment", metadata: meta(random, name), spec };
  },
};

const statefulSet: Scenario = {
  name: "StatefulSet",
  collection: `/apis/apps/v1/namespaces/${NS}/statefulsets`,
  lists: POD_LISTS,
  hasScale: true,
  hasStatus: true,
  special: podSpecial,
  desired: (random, name) => {
    const labels = { app: name };
    const spec: Loose = { serviceName: name, selector: { matchLabels: labels }, template: podTemplate(random, labels) };
    maybe(random, spec, { replicas: () => random.below(4) });
    return { apiVersion: "apps/v1", kind: "StatefulSet", metadata: meta(random, name), spec };
  },
};

const service: Scenario = {
  name: "Service",
  collection: `/api/v1/namespaces/${NS}/services`,
  lists: { "spec.ports": ["port", "protocol"], "metadata.finalizers": [] },
  hasStatus: true,
  special: (random, object) => {
    for (const port of object.spec.ports ?? []) if (random.chance(0.5)) port.port += 1;
    if (random.chance(0.5))
      object.spec.ports?.push({ name: "foreign", port: 6000 + random.below(90), protocol: "TCP" });
  },
  desired: (random, name) => {
    const spec: Loose = {
      selector: { app: name },
      ports: random.pick<Loose>([
        [
          { name: "dns", port: 53, protocol: "UDP" },
          { name: "dns-tcp", port: 53 },
        ],
        [
          { name: "dns", port: 53, protocol: "UDP" },
          { name: "dns-tcp", port: 53, protocol: "TCP" },
          { name: "m", port: 9153, targetPort: "metrics" },
        ],
        [{ port: 80 }],
        [
          { name: "http", port: 80, targetPort: 8080 },
          { name: "https", port: 443, targetPort: "tls" },
        ],
      ]),
    };
    maybe(random, spec, {
      type: () => random.pick(["ClusterIP", "NodePort"]),
      sessionAffinity: () => "None",
      publishNotReadyAddresses: () => false,
      externalIPs: () => ["192.0.2.1", "192.0.2.2"],
    });
    return { apiVersion: "v1", kind: "Service", metadata: meta(random, name), spec };
  },
};

function mapOf(random: Random, value: (key: string) => string): Loose {
  return Object.fromEntries(random.some(["a", "b.conf", "c_d", "__x"], 0.7).map((key) => [key, value(key)]));
}

const configMap: Scenario = {
  name: "ConfigMap",
  collection: `/api/v1/namespaces/${NS}/configmaps`,
  lists: { "metadata.finalizers": [] },
  desired: (random, name) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: meta(random, name),
    data: mapOf(random, (key) => random.pick(["", `${key}=1\n`, "text"])),
  }),
};

const secret: Scenario = {
  name: "Secret",
  collection: `/api/v1/namespaces/${NS}/secrets`,
  lists: { "metadata.finalizers": [] },
  desired: (random, name) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: meta(random, name),
    type: "Opaque",
    data: mapOf(random, (key) => Buffer.from(`${key}${random.below(9)}`).toString("base64")),
  }),
};

const clusterRole: Scenario = {
  name: "ClusterRole",
  collection: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  lists: { "metadata.finalizers": [] },
  desired: (random, name) => {
    const { namespace: _, ...metadata } = meta(random, name);
    return {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata,
      rules: [
        { apiGroups: [""], resources: ["pods", "services"], verbs: ["get", "list"] },
        ...(random.chance(0.5) ? [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] : []),
      ],
    };
  },
};

const ingress: Scenario = {
  name: "Ingress",
  collection: `/apis/networking.k8s.io/v1/namespaces/${NS}/ingresses`,
  lists: { "metadata.finalizers": [] },
  hasStatus: true,
  desired: (random, name) => {
    const backend = { service: { name: "svc", port: random.pick<Loose>([{ number: 80 }, { name: "http" }]) } };
    const spec: Loose = {
      rules: [{ host: "a.example", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    };
    maybe(random, spec, {
      defaultBackend: () => backend,
      tls: () => [{ hosts: ["a.example"], secretName: "s" }],
      ingressClassName: () => "nginx",
    });
    return { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: meta(random, name), spec };
  },
};

const networkPolicy: Scenario = {
  name: "NetworkPolicy",
  collection: `/apis/networking.k8s.io/v1/namespaces/${NS}/networkpolicies`,
  lists: { "metadata.finalizers": [] },
  desired: (random, name) => {
    const spec: Loose = { podSelector: random.pick<Loose>([{}, { matchLabels: { app: name } }]) };
    maybe(random, spec, {
      ingress: () => random.pick<Loose>([[{}], [{ ports: [{ port: 53 }] }], [{ from: [{ podSelector: {} }] }], []]),
      egress: () => random.pick<Loose>([[{}], []]),
      policyTypes: () => ["Ingress", "Egress"],
    });
    return { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: meta(random, name), spec };
  },
};

const custom: Scenario = {
  name: "Widget",
  collection: `/apis/fuzz.keelson.test/v1/namespaces/${NS}/widgets`,
  isCustom: true,
  hasStatus: true,
  lists: {
    "metadata.finalizers": [],
    "spec.set": [],
    "spec.items": ["name", "protocol"],
    "spec.items.inner": ["id"],
  },
  special: (random, object) => {
    random.pick([
      () => (object.spec.granular = { ...object.spec.granular, foreign: "f" }),
      () => (object.spec.obj = { ...object.spec.obj, z: random.pick(["1", "2"]) }),
      () => (object.spec.set = ["foreign", ...(object.spec.set ?? [])]),
      () => (object.spec.items = [{ name: "foreign", protocol: "TCP", v: "f" }, ...(object.spec.items ?? [])]),
      () => (object.spec.free = { ...object.spec.free, foreign: { deep: [1] } }),
      () => delete object.spec.obj,
      () => delete object.spec.items,
      () => (object.spec.obj = {}),
      () => (object.spec.atomicMap = { ...object.spec.atomicMap, q: "x" }),
    ])();
  },
  desired: (random, name) => {
    const spec: Loose = { a: `a${random.below(5)}` };
    maybe(random, spec, {
      n: () => random.pick([0, 1, 9007199254740991]),
      flag: () => random.chance(0.5),
      empty: () => "",
      intOrString: () => random.pick<string | number>([80, "80", "http"]),
      granular: () => ({ x: "1", y: "", "k.dev/z": "3" }),
      atomicMap: () => random.pick<Loose>([{ p: "1", q: "2" }, {}]),
      atomicList: () => random.pick<Loose>([["b", "a"], []]),
      set: () => random.shuffled(["s1", "s2", "s3"]),
      items: () =>
        random.shuffled([
          { name: "i1", v: "1" },
          { name: "i2", protocol: "UDP", v: "2", inner: [{ id: 1 }, { id: 2, w: "x" }] },
          { name: "i2", protocol: "TCP" },
          { name: "i3", extra: {} },
        ]),
      obj: () => random.pick<Loose>([{}, { z: "own" }, { y: "1" }]),
      free: () => random.pick<Loose>([{}, { deep: { list: [1, { a: 2 }], "a.b": null } }, { k: "v" }]),
    });
    return { apiVersion: "fuzz.keelson.test/v1", kind: "Widget", metadata: meta(random, name), spec };
  },
};

const text = { type: "string" };

/** The custom resource: every sort of list and map, and defaults inside. */
export const WIDGET_CRD: Loose = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.fuzz.keelson.test" },
  spec: {
    group: "fuzz.keelson.test",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              status: { type: "object", properties: { phase: text } },
              spec: {
                type: "object",
                properties: {
                  a: text,
                  b: { ...text, default: "d" },
                  n: { type: "integer", format: "int64" },
                  flag: { type: "boolean" },
                  empty: text,
                  intOrString: { "x-kubernetes-int-or-string": true },
                  granular: { type: "object", additionalProperties: text },
                  atomicMap: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
                  atomicList: { type: "array", items: text },
                  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
                  items: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name", "protocol"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: {
                        name: text,
                        protocol: { ...text, default: "TCP" },
                        v: text,
                        d: { ...text, default: "d" },
                        extra: { type: "object", additionalProperties: text },
                        inner: {
                          type: "array",
                          "x-kubernetes-list-type": "map",
                          "x-kubernetes-list-map-keys": ["id"],
                          items: { type: "object", required: ["id"], properties: { id: { type: "integer" }, w: text } },
                        },
                      },
                    },
                  },
                  obj: { type: "object", properties: { y: text, z: { ...text, default: "zz" } } },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
            },
          },
        },
      },
    ],
  },
};

export const SCENARIOS: readonly Scenario[] = [
  deployment,
  statefulSet,
  service,
  configMap,
  secret,
  clusterRole,
  ingress,
  networkPolicy,
  custom,
];
