import { describe, expect, it } from "vitest";
import { parseKubectlFlags, parseKubectlOptions } from "./settings-kubectl.ts";
import { splitShellWords } from "./shell-words.ts";

describe("splitShellWords", () => {
  it.each([
    ["", []],
    ["  \t\n ", []],
    ["a b  c", ["a", "b", "c"]],
    ["'a b' \"c d\"", ["a b", "c d"]],
    ["a'b c'd", ["ab cd"]],
    ["''", [""]],
    ['a "" b', ["a", "", "b"]],
    ["a\\ b", ["a b"]],
    ["'a\\b'", ["a\\b"]],
    ['"a\\b"', ["a\\b"]],
    ['"a\\"b\\\\c\\$d"', ['a"b\\c$d']],
    ["a\\\\b", ["a\\b"]],
    ["--x='it'\\''s'", ["--x=it's"]],
    ["$HOME `id` *", ["$HOME", "`id`", "*"]],
    ["a\nb", ["a", "b"]],
  ])("splits %j", (line, words) => {
    expect(splitShellWords(line)).toEqual({ kind: "ok", value: words });
  });

  it.each(["'a", '"a', 'a "b\\"', "a\\"])("refuses %j", (line) => {
    expect(splitShellWords(line).kind).toBe("malformed");
  });
});

describe("parseKubectlOptions", () => {
  it.each([
    ["--kubeconfig=/a --context=c", { kubeconfig: "/a", context: "c" }],
    ["--kubeconfig /a --context c", { kubeconfig: "/a", context: "c" }],
    ["--kubeconfig '/a b/c'", { kubeconfig: "/a b/c" }],
    ["-s https://x", { server: "https://x" }],
    ["-s=https://x", { server: "https://x" }],
    ["-shttps://x", { server: "https://x" }],
    ["--server=https://x?a=b", { server: "https://x?a=b" }],
    ["-n ns", { namespace: "ns" }],
    ["-nns", { namespace: "ns" }],
    ["--kubeconfig=/a --kubeconfig=/b", { kubeconfig: "/b" }],
    ["--as u --as-group g --as-group=h --as-uid 1", { as: "u", asGroup: ["g", "h"], asUid: "1" }],
    ["--insecure-skip-tls-verify", { insecureSkipTlsVerify: true }],
    ["--insecure-skip-tls-verify=false", { insecureSkipTlsVerify: false }],
    ["--insecure-skip-tls-verify --user u", { insecureSkipTlsVerify: true, user: "u" }],
    ["--request-timeout=30s", { requestTimeout: "30s" }],
    ["--request-timeout 5", { requestTimeout: "5" }],
    ["-v 3 -v=4 -v5 --v=6", {}],
    ["--token t --cluster c --user u", { token: "t", cluster: "c", user: "u" }],
    [
      "--certificate-authority=/ca --client-certificate=/c --client-key=/k --tls-server-name=n --proxy-url=http://p",
      {
        certificateAuthority: "/ca",
        clientCertificate: "/c",
        clientKey: "/k",
        tlsServerName: "n",
        proxyUrl: "http://p",
      },
    ],
  ])("reads %s", (options, flags) => {
    expect(parseKubectlOptions(options)).toEqual({ kind: "ok", value: flags });
  });

  it.each([
    ["--nonsense", "unknown flag --nonsense"],
    ["--nonsense=s3cret", "unknown flag --nonsense"],
    ["-x", "unknown flag -x"],
    ["--kubeconfig", "--kubeconfig needs a value"],
    ["--kubeconfig=", "--kubeconfig: a value is needed"],
    ["get pods", "only flags are understood"],
    ["--", "only flags are understood"],
    ["-", "only flags are understood"],
    ["''", "only flags are understood"],
    ["--insecure-skip-tls-verify=perhaps", "--insecure-skip-tls-verify: no truth value"],
    ["--insecure-skip-tls-verify false", "only flags are understood"],
    ["--request-timeout=soon", "--request-timeout: not a duration"],
    ["-v loud", "-v"],
    ["'--kubeconfig", "a quote is not closed"],
  ])("refuses %s", (options, why) => {
    const parsed = parseKubectlOptions(options);

    expect(parsed).toMatchObject({ kind: "malformed", why: expect.stringContaining(why) as string });
    expect(JSON.stringify(parsed)).not.toContain("s3cret");
  });
});

describe("parseKubectlFlags", () => {
  it("names flag and value where they are wrong, but never a token", () => {
    expect(() => parseKubectlFlags([{ name: "request-timeout", value: "soon" }])).toThrow('--request-timeout="soon"');
    expect(() => parseKubectlFlags([{ name: "token", value: "" }])).toThrow(/^--token: /);
  });
});

describe("flags of kubectl that mean nothing here", () => {
  it("are skipped with their values", () => {
    const options =
      "--cache-dir=/x --cache-dir /y --match-server-version --warnings-as-errors --vmodule=a=1 --v=4 --context c";

    expect(parseKubectlOptions(options)).toEqual({ kind: "ok", value: { context: "c" } });
  });

  it("do not let unknown ones through", () => {
    expect(parseKubectlOptions("--cache-dirs=/x").kind).toBe("malformed");
  });
});
