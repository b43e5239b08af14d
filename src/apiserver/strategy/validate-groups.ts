import type { JsonObject } from "../../object/index.ts";
import { isDraft, numberAt, objectAt, objectsAt, textAt, textsAt } from "./draft.ts";
import type { FieldErrors } from "./field-errors.ts";
import { pathSegmentProblem, portNameProblem, subdomainProblem } from "./names.ts";
import { checkImmutable, validateLabelSelector } from "./validate-meta.ts";
import { checkPort } from "./validate-pods.ts";
import { checkNotNegative } from "./validate-workloads.ts";

const RBAC = "rbac.authorization.k8s.io";

/** Checks the rules of a Role or ClusterRole. */
export function validateRole(object: JsonObject, errors: FieldErrors): void {
  for (const [index, rule] of objectsAt(object, "rules").entries()) {
    const path = `rules[${index}]`;
    if (textsAt(rule, "verbs").length === 0) errors.required(`${path}.verbs`, "verbs must contain at least one value");
    const hasUrls = textsAt(rule, "nonResourceURLs").length > 0;
    if (hasUrls && object.kind === "Role")
      errors.invalid(
        `${path}.nonResourceURLs`,
        rule.nonResourceURLs,
        "namespaced rules cannot apply to non-resource URLs",
      );
    if (hasUrls) {
      const others = ["apiGroups", "resources", "resourceNames"].some((field) => textsAt(rule, field).length > 0);
      if (others)
        errors.invalid(
          `${path}.nonResourceURLs`,
          rule.nonResourceURLs,
          "rules cannot apply to both regular resources and non-resource URLs",
        );
      continue;
    }
    if (textsAt(rule, "apiGroups").length === 0)
      errors.required(`${path}.apiGroups`, "resource rules must supply at least one api group");
    if (textsAt(rule, "resources").length === 0)
      errors.required(`${path}.resources`, "resource rules must supply at least one resource");
  }
  const aggregation = objectAt(object, "aggregationRule");
  if (aggregation === undefined) return;
  const selectors = objectsAt(aggregation, "clusterRoleSelectors");
  if (selectors.length === 0)
    errors.required(
      "aggregationRule.clusterRoleSelectors",
      "at least one clusterRoleSelector required if aggregationRule is non-nil",
    );
  for (const [index, selector] of selectors.entries())
    validateLabelSelector(selector, `aggregationRule.clusterRoleSelectors[${index}]`, errors);
}

/** Checks a RoleBinding or ClusterRoleBinding. */
export function validateBinding(object: JsonObject, errors: FieldErrors): void {
  const ref = objectAt(object, "roleRef") ?? {};
  const kinds = object.kind === "RoleBinding" ? ["ClusterRole", "Role"] : ["ClusterRole"];
  if (ref.apiGroup !== RBAC) errors.notSupported("roleRef.apiGroup", ref.apiGroup, [RBAC]);
  if (!kinds.includes(textAt(ref, "kind"))) errors.notSupported("roleRef.kind", ref.kind ?? "", kinds);
  const name = textAt(ref, "name");
  const problem = pathSegmentProblem(name);
  if (name === "") errors.required("roleRef.name");
  else if (problem !== undefined) errors.invalid("roleRef.name", name, problem);
  for (const [index, subject] of objectsAt(object, "subjects").entries())
    validateSubject(subject, `subjects[${index}]`, object, errors);
}

function validateSubject(subject: JsonObject, path: string, binding: JsonObject, errors: FieldErrors): void {
  if (textAt(subject, "name") === "") errors.required(`${path}.name`);
  const group = textAt(subject, "apiGroup");
  switch (subject.kind) {
    case "ServiceAccount":
      if (group !== "") errors.notSupported(`${path}.apiGroup`, group, [""]);
      if (binding.kind === "ClusterRoleBinding" && textAt(subject, "namespace") === "")
        errors.required(`${path}.namespace`);
      return;
    case "User":
    case "Group":
      if (group !== RBAC) errors.notSupported(`${path}.apiGroup`, group, [RBAC]);
      return;
    default:
      errors.notSupported(`${path}.kind`, subject.kind ?? "", ["ServiceAccount", "User", "Group"]);
  }
}

