/** A failure of the test bed itself, as opposed to a failure of what is under test. */
export class TestBedError extends Error {
  override readonly name = "TestBedError";
}
