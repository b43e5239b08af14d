import type { Random } from "./random.ts";
import type { Json } from "./target.ts";

/** A kind that sequences are generated for. */
export interface KindSpec {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** A valid object without metadata.name; fields come and go at random. */
  readonly content: (random: Random) => Json;
  /** Values to put at random places: changes by patch and update. */
  readonly edits: (random: Random) => Json;
  /** A status, where the kind has the subresource. */
  readonly status?: (random: Random) => Json;
  readonly scale?: boolean;
  readonly custom?: boolean;
}

const KEYS: readonly string[] = ["a", "b", "c", "d"];
const text = (r: Random): string => r.pick<Json>(["x", "y", "z", "10", "true"]);

function map(r: Random, share = 0.5): Json {
  return Object.fromEntries(r.some(KEYS, share).map((key) => [key, text(r)]));
}

function maybe(r: Random, share: number, fields: () => Json): Json {
  return r.chance(share) ? fields() : {};
}

function containerPort(r: Random): Json {
  return r.shuffled(r.some([53, 80, 443], 0.5)).map((containerPort) => ({
    containerPort,
    ...maybe(r, 0.5, () => ({ protocol: r.pick<Json>(["TCP", "UDP"]) })),
    ...maybe(r, 0.6, () => ({ name: `p${containerPort}` })),
  }));
}

function container(r: Random, name: string): Json {
  return {
    name,
    image: r.pick<Json>(["nginx", "nginx:1.27", "busybox:latest", "registry.test/a/b:v1"]),
    ...maybe(r, 0.5, () => ({
      env: r.shuffled(r.some(["A", "B", "C"], 0.6)).map((key) => ({ name: key, value: text(r) })),
    })),
    ...maybe(r, 0.5, () => ({ ports: containerPort(r) })),
    ...maybe(r, 0.4, () => ({ args: r.some(["-a", "-b", "-c"], 0.6) })),
    ...maybe(r, 0.4, () => ({
      resources: {
        limits: {
          cpu: r.pick<Json>(["100m", "1", "1000m", 2]),
          memory: r.pick<Json>(["64Mi", "1024Mi", "1Gi", "100M"]),
        },
        ...maybe(r, 0.5, () => ({ requests: { cpu: r.pick<Json>(["50m", "0.1"]) } })),
      },
    })),
    ...maybe(r, 0.3, () => ({
      readinessProbe: {
        httpGet: { port: r.pick<Json>([80, "http"]), path: "/ok" },
        ...maybe(r, 0.5, () => ({ periodSeconds: 5 })),
      },
    })),
    ...maybe(r, 0.3, () => ({ volumeMounts: [{ name: "v1", mountPath: "/v1" }] })),
    ...maybe(r, 0.3, () => ({ securityContext: { runAsNonRoot: true, capabilities: { drop: ["ALL"] } } })),
  };
}

function podSpec(r: Random, restartPolicy?: string): Json {
  return {
    containers: r.shuffled(["c1", ...r.some(["c2", "c3"], 0.4)]).map((name) => container(r, name)),
    volumes: r.shuffled([
      { name: "v1", ...r.pick<Json>([{ emptyDir: {} }, { configMap: { name: "cm" } }, {}]) },
      ...r.some(
        [
          { name: "v2", secret: { secretName: "s" } },
          { name: "v3", hostPath: { path: "/x" } },
        ],
        0.4,
      ),
    ]),
    ...maybe(r, 0.3, () => ({ nodeSelector: map(r) })),
    ...maybe(r, 0.3, () => ({ tolerations: [{ key: "k", operator: "Exists" }] })),
    ...maybe(r, 0.3, () => ({ serviceAccountName: "sa" })),
    ...maybe(r, 0.2, () => ({ hostNetwork: r.chance(0.5) })),
    ...maybe(r, 0.2, () => ({ imagePullSecrets: r.some([{ name: "i1" }, { name: "i2" }], 0.6) })),
    ...maybe(r, 0.2, () => ({ initContainers: [container(r, "i1")] })),
    ...maybe(r, 0.2, () => ({ terminationGracePeriodSeconds: r.pick<Json>([0, 30, 10]) })),
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
  };
}

function template(r: Random, restartPolicy?: string): Json {
  return {
    metadata: { labels: { app: "x", ...map(r, 0.3) }, ...maybe(r, 0.3, () => ({ annotations: map(r) })) },
    spec: podSpec(r, restartPolicy),
  };
}

