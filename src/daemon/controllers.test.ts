import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { bundledTemplates } from "./bundled-templates.ts";
import { requireSettings } from "./controllers.ts";
import { loadSettings } from "./load-settings.ts";

function settings(controllers: string) {
  const flags = new Map([["--controllers", controllers]]);
  return loadSettings({ command: "run", flags, environment: {}, facts: { hostname: "h", home: "/root" } });
}

describe("requireSettings", () => {
  it("names the operator's variable that is missing before anything is connected", () => {
    const environment = { NAMESPACE: "sriov" };

    expect(() => requireSettings(settings("addon,sriov-operator-config"), { environment })).toThrow(
      expect.objectContaining({ code: "InvalidFlag", message: expect.stringContaining("RESOURCE_PREFIX") }),
    );
  });

  it("asks nothing of the operator's for the addon controller", () => {
    expect(() => requireSettings(settings("addon"), { environment: {} })).not.toThrow();
  });
});

describe("bundledTemplates", () => {
  it("finds them beside the sources and beside the bundle", () => {
    const root = join(import.meta.dirname, "../..");

    for (const module of ["src/daemon/bundled-templates.ts", "dist/keelson.js"]) {
      const folder = bundledTemplates(pathToFileURL(join(root, module)).href);
      expect(folder).toBe(join(root, "templates/sriov"));
      expect(existsSync(join(folder, "daemon/daemonset.yaml"))).toBe(true);
    }
  });

  it("says what to do where the installation lacks them", () => {
    expect(() => bundledTemplates("file:///nowhere/dist/keelson.js")).toThrow("--manifests");
  });
});
