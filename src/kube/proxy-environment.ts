import { BlockList, isIP, isIPv6 } from "node:net";
import { KeelsonError } from "../errors/index.ts";
import type { Environment } from "./cluster-config.ts";

/**
 * The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY (or their lower-case forms) name for a server, or undefined. The
 * rules are those of Go's httpproxy, which kubectl follows where a kubeconfig has no proxy-url: loopback is never
 * proxied; an entry of NO_PROXY is a domain with its subdomains, `.domain` for the subdomains alone, an address, a CIDR
 * block or `*`, and may end in a port.
 *
 * @throws KeelsonError InvalidKubeconfig where the proxy is a SOCKS one or no URL
 */
export function proxyFromEnvironment(env: Environment, server: URL): string | undefined {
  const name = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = env[name] || env[name.toLowerCase()];
  if (!value || isExempt(server, env.NO_PROXY || env.no_proxy || "")) return undefined;
  const url = value.includes("://") ? value : `http://${value}`;
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw new KeelsonError(
      "InvalidKubeconfig",
      `${name}: must be the http:// or https:// URL of a proxy that allows CONNECT`,
    );
  }
  return url;
}

function isExempt(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || isInBlock(host, "127.0.0.0/8") || isInBlock(host, "::1/128")) return true;
  return noProxy
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== "" && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInBlock(host, entry);
  const [, name = "", entryPort] = /^(.*?)(?::(\d+))?$/.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  if (entryPort !== undefined && entryPort !== port) return false;
  const bare = name.replace(/^\[(.*)\]$/, "$1");
  if (isIP(bare) !== 0 || isIP(host) !== 0) return bare === host;
  const suffix = bare.replace(/^\*/, "");
  return suffix.startsWith(".") ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function isInBlock(host: string, block: string): boolean {
  const [network = "", bits = ""] = block.split("/");
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}