const SELECTOR = { matchLabels: { app: "x" } };

function workload(
  apiVersion: string,
  kind: string,
  resource: string,
  extra: (r: Random) => Json,
  status: (r: Random) => Json,
): KindSpec {
  return {
    apiVersion,
    kind,
    resource,
    namespaced: true,
    content: (r) => ({
      spec: {
        selector: SELECTOR,
        template: template(r),
        ...maybe(r, 0.3, () => ({ minReadySeconds: r.pick<Json>([0, 5]) })),
        ...maybe(r, 0.3, () => ({ revisionHistoryLimit: r.pick<Json>([0, 3]) })),
        ...extra(r),
      },
    }),
    edits: (r) =>
      r.pick<Json>([
        { spec: { minReadySeconds: r.below(3) } },
        { spec: { template: { metadata: { annotations: map(r) } } } },
        { spec: { ...extra(r) } },
      ]),
    status,
    scale: kind !== "DaemonSet",
  };
}

function servicePorts(r: Random): Json {
  const numbers = r.shuffled([80, ...r.some([53, 443], 0.5)]);
  return numbers.map((port) => ({
    port,
    name: `n${port}`,
    ...maybe(r, 0.5, () => ({ protocol: r.pick<Json>(["TCP", "UDP"]) })),
    ...maybe(r, 0.5, () => ({ targetPort: r.pick<Json>([8080, "http", 0]) })),
  }));
}

function rules(r: Random): Json {
  return r.some(["pods", "services", "configmaps"], 0.6).map((resource) => ({
    apiGroups: [r.pick<Json>(["", "apps"])],
    resources: [resource],
    verbs: r.shuffled(["get", ...r.some(["list", "watch"], 0.5)]),
    ...maybe(r, 0.2, () => ({ resourceNames: ["n"] })),
  }));
}

function subjects(r: Random): Json {
  return r.some(
    [
      { kind: "ServiceAccount", name: "a", namespace: "default" },
      { kind: "User", name: "u" },
      { kind: "Group", name: "g", apiGroup: "rbac.authorization.k8s.io" },
    ],
    0.6,
  );
}

const RBAC = "rbac.authorization.k8s.io/v1";
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const conditions = (r: Random): Json =>
  r.some(["Available", "Progressing"], 0.7).map((type) => ({
    type,
    status: r.pick<Json>(["True", "False"]),
    reason: "R",
    message: "m",
    lastTransitionTime: "2030-01-01T00:00:00Z",
  }));

function peers(r: Random): Json {
  return r.some<Json>(
    [
      { podSelector: { matchLabels: map(r, 0.4) } },
      { namespaceSelector: {} },
      { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } },
    ],
    0.6,
  );
}

