/**
 * # test/browser/bed: the built daemon and a Chromium
 *
 * What the dashboard's tests stand on: the built program on the real control plane, and Debian's Chromium driven by
 * playwright-core, with everything noted that a page of ours may never do.
 *
 * It shares no code with `src/`, and installs nothing (`make test-browser` does).
 */
export { findChromium, OpenPages, openPage, startBrowser } from "./browser.ts";
export { DashboardDaemon } from "./daemon.ts";
export { clusterRole, configMap, deployment, documents, secret } from "./manifests.ts";
