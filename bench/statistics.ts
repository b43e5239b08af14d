/** The `share` quantile (0 to 1) by nearest rank; NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(0, Math.ceil(share * sorted.length) - 1);
  return sorted[rank] ?? Number.NaN;
}

/** The middle value, of an even number of values the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  return (quantile(values, 0.5) + quantile(values, 0.5 + 0.5 / Math.max(1, values.length))) / 2;
}

/** `1.23 (1.10–1.50)`: the median and, of several values, the least and the greatest. */
export function spread(values: readonly number[], digits = 2): string {
  if (values.length === 0) return "–";
  const middle = median(values).toFixed(digits);
  if (values.length === 1) return middle;
  return `${middle} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;
}

/** Numbers from 0 to 1 that are the same in each run, so that two runs edit the same objects. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