/** Built-in kinds. */
export const BUILTIN_KINDS: readonly KindSpec[] = [
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    resource: "configmaps",
    namespaced: true,
    content: (r) => ({
      ...maybe(r, 0.9, () => ({ data: map(r) })),
      ...maybe(r, 0.2, () => ({ binaryData: { bin: "aGVsbG8=" } })),
      ...maybe(r, 0.1, () => ({ immutable: r.chance(0.5) })),
    }),
    edits: (r) =>
      r.pick<Json>([
        { data: map(r) },
        { data: { [r.pick<Json>(["a", "b"])]: null } },
        { data: { a: text(r) } },
        { immutable: true },
      ]),
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    resource: "secrets",
    namespaced: true,
    content: (r) => ({
      ...maybe(r, 0.7, () => ({ data: { a: "YQ==", ...maybe(r, 0.5, () => ({ b: "Yg==" })) } })),
      ...maybe(r, 0.4, () => ({ stringData: map(r) })),
      ...maybe(r, 0.3, () => ({ type: r.pick<Json>(["Opaque", "example.com/x"]) })),
    }),
    edits: (r) => r.pick<Json>([{ data: { c: "Yw==" } }, { stringData: map(r) }, { data: { a: null } }]),
  },
  {
    apiVersion: "v1",
    kind: "Service",
    resource: "services",
    namespaced: true,
    content: (r) => ({
      spec: {
        ports: servicePorts(r),
        ...maybe(r, 0.7, () => ({ selector: map(r) })),
        ...maybe(r, 0.3, () => ({ type: r.pick<Json>(["ClusterIP", "NodePort", "LoadBalancer"]) })),
        ...maybe(r, 0.2, () => ({ sessionAffinity: r.pick<Json>(["None", "ClientIP"]) })),
        ...maybe(r, 0.1, () => ({ clusterIP: "None", type: "ClusterIP" })),
        ...maybe(r, 0.2, () => ({ publishNotReadyAddresses: r.chance(0.5) })),
      },
    }),
    edits: (r) =>
      r.pick<Json>([
        { spec: { selector: map(r) } },
        { spec: { ports: servicePorts(r) } },
        { spec: { sessionAffinity: r.pick<Json>(["None", "ClientIP"]) } },
        { spec: { type: r.pick<Json>(["ClusterIP", "NodePort"]) } },
      ]),
    status: () => ({ loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } }),
  },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    resource: "serviceaccounts",
    namespaced: true,
    content: (r) => ({
      ...maybe(r, 0.4, () => ({ automountServiceAccountToken: r.chance(0.5) })),
      ...maybe(r, 0.5, () => ({ imagePullSecrets: r.shuffled(r.some([{ name: "i1" }, { name: "i2" }], 0.6)) })),
      ...maybe(r, 0.4, () => ({ secrets: r.shuffled(r.some([{ name: "s1" }, { name: "s2" }], 0.6)) })),
    }),
    edits: (r) =>
      r.pick<Json>([{ automountServiceAccountToken: r.chance(0.5) }, { imagePullSecrets: [{ name: "i3" }] }]),
  },
  workload(
    "apps/v1",
    "Deployment",
    "deployments",
    (r) => ({
      ...maybe(r, 0.6, () => ({ replicas: r.pick<Json>([0, 1, 3]) })),
      ...maybe(r, 0.4, () => ({
        strategy: r.pick<Json>([
          { type: "Recreate" },
          { type: "RollingUpdate" },
          { type: "RollingUpdate", rollingUpdate: { maxSurge: r.pick<Json>([1, "50%"]) } },
          { rollingUpdate: { maxUnavailable: 1 } },
        ]),
      })),
      ...maybe(r, 0.2, () => ({ paused: r.chance(0.5) })),
    }),
    (r) => ({ replicas: r.below(3), conditions: conditions(r), observedGeneration: 1 }),
  ),
  workload(
    "apps/v1",
    "DaemonSet",
    "daemonsets",
    (r) => ({
      ...maybe(r, 0.4, () => ({
        updateStrategy: r.pick<Json>([
          { type: "OnDelete" },
          { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } },
        ]),
      })),
    }),
    (r) => ({ numberReady: r.below(3), currentNumberScheduled: 1, desiredNumberScheduled: 1, numberMisscheduled: 0 }),
  ),
  workload(
    "apps/v1",
    "StatefulSet",
    "statefulsets",
    (r) => ({
      ...maybe(r, 0.5, () => ({ replicas: r.pick<Json>([0, 1, 3]) })),
      serviceName: "svc",
      ...maybe(r, 0.3, () => ({
        updateStrategy: r.pick<Json>([
          { type: "OnDelete" },
          { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
        ]),
      })),
    }),
    (r) => ({ replicas: r.below(3), conditions: conditions(r) }),
  ),
  workload(
    "apps/v1",
    "ReplicaSet",
    "replicasets",
    (r) => ({ ...maybe(r, 0.5, () => ({ replicas: r.pick<Json>([0, 1, 3]) })) }),
    (r) => ({ replicas: r.below(3), conditions: conditions(r) }),
  ),
  {
    apiVersion: "batch/v1",
    kind: "Job",
    resource: "jobs",
    namespaced: true,
    content: (r) => ({
      spec: {
        template: template(r, r.pick<Json>(["Never", "OnFailure"])),
        ...maybe(r, 0.4, () => ({ backoffLimit: r.pick<Json>([0, 3]) })),
        ...maybe(r, 0.3, () => ({ parallelism: r.pick<Json>([1, 2]) })),
        ...maybe(r, 0.3, () => ({ suspend: r.chance(0.5) })),
        ...maybe(r, 0.3, () => ({ ttlSecondsAfterFinished: 100 })),
      },
    }),
    edits: (r) =>
      r.pick<Json>([
        { spec: { parallelism: r.below(3) } },
        { spec: { suspend: r.chance(0.5) } },
        { spec: { ttlSecondsAfterFinished: 7 } },
      ]),
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    resource: "cronjobs",
    namespaced: true,
    content: (r) => ({
      spec: {
        schedule: r.pick<Json>(["* * * * *", "*/5 1 * * *"]),
        jobTemplate: { spec: { template: template(r, "Never") } },
        ...maybe(r, 0.4, () => ({ concurrencyPolicy: r.pick<Json>(["Allow", "Forbid"]) })),
        ...maybe(r, 0.4, () => ({ successfulJobsHistoryLimit: r.below(4) })),
        ...maybe(r, 0.3, () => ({ suspend: r.chance(0.5) })),
      },
    }),
    edits: (r) =>
      r.pick<Json>([
        { spec: { suspend: r.chance(0.5) } },
        { spec: { schedule: "0 0 * * *" } },
        { spec: { failedJobsHistoryLimit: r.below(3) } },
      ]),
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    resource: "ingresses",
    namespaced: true,
    content: (r) => ({
      spec: {
        ...maybe(r, 0.3, () => ({ ingressClassName: "nginx" })),
        ...maybe(r, 0.3, () => ({ tls: [{ hosts: r.some(["a.test", "b.test"], 0.6), secretName: "t" }] })),
        rules: ["a.test", ...r.some(["b.test"], 0.5)].map((host) => ({
          host,
          http: {
            paths: r
              .some(["/", "/x", "/y"], 0.7)
              .concat("/z")
              .map((path) => ({
                path,
                pathType: r.pick<Json>(["Prefix", "Exact"]),
                backend: { service: { name: "s", port: { number: r.pick<Json>([80, 443]) } } },
              })),
          },
        })),
      },
    }),
    edits: (r) =>
      r.pick<Json>([
        { spec: { ingressClassName: r.pick<Json>(["nginx", "other"]) } },
        { metadata: { annotations: map(r) } },
      ]),
    status: () => ({ loadBalancer: { ingress: [{ ip: "192.0.2.1", ports: [{ port: 80, protocol: "TCP" }] }] } }),
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    resource: "networkpolicies",
    namespaced: true,
    content: (r) => ({
      spec: {
        podSelector: r.pick<Json>([
          {},
          { matchLabels: { app: "x" } },
          { matchExpressions: [{ key: "a", operator: "In", values: ["x", "y"] }] },
        ]),
        ...maybe(r, 0.6, () => ({
          ingress: [
            {
              from: peers(r),
              ports: [{ port: r.pick<Json>([80, "http"]), ...maybe(r, 0.5, () => ({ protocol: "TCP" })) }],
            },
          ],
        })),
        ...maybe(r, 0.4, () => ({ egress: [{ to: peers(r) }] })),
        ...maybe(r, 0.3, () => ({ policyTypes: ["Ingress"] })),
      },
    }),
    edits: (r) =>
      r.pick<Json>([
        { spec: { policyTypes: ["Ingress", "Egress"] } },
        { spec: { podSelector: { matchLabels: map(r, 0.8) } } },
      ]),
  },
  {
    apiVersion: RBAC,
    kind: "Role",
    resource: "roles",
    namespaced: true,
    content: (r) => maybe(r, 0.9, () => ({ rules: rules(r) })),
    edits: (r) => ({ rules: rules(r) }),
  },
  {
    apiVersion: RBAC,
    kind: "ClusterRole",
    resource: "clusterroles",
    namespaced: false,
    content: (r) =>
      maybe(r, 0.9, () => ({
        rules: [...rules(r), ...r.some([{ nonResourceURLs: ["/healthz"], verbs: ["get"] }], 0.3)],
      })),
    edits: (r) => ({ rules: rules(r) }),
  },
  {
    apiVersion: RBAC,
    kind: "RoleBinding",
    resource: "rolebindings",
    namespaced: true,
    content: (r) => ({ roleRef, ...maybe(r, 0.9, () => ({ subjects: subjects(r) })) }),
    edits: (r) => ({ subjects: subjects(r) }),
  },
  {
    apiVersion: RBAC,
    kind: "ClusterRoleBinding",
    resource: "clusterrolebindings",
    namespaced: false,
    content: (r) => ({ roleRef, ...maybe(r, 0.9, () => ({ subjects: subjects(r) })) }),
    edits: (r) => ({ subjects: subjects(r) }),
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    resource: "poddisruptionbudgets",
    namespaced: true,
    content: (r) => ({
      spec: {
        selector: { matchLabels: map(r, 0.7) },
        ...r.pick<Json>([
          { minAvailable: r.pick<Json>([1, "50%"]) },
          { maxUnavailable: r.pick<Json>([0, 1, "20%"]) },
          {},
        ]),
      },
    }),
    edits: (r) =>
      r.pick<Json>([{ spec: { minAvailable: r.below(3) } }, { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } }]),
    status: () => ({ disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 }),
  },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    resource: "horizontalpodautoscalers",
    namespaced: true,
    content: (r) => ({
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        maxReplicas: r.pick<Json>([3, 5]),
        ...maybe(r, 0.5, () => ({ minReplicas: r.pick<Json>([1, 2]) })),
        ...maybe(r, 0.5, () => ({
          metrics: [
            {
              type: "Resource",
              resource: {
                name: r.pick<Json>(["cpu", "memory"]),
                target: { type: "Utilization", averageUtilization: r.pick<Json>([50, 80]) },
              },
            },
          ],
        })),
        ...maybe(r, 0.3, () => ({ behavior: { scaleDown: { stabilizationWindowSeconds: r.pick<Json>([0, 60]) } } })),
      },
    }),
    edits: (r) =>
      r.pick<Json>([{ spec: { maxReplicas: r.pick<Json>([4, 6]) } }, { spec: { minReplicas: r.pick<Json>([1, 2]) } }]),
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    resource: "persistentvolumeclaims",
    namespaced: true,
    content: (r) => ({
      spec: {
        accessModes: r.pick<Json>([["ReadWriteOnce"], ["ReadOnlyMany", "ReadWriteOnce"]]),
        resources: { requests: { storage: r.pick<Json>(["1Gi", "1024Mi", "500M"]) } },
        ...maybe(r, 0.4, () => ({ storageClassName: "sc" })),
      },
    }),
    edits: (r) =>
      r.pick<Json>([
        { metadata: { annotations: map(r) } },
        { spec: { storageClassName: "other" } },
        { spec: { resources: { requests: { storage: "2Gi" } } } },
      ]),
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    resource: "storageclasses",
    namespaced: false,
    content: (r) => ({
      provisioner: "example.com/p",
      ...maybe(r, 0.5, () => ({ parameters: { p: "q" } })),
      ...maybe(r, 0.3, () => ({ allowVolumeExpansion: r.chance(0.5) })),
      ...maybe(r, 0.3, () => ({ mountOptions: r.some(["a", "b"], 0.7) })),
      ...maybe(r, 0.3, () => ({ volumeBindingMode: "WaitForFirstConsumer" })),
    }),
    edits: (r) =>
      r.pick<Json>([{ allowVolumeExpansion: r.chance(0.5) }, { parameters: { p: "other" } }, { mountOptions: ["c"] }]),
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    resource: "leases",
    namespaced: true,
    content: (r) => ({
      spec: {
        ...maybe(r, 0.7, () => ({ holderIdentity: text(r) })),
        ...maybe(r, 0.6, () => ({ leaseDurationSeconds: r.pick<Json>([15, 30]) })),
        ...maybe(r, 0.4, () => ({ renewTime: "2030-01-01T00:00:00.123456Z" })),
      },
    }),
    edits: (r) => r.pick<Json>([{ spec: { holderIdentity: text(r) } }, { spec: { leaseTransitions: r.below(4) } }]),
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    resource: "priorityclasses",
    namespaced: false,
    content: (r) => ({
      value: r.pick<Json>([0, 10, 10]),
      ...maybe(r, 0.4, () => ({ description: text(r) })),
      ...maybe(r, 0.3, () => ({ preemptionPolicy: r.pick<Json>(["Never", "PreemptLowerPriority"]) })),
    }),
    edits: (r) => r.pick<Json>([{ description: text(r) }, { value: r.pick<Json>([10, 20]) }]),
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    resource: "resourcequotas",
    namespaced: true,
    content: (r) => ({
      spec: {
        hard: {
          "count/foos.example.com": r.pick<Json>(["1", "2", "10k"]),
          ...maybe(r, 0.5, () => ({ "count/bars.example.com": "3" })),
        },
      },
    }),
    edits: (r) => ({ spec: { hard: { "count/foos.example.com": r.pick<Json>(["1", "5"]) } } }),
    status: () => ({ hard: { "count/foos.example.com": "1" }, used: { "count/foos.example.com": "0" } }),
  },
  {
    apiVersion: "v1",
    kind: "LimitRange",
    resource: "limitranges",
    namespaced: true,
    content: (r) => ({
      spec: {
        limits: r.some<Json>(
          [
            {
              type: "Container",
              max: { cpu: r.pick<Json>(["1", "2"]) },
              ...maybe(r, 0.5, () => ({ default: { cpu: "500m" } })),
            },
            { type: "Pod", min: { cpu: "10m" } },
          ],
          0.7,
        ),
      },
    }),
    edits: (r) => ({ spec: { limits: [{ type: "Container", max: { memory: r.pick<Json>(["1Gi", "2Gi"]) } }] } }),
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    resource: "endpointslices",
    namespaced: true,
    content: (r) => ({
      addressType: "IPv4",
      endpoints: r.some(["10.0.0.1", "10.0.0.2"], 0.7).map((address) => ({
        addresses: [address],
        ...maybe(r, 0.5, () => ({ conditions: { ready: r.chance(0.5) } })),
      })),
      ports: r
        .some([80, 443], 0.7)
        .map((port) => ({ port, ...maybe(r, 0.7, () => ({ name: `n${port}` })) }))
        .slice(0, 1),
    }),
    edits: (r) => ({ ports: [{ name: "x", port: r.pick<Json>([80, 81]) }] }),
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    resource: "ingressclasses",
    namespaced: false,
    content: (r) => ({
      spec: {
        controller: "example.com/c",
        ...maybe(r, 0.5, () => ({ parameters: { kind: "K", name: "n", apiGroup: "example.com" } })),
      },
    }),
    edits: (r) => r.pick<Json>([{ metadata: { annotations: map(r) } }, { spec: { controller: "example.com/other" } }]),
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    resource: "validatingwebhookconfigurations",
    namespaced: false,
    content: (r) => ({
      webhooks: r.shuffled(["a.example.com", ...r.some(["b.example.com", "c.example.com"], 0.5)]).map((name) => ({
        name,
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Ignore",
        clientConfig: r.pick<Json>([{ url: "https://127.0.0.1:1/x" }, { service: { name: "s", namespace: "n" } }]),
        rules: [{ operations: ["CREATE"], apiGroups: ["nowhere.test"], apiVersions: ["v1"], resources: ["nothings"] }],
        ...maybe(r, 0.3, () => ({ timeoutSeconds: r.pick<Json>([5, 10]) })),
        ...maybe(r, 0.3, () => ({ namespaceSelector: { matchLabels: { a: "b" } } })),
      })),
    }),
    edits: (r) => ({ metadata: { annotations: map(r) } }),
  },
];

