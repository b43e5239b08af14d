import { describe, expect, test } from "vitest";
import { proxyFromEnvironment } from "./proxy-environment.ts";

const proxy = "http://proxy:3128";

describe("proxyFromEnvironment", () => {
  test.each([
    ["https://api", { HTTPS_PROXY: proxy }, proxy],
    ["https://api", { https_proxy: "proxy:3128" }, proxy],
    ["https://api", { HTTP_PROXY: proxy }, undefined],
    ["http://api", { HTTP_PROXY: proxy }, proxy],
    ["https://api", {}, undefined],
    ["https://localhost:6443", { HTTPS_PROXY: proxy }, undefined],
    ["https://127.3.2.1", { HTTPS_PROXY: proxy }, undefined],
    ["https://[::1]:6443", { HTTPS_PROXY: proxy }, undefined],
  ])("for %s with %o is %o", (server, env, expected) => {
    expect(proxyFromEnvironment(env, new URL(server))).toBe(expected);
  });

  test.each([
    ["https://api.example", "*", true],
    ["https://api.example", "example", true],
    ["https://example", "example", true],
    ["https://myexample", "example", false],
    ["https://example", ".example", false],
    ["https://api.example", ".example", true],
    ["https://api.example", "*.example", true],
    ["https://api.example:6443", "api.example:6443", true],
    ["https://api.example:6443", "api.example:443", false],
    ["https://API.example", "other, api.example", true],
    ["https://10.96.0.1", "10.0.0.0/8", true],
    ["https://11.96.0.1", "10.0.0.0/8", false],
    ["https://10.96.0.1", "10.96.0.1", true],
    ["https://10.96.0.1:6443", "10.96.0.1:6443", true],
    ["https://[fd00::1]", "fd00::/8", true],
    ["https://[fd00::1]", "fd00::1", true],
    ["https://[fd00::1]", "10.0.0.0/8", false],
    ["https://api", "10.0.0.0/99, x/y", false],
    ["https://api", "", false],
  ])("spares %s by NO_PROXY=%s: %o", (server, noProxy, isSpared) => {
    const found = proxyFromEnvironment({ HTTPS_PROXY: proxy, NO_PROXY: noProxy }, new URL(server));

    expect(found).toBe(isSpared ? undefined : proxy);
  });

  test.each(["socks5://proxy:1080", "http://"])("refuses %s", (value) => {
    expect(() => proxyFromEnvironment({ HTTPS_PROXY: value }, new URL("https://api"))).toThrow(
      expect.objectContaining({ code: "InvalidKubeconfig", message: expect.stringContaining("HTTPS_PROXY") }),
    );
  });
});
