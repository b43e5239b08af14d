/**
 * The seed of all random tests: a fixed one, so that a run repeats and a red one is of the change under test.
 * KEELSON_SEED chooses another: a number, or `random` to look where nobody has looked yet.
 */
export const TEST_SEED: number = seedOf(process.env.KEELSON_SEED ?? "20261130");

function seedOf(text: string): number {
  return text === "random" ? Math.trunc(Math.random() * 2 ** 31) : Number(text);
}