/** A binding's role never changes. */
export function validateBindingUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  if (JSON.stringify(sorted(object.roleRef)) === JSON.stringify(sorted(old.roleRef))) return;
  // The server shows its internal form, whose fields have no JSON names.
  const { apiGroup, kind, name } = objectAt(object, "roleRef") ?? {};
  errors.invalid("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "field is immutable");
}

function sorted(value: unknown): unknown {
  return isDraft(value) ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : value;
}

/** Checks an Ingress. */
export function validateIngress(object: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const rules = objectsAt(spec, "rules");
  const backend = objectAt(spec, "defaultBackend");
  if (rules.length === 0 && backend === undefined)
    errors.invalid("spec", rules, "either `defaultBackend` or `rules` must be specified");
  if (backend !== undefined) validateBackend(backend, "spec.defaultBackend", errors);
  for (const [index, rule] of rules.entries()) {
    const path = `spec.rules[${index}]`;
    const host = textAt(rule, "host");
    const problem = subdomainProblem(host.replace(/^\*\./, ""));
    if (host !== "" && problem !== undefined) errors.invalid(`${path}.host`, host, problem);
    const http = objectAt(rule, "http");
    if (http === undefined) continue;
    const paths = objectsAt(http, "paths");
    if (paths.length === 0) errors.required(`${path}.http.paths`);
    for (const [at, item] of paths.entries()) validateIngressPath(item, `${path}.http.paths[${at}]`, errors);
  }
}

function validateIngressPath(item: JsonObject, path: string, errors: FieldErrors): void {
  const types = ["Exact", "ImplementationSpecific", "Prefix"];
  const type = item.pathType;
  const value = textAt(item, "path");
  if (type === undefined || type === null) errors.required(`${path}.pathType`, "pathType must be specified");
  else if (typeof type === "string" && !types.includes(type)) errors.notSupported(`${path}.pathType`, type, types);
  else if (type !== "ImplementationSpecific" && !value.startsWith("/"))
    errors.invalid(`${path}.path`, value, "must be an absolute path");
  else if (value !== "" && !value.startsWith("/")) errors.invalid(`${path}.path`, value, "must be an absolute path");
  validateBackend(objectAt(item, "backend") ?? {}, `${path}.backend`, errors);
}

function validateBackend(backend: JsonObject, path: string, errors: FieldErrors): void {
  const service = objectAt(backend, "service");
  const resource = objectAt(backend, "resource");
  if (service !== undefined && resource !== undefined) {
    errors.invalid(path, "", "cannot set both resource and service backends");
    return;
  }
  if (service === undefined) {
    if (resource === undefined) errors.required(path, "port name or number is required");
    return;
  }
  if (textAt(service, "name") === "") errors.required(`${path}.service.name`);
  const port = objectAt(service, "port") ?? {};
  const name = textAt(port, "name");
  const number = numberAt(port, "number") ?? 0;
  if (name === "" && number === 0) errors.required(path, "port name or number is required");
  else if (name !== "" && number !== 0) errors.invalid(path, "", "cannot set both port name & port number");
  else if (name !== "") {
    const problem = portNameProblem(name);
    if (problem !== undefined) errors.invalid(`${path}.service.port.name`, name, problem);
  } else checkPort(number, `${path}.service.port.number`, errors);
}

/** Checks a NetworkPolicy. */
export function validateNetworkPolicy(object: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  validateLabelSelector(objectAt(spec, "podSelector"), "spec.podSelector", errors);
  const types = textsAt(spec, "policyTypes");
  if (types.length > 2) errors.invalid("spec.policyTypes", types, "may not specify more than two policyTypes");
  for (const type of types)
    if (type !== "Ingress" && type !== "Egress") errors.notSupported("spec.policyTypes", type, ["Egress", "Ingress"]);
  for (const [direction, peers] of [
    ["ingress", "from"],
    ["egress", "to"],
  ] as const) {
    for (const [index, rule] of objectsAt(spec, direction).entries()) {
      for (const [at, peer] of objectsAt(rule, peers).entries())
        validatePeer(peer, `spec.${direction}[${index}].${peers}[${at}]`, errors);
    }
  }
}

