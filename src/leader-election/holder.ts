/**
 * Whether a Lease's holder is the host: `HOSTNAME` alone, or `HOSTNAME_…` (client-go appends a UUID so), or `HOSTNAME.…`
 * (cp-1 is cp-1.example.com). The original compared prefixes, so that cp-1 led with cp-10's Lease.
 */
export function isHolder(holderIdentity: string, hostname: string): boolean {
  if (hostname === "" || !holderIdentity.startsWith(hostname)) return false;
  const next = holderIdentity.charAt(hostname.length);
  return next === "" || next === "_" || next === ".";
}