/** Groups of custom kinds, for the definitions in {@link CUSTOM_DEFINITIONS}. */
const GROUP = "conformance.test";

const item = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string" },
    port: { type: "integer", default: 80 },
    value: { type: "string" },
    extra: { type: "object", additionalProperties: { type: "string" } },
  },
};

const specSchema = {
  type: "object",
  properties: {
    size: { type: "integer", minimum: 0, maximum: 100 },
    color: { type: "string", enum: ["red", "green"], default: "red" },
    flag: { type: "boolean" },
    text: { type: "string" },
    replicas: { type: "integer" },
    either: { "x-kubernetes-int-or-string": true },
    byName: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], items: item },
    byNameAndPort: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "port"],
      items: item,
    },
    tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    numbers: { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer" } },
    atomicList: { type: "array", "x-kubernetes-list-type": "atomic", items: { type: "string" } },
    plainList: { type: "array", items: item },
    granular: { type: "object", additionalProperties: { type: "string" } },
    atomicMap: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: { type: "string" } },
    atomicStruct: {
      type: "object",
      "x-kubernetes-map-type": "atomic",
      properties: { a: { type: "string" }, b: { type: "string" } },
    },
    nested: {
      type: "object",
      properties: {
        a: { type: "string" },
        deep: { type: "object", properties: { x: { type: "integer", default: 7 }, y: { type: "integer" } } },
      },
    },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

