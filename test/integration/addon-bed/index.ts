/**
 * # addon-bed: what the integration tests of engine and addon controller share
 *
 * A control plane's users as code: {@link Admin} is everybody else, {@link TestEngine} one engine fed by hand,
 * {@link Daemon} a whole addon controller on a directory of its own. Each test works in a set of its own, so that one
 * cluster serves a whole file of tests.
 */
export { Admin, clientOf, type Live } from "./admin.ts";
export { type DaemonOptions, startDaemon } from "./daemon.ts";
export { describeWithApiServer, type Plane, skipWhereEmbedded } from "./embedded-plane.ts";
export { HandElector } from "./hand-elector.ts";
export * from "./manifests.ts";
export { gvk, PRUNE } from "./policy.ts";
export { restrictedUser } from "./restricted-user.ts";
export { account, ServedDaemon } from "./served-daemon.ts";
export { startEngine, TestEngine, type TestEngineOptions } from "./test-engine.ts";
