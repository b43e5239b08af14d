const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;
const ENV_NAME = /^[ -<>-~]+$/;
const PORT_NAME = /^[-a-z0-9]+$/;

/** Why a text is no DNS label; undefined where it is one. Wording as in apimachinery's validation. */
export function labelProblem(text: string): string | undefined {
  if (text.length > 63) return "must be no more than 63 characters";
  return LABEL.test(text)
    ? undefined
    : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

/** Why a text is no RFC 1035 label (Service names). */
export function label1035Problem(text: string): string | undefined {
  if (text.length > 63) return "must be no more than 63 characters";
  return LABEL_1035.test(text)
    ? undefined
    : "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
}

/** Why a text is no DNS subdomain. */
export function subdomainProblem(text: string): string | undefined {
  if (text.length > 253) return "must be no more than 253 characters";
  return SUBDOMAIN.test(text)
    ? undefined
    : "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

/** Why a text cannot be one segment of a URL path (names of RBAC objects). */
export function pathSegmentProblem(text: string): string | undefined {
  if (text === "." || text === "..") return `may not be '${text}'`;
  for (const part of ["/", "%"]) if (text.includes(part)) return `may not contain '${part}'`;
  return undefined;
}

/** Why a text is no qualified name (`prefix/name`: label keys, annotation keys, finalizers). */
export function qualifiedNameProblem(text: string): string | undefined {
  const parts = text.split("/");
  const name = parts.at(-1) ?? "";
  if (parts.length > 2)
    return "a qualified name must consist of alphanumeric characters, '-', '_' or '.', with an optional DNS subdomain prefix and '/'";
  if (parts.length === 2) {
    if (parts[0] === "") return "prefix part must be non-empty";
    const prefix = subdomainProblem(parts[0] ?? "");
    if (prefix !== undefined) return `prefix part ${prefix}`;
  }
  if (name === "") return "name part must be non-empty";
  if (name.length > 63) return "name part must be no more than 63 characters";
  return QUALIFIED.test(name)
    ? undefined
    : "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
}

/** Why a text is no label value. */
export function labelValueProblem(text: string): string | undefined {
  if (text.length > 63) return "must be no more than 63 characters";
  return LABEL_VALUE.test(text)
    ? undefined
    : "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
}

/** Why a text is no key of a ConfigMap or Secret. */
export function configKeyProblem(text: string): string | undefined {
  if (text.length > 253) return "must be no more than 253 characters";
  if (!CONFIG_KEY.test(text)) {
    return "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
  }
  if (text === ".") return "must not be '.'";
  if (text === "..") return "must not be '..'";
  return text.startsWith("..") ? "must not start with '..'" : undefined;
}

/** Why a text is no name of an environment variable. */
export function envNameProblem(text: string): string | undefined {
  return ENV_NAME.test(text)
    ? undefined
    : "a valid environment variable name must consist only of printable ASCII characters other than '='";
}

/** Why a text is no name of a port (IANA service name). */
export function portNameProblem(text: string): string | undefined {
  if (text.length > 15) return "must be no more than 15 characters";
  if (!PORT_NAME.test(text)) return "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
  if (!/[a-z]/.test(text)) return "must contain at least one letter (a-z)";
  if (text.includes("--")) return "must not contain consecutive hyphens";
  return text.startsWith("-") || text.endsWith("-") ? "must not begin or end with a hyphen" : undefined;
}
