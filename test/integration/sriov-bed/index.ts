/**
 * # sriov-bed: what the tests of the SriovOperatorConfig controller share
 *
 * {@link Operator} is one controller in this process, in a namespace of its own; {@link installDefinitions} brings the
 * kinds. Other people's kinds are minimal. Cluster-scoped operands have fixed names: no two operators at a time, but for
 * replicas of one.
 */
export {
  definitionOf,
  INFRASTRUCTURE,
  MACHINE_CONFIG,
  NETWORK_ATTACHMENT,
  PROMETHEUS_RULE,
  SERVICE_MONITOR,
} from "./definitions.ts";
export {
  BOTH_WEBHOOKS,
  conditionOf,
  createNamespace,
  ENVIRONMENT,
  installDefinitions,
  Operator,
  podOf,
  startOperator,
} from "./operator.ts";
export { collection, DEFAULT_OPERANDS, METRICS_OPERANDS, PROMETHEUS_OPERANDS, pathTo } from "./paths.ts";