const statusSchema = {
  type: "object",
  properties: {
    phase: { type: "string" },
    replicas: { type: "integer" },
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: {
        type: "object",
        required: ["type"],
        properties: { type: { type: "string" }, status: { type: "string" } },
      },
    },
  },
};
const schema = (withStatus: boolean): Json => ({
  openAPIV3Schema: {
    type: "object",
    properties: { spec: specSchema, ...(withStatus ? { status: statusSchema } : {}) },
  },
});

/** The definitions that custom kinds need. */
export const CUSTOM_DEFINITIONS: readonly Json[] = [
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: schema(true),
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
          },
        },
        { name: "v1beta1", served: true, storage: false, schema: schema(true), subresources: { status: {} } },
      ],
    },
  },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `gadgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Cluster",
      names: { plural: "gadgets", kind: "Gadget" },
      versions: [{ name: "v1", served: true, storage: true, schema: schema(true) }],
    },
  },
];

function items(r: Random): Json {
  return r.shuffled(r.some(["x", "y", "z"], 0.6)).map((name) => ({
    name,
    ...maybe(r, 0.4, () => ({ port: r.pick<Json>([80, 81]) })),
    ...maybe(r, 0.5, () => ({ value: text(r) })),
    ...maybe(r, 0.3, () => ({ extra: map(r, 0.4) })),
  }));
}

function customSpec(r: Random): Json {
  return {
    ...maybe(r, 0.4, () => ({ size: r.below(20) })),
    ...maybe(r, 0.3, () => ({ color: r.pick<Json>(["red", "green"]) })),
    ...maybe(r, 0.3, () => ({ flag: r.chance(0.5) })),
    ...maybe(r, 0.3, () => ({ either: r.pick<Json>([1, "1", "50%"]) })),
    ...maybe(r, 0.3, () => ({ replicas: r.below(4) })),
    ...maybe(r, 0.5, () => ({ byName: items(r) })),
    ...maybe(r, 0.5, () => ({ byNameAndPort: items(r) })),
    ...maybe(r, 0.5, () => ({ tags: r.shuffled(r.some(KEYS, 0.6)) })),
    ...maybe(r, 0.3, () => ({ numbers: r.shuffled(r.some([1, 2, 30], 0.6)) })),
    ...maybe(r, 0.4, () => ({ atomicList: r.some(KEYS, 0.5) })),
    ...maybe(r, 0.3, () => ({ plainList: items(r) })),
    ...maybe(r, 0.5, () => ({ granular: map(r, 0.6) })),
    ...maybe(r, 0.4, () => ({ atomicMap: map(r) })),
    ...maybe(r, 0.4, () => ({ atomicStruct: { a: text(r), ...maybe(r, 0.5, () => ({ b: text(r) })) } })),
    ...maybe(r, 0.5, () => ({
      nested: {
        ...maybe(r, 0.5, () => ({ a: text(r) })),
        ...maybe(r, 0.6, () => ({ deep: maybe(r, 0.5, () => ({ y: r.below(3) })) })),
      },
    })),
    ...maybe(r, 0.4, () => ({
      free: {
        m: map(r),
        l: r.some<Json>([1, "a", { k: 1 }], 0.5),
        ...maybe(r, 0.5, () => ({ s: r.pick<Json>([1, "a", true, 1.5]) })),
      },
    })),
  };
}

function customKind(
  apiVersion: string,
  kind: string,
  resource: string,
  namespaced: boolean,
  status: boolean,
): KindSpec {
  return {
    apiVersion,
    kind,
    resource,
    namespaced,
    custom: true,
    content: (r) => maybe(r, 0.95, () => ({ spec: customSpec(r) })),
    edits: (r) => ({
      spec: r.pick<Json>([
        customSpec(r),
        { granular: { [r.pick<Json>(["a", "b"])]: r.pick<Json>([null, "new"]) } },
        { tags: r.some(KEYS, 0.5) },
        { byName: items(r) },
        { color: r.pick<Json>(["green", "blue"]) },
        { size: r.pick<Json>([5, 1000]) },
      ]),
    }),
    ...(status
      ? {
          status: (r: Random) => ({
            phase: text(r),
            conditions: r.some(["A", "B"], 0.7).map((type) => ({ type, status: text(r) })),
          }),
          scale: true,
        }
      : {}),
  };
}

/** Custom kinds: a list of each type, maps and structs granular and atomic, two versions. */
export const CUSTOM_KINDS: readonly KindSpec[] = [
  customKind(`${GROUP}/v1`, "Widget", "widgets", true, true),
  customKind(`${GROUP}/v1beta1`, "Widget", "widgets", true, false),
  customKind(`${GROUP}/v1`, "Gadget", "gadgets", false, false),
];