function validatePeer(peer: JsonObject, path: string, errors: FieldErrors): void {
  const kinds = ["podSelector", "namespaceSelector", "ipBlock"].filter((key) => isDraft(peer[key]));
  if (kinds.length === 0) errors.required(path, "must specify a peer");
  if (kinds.includes("ipBlock") && kinds.length > 1)
    errors.forbidden(path, "may not specify both ipBlock and another peer");
}

/** Checks a HorizontalPodAutoscaler. */
export function validateAutoscaler(object: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const min = numberAt(spec, "minReplicas");
  const max = numberAt(spec, "maxReplicas") ?? 0;
  if (min !== undefined && min < 1) errors.invalid("spec.minReplicas", min, "must be greater than or equal to 1");
  if (max < 1) errors.invalid("spec.maxReplicas", max, "must be greater than 0");
  if (min !== undefined && max < min)
    errors.invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`");
  const target = objectAt(spec, "scaleTargetRef") ?? {};
  for (const field of ["kind", "name"])
    if (textAt(target, field) === "") errors.required(`spec.scaleTargetRef.${field}`);
}

/** Checks a PodDisruptionBudget. */
export function validateBudget(object: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  if (hasValue(spec.minAvailable) && hasValue(spec.maxUnavailable))
    errors.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set");
  for (const field of ["minAvailable", "maxUnavailable"]) {
    const value = spec[field];
    if (typeof value === "number") checkNotNegative(spec, field, "spec", errors);
    else if (typeof value === "string" && !/^[0-9]+%$/.test(value))
      errors.invalid(
        `spec.${field}`,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      );
  }
  validateLabelSelector(objectAt(spec, "selector"), "spec.selector", errors);
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Checks a ValidatingWebhookConfiguration or MutatingWebhookConfiguration. */
export function validateWebhooks(object: JsonObject, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [index, webhook] of objectsAt(object, "webhooks").entries()) {
    const path = `webhooks[${index}]`;
    const name = textAt(webhook, "name");
    if (name.split(".").length < 3) {
      errors.invalid(`${path}.name`, name, "should be a domain with at least three segments separated by dots");
    }
    if (names.has(name)) errors.duplicate(`${path}.name`, name);
    names.add(name);
    validateWebhook(webhook, path, errors);
  }
}

function validateWebhook(webhook: JsonObject, path: string, errors: FieldErrors): void {
  const effects = textAt(webhook, "sideEffects");
  if (effects === "") errors.required(`${path}.sideEffects`, "must specify one of None, NoneOnDryRun");
  else if (effects !== "None" && effects !== "NoneOnDryRun") {
    errors.notSupported(`${path}.sideEffects`, effects, ["None", "NoneOnDryRun"]);
  }
  if (textsAt(webhook, "admissionReviewVersions").length === 0) {
    errors.required(`${path}.admissionReviewVersions`, "must specify one of v1, v1beta1");
  }
  const client = objectAt(webhook, "clientConfig") ?? {};
  const hasUrl = textAt(client, "url") !== "";
  if (hasUrl === isDraft(client.service))
    errors.required(`${path}.clientConfig`, "exactly one of url or service is required");
  for (const [at, rule] of objectsAt(webhook, "rules").entries())
    validateWebhookRule(rule, `${path}.rules[${at}]`, errors);
  for (const selector of ["namespaceSelector", "objectSelector"]) {
    validateLabelSelector(objectAt(webhook, selector), `${path}.${selector}`, errors);
  }
  const timeout = numberAt(webhook, "timeoutSeconds") ?? 10;
  if (timeout < 1 || timeout > 30) {
    errors.invalid(`${path}.timeoutSeconds`, timeout, "the timeout value must be between 1 and 30 seconds");
  }
}

function validateWebhookRule(rule: JsonObject, path: string, errors: FieldErrors): void {
  for (const field of ["operations", "apiGroups", "apiVersions", "resources"]) {
    if (textsAt(rule, field).length === 0) errors.required(`${path}.${field}`);
  }
}

/** Checks a StorageClass. */
export function validateStorageClass(object: JsonObject, errors: FieldErrors): void {
  if (textAt(object, "provisioner") === "") errors.required("provisioner");
  const policies = ["Delete", "Retain"];
  const policy = textAt(object, "reclaimPolicy");
  if (!policies.includes(policy)) errors.notSupported("reclaimPolicy", policy, policies);
  const modes = ["Immediate", "WaitForFirstConsumer"];
  const mode = textAt(object, "volumeBindingMode");
  if (!modes.includes(mode)) errors.notSupported("volumeBindingMode", mode, modes);
}

/** What a StorageClass provisions with never changes. */
export function validateStorageClassUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  checkForbiddenChange(object, old, "parameters", errors);
  checkForbiddenChange(object, old, "provisioner", errors);
  checkForbiddenChange(object, old, "reclaimPolicy", errors);
  checkImmutable("volumeBindingMode", object.volumeBindingMode, old.volumeBindingMode, errors);
}

function checkForbiddenChange(object: JsonObject, old: JsonObject, field: string, errors: FieldErrors): void {
  if (JSON.stringify(sorted(object[field] ?? {})) !== JSON.stringify(sorted(old[field] ?? {}))) {
    errors.forbidden(field, `updates to ${field} are forbidden.`);
  }
}

/** A PriorityClass keeps its value and its preemption policy. */
export function validatePriorityClassUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  if ((object.value ?? 0) !== (old.value ?? 0)) errors.forbidden("value", "may not be changed in an update.");
  checkImmutable("preemptionPolicy", object.preemptionPolicy, old.preemptionPolicy, errors);
}

/** User-made priorities stay below the system's. */
export function validatePriorityClass(object: JsonObject, errors: FieldErrors): void {
  const value = numberAt(object, "value") ?? 0;
  const name = textAt(objectAt(object, "metadata"), "name");
  if (name.startsWith("system-")) {
    if (name !== "system-node-critical" && name !== "system-cluster-critical")
      errors.forbidden(
        "metadata.name",
        `'${name}' is not a valid system priority class: priority class names with 'system-' prefix are reserved for system use only`,
      );
  } else if (value > 1_000_000_000)
    errors.forbidden("value", "maximum allowed value of a user defined priority is 1000000000");
}

/** Checks an IngressClass. */
export function validateIngressClass(object: JsonObject, errors: FieldErrors): void {
  const controller = textAt(objectAt(object, "spec"), "controller");
  if (controller === "") errors.required("spec.controller");
  else if (!/^[^/]+\/.+$/.test(controller))
    errors.invalid("spec.controller", controller, 'must be a domain-prefixed path (such as "acme.io/foo")');
}

/** An IngressClass keeps its controller. */
export function validateIngressClassUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  checkImmutable("spec.controller", objectAt(object, "spec")?.controller, objectAt(old, "spec")?.controller, errors);
}

/** Checks a Lease. */
export function validateLease(object: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(object, "spec") ?? {};
  const duration = numberAt(spec, "leaseDurationSeconds");
  if (duration !== undefined && duration <= 0)
    errors.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
  const transitions = numberAt(spec, "leaseTransitions");
  if (transitions !== undefined && transitions < 0)
    errors.invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0");
}

/** Checks an EndpointSlice. */
export function validateEndpointSlice(object: JsonObject, errors: FieldErrors): void {
  const types = ["FQDN", "IPv4", "IPv6"];
  const type = textAt(object, "addressType");
  if (type === "") errors.required("addressType");
  else if (!types.includes(type)) errors.notSupported("addressType", type, types);
  for (const [index, endpoint] of objectsAt(object, "endpoints").entries()) {
    if (textsAt(endpoint, "addresses").length === 0)
      errors.required(`endpoints[${index}].addresses`, "must contain at least 1 address");
  }
}
