/** A name that no earlier try of a test has used: what that left in the cluster must not count for this one. */
export function fresh(name: string): string {
  return `${name}-${Math.floor(performance.now()).toString(36)}`;
}
