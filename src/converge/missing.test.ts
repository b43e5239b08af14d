import { describe, expect, it } from "vitest";
import { MissingTracker } from "./missing.ts";
import { desired, desiredSet } from "./samples.case.ts";

const a = desired({ name: "a" }, { origin: { file: "a.yaml", line: 1 } });
const b = desired({ name: "b" }, { origin: { file: "b.yaml", line: 1 } });
const KEY = a.key;

/** What of a tracker survives a restart, with these objects in the cluster. */
function restarted(tracker: MissingTracker, ...live: readonly string[]): MissingTracker {
  return new MissingTracker(JSON.parse(JSON.stringify(tracker.state(live, true))));
}

describe("row 8: behind an unreadable document", () => {
  it("holds what left in the same moment as a document broke", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b]), 0);

    tracker.advance(desiredSet([b], { broken: ["a.yaml@1"] }), 1);

    expect(tracker.holdersOf(KEY)).toEqual(["a.yaml@1"]);
  });

  it("holds what was missing before the document broke", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b]), 0);
    tracker.advance(desiredSet([b]), 1);

    tracker.advance(desiredSet([b], { broken: ["c.yaml@1"] }), 2);

    expect(tracker.holdersOf(KEY)).toEqual(["c.yaml@1"]);
  });

  it("does not hold by a document that was broken with the same bytes when the object was last seen", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b], { broken: ["old.yaml@1"] }), 0);

    tracker.advance(desiredSet([b], { broken: ["old.yaml@1"] }), 1);

    expect(tracker.holdersOf(KEY)).toEqual([]);
  });

  it("holds by a document that was broken before, with other bytes", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b], { broken: ["old.yaml@1"] }), 0);

    tracker.advance(desiredSet([b], { broken: ["old.yaml@2"] }), 1);

    expect(tracker.holdersOf(KEY)).toEqual(["old.yaml@2"]);
  });

  it.each([
    { name: "reads again", broken: [] },
    { name: "is gone, another one stays as it was", broken: ["old.yaml@1"] },
  ])("releases when the document $name", ({ broken }) => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b], { broken: ["old.yaml@1"] }), 0);
    tracker.advance(desiredSet([b], { broken: ["old.yaml@1", "a.yaml@1"] }), 1);
    expect(tracker.holdersOf(KEY)).toEqual(["a.yaml@1"]);

    tracker.advance(desiredSet([b], { broken }), 2);

    expect(tracker.holdersOf(KEY)).toEqual([]);
  });

  it("judges an object that came back and left again by its last appearance", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b]), 0);
    tracker.advance(desiredSet([b], { broken: ["x.yaml@1"] }), 1);
    tracker.advance(desiredSet([a, b], { broken: ["x.yaml@1"] }), 2);

    tracker.advance(desiredSet([b], { broken: ["x.yaml@1"] }), 3);

    expect(tracker.holdersOf(KEY)).toEqual([]);
  });

  describe("over a restart", () => {
    it("still holds what was held", () => {
      const before = new MissingTracker();
      before.advance(desiredSet([a, b]), 0);
      before.advance(desiredSet([b], { broken: ["a.yaml@1"] }), 1);

      const after = restarted(before, KEY);
      after.advance(desiredSet([b], { broken: ["a.yaml@1"] }), 0);

      expect(after.holdersOf(KEY)).toEqual(["a.yaml@1"]);
    });

    it("holds what left while the document broke in between", () => {
      const before = new MissingTracker();
      before.advance(desiredSet([a, b]), 0);

      const after = restarted(before);
      after.advance(desiredSet([b], { broken: ["a.yaml@1"] }), 0);

      expect(after.holdersOf(KEY)).toEqual(["a.yaml@1"]);
    });

    it("does not hold what left in between beside an old fault", () => {
      const before = new MissingTracker();
      before.advance(desiredSet([a, b], { broken: ["old.yaml@1"] }), 0);

      const after = restarted(before);
      after.advance(desiredSet([b], { broken: ["old.yaml@1"] }), 0);

      expect(after.holdersOf(KEY)).toEqual([]);
    });

    it("holds everything beside any fault where nothing is remembered", () => {
      const tracker = new MissingTracker();

      tracker.advance(desiredSet([b], { broken: ["old.yaml@1"] }), 0);

      expect(tracker.holdersOf(KEY)).toEqual(["old.yaml@1"]);
    });
  });
});

describe("row 9: since the directory was missing or empty", () => {
  it("holds what was there until the directory emptied", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b]), 0);

    tracker.advance(desiredSet([]), 1);

    expect(tracker.of(KEY).sinceEmpty).toBe(true);
  });

  it("goes on holding, object by object, while the directory fills again", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b]), 0);
    tracker.advance(desiredSet([]), 1);

    tracker.advance(desiredSet([b]), 2);

    expect(tracker.of(KEY).sinceEmpty).toBe(true);
    tracker.advance(desiredSet([a, b]), 3);
    tracker.advance(desiredSet([b]), 4);
    expect(tracker.of(KEY).sinceEmpty).toBe(false);
  });

  it("holds what had left before the directory emptied", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b]), 0);
    tracker.advance(desiredSet([b]), 1);
    expect(tracker.of(KEY).sinceEmpty).toBe(false);

    tracker.advance(desiredSet([]), 2);

    expect(tracker.of(KEY).sinceEmpty).toBe(true);
  });

  it("holds everything where the first look of a process finds nothing, also once half has come", () => {
    const tracker = new MissingTracker();

    tracker.advance(desiredSet([]), 0);
    tracker.advance(desiredSet([b]), 1);

    expect(tracker.of(KEY).sinceEmpty).toBe(true);
  });

  it("survives a restart, from a full directory too", () => {
    const before = new MissingTracker();
    before.advance(desiredSet([a, b]), 0);
    before.advance(desiredSet([]), 1);

    const after = restarted(before, KEY, b.key);
    after.advance(desiredSet([b]), 0);

    expect(after.of(KEY).sinceEmpty).toBe(true);
    expect(restarted(after, KEY).of(KEY).sinceEmpty).toBe(true);
  });

  it("does not hold what left while nothing ran, where the directory was never empty", () => {
    const before = new MissingTracker();
    before.advance(desiredSet([a, b]), 0);

    const after = restarted(before);
    after.advance(desiredSet([b]), 0);

    expect(after.of(KEY).sinceEmpty).toBe(false);
  });

  it("forgets an object that is gone from the cluster", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b]), 0);
    tracker.advance(desiredSet([b], { broken: ["a.yaml@1"] }), 7);
    expect(tracker.of(KEY).sinceMs).toBe(7);

    tracker.forget(KEY);

    expect(tracker.of(KEY).sinceMs).toBe(0);
  });
});

describe("row 10: which file it left, and when", () => {
  it("is the file of the last snapshot that had it", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b]), 0);
    tracker.advance(desiredSet([b]), 1_234);
    tracker.advance(desiredSet([b]), 5_000);

    expect(tracker.of(KEY)).toMatchObject({ file: "a.yaml", sinceMs: 1_234 });
  });

  it("is unknown, since the first snapshot, for what left before this process", () => {
    const tracker = new MissingTracker();

    tracker.advance(desiredSet([b]), 500);
    tracker.advance(desiredSet([b]), 900);

    expect(tracker.of(KEY)).toMatchObject({ file: undefined, sinceMs: 500 });
  });
});

describe("the state that survives", () => {
  it("is stable: sorted, and without objects that are gone", () => {
    const tracker = new MissingTracker();
    tracker.advance(desiredSet([a, b]), 0);
    tracker.advance(desiredSet([], { broken: ["z@1", "y@1"] }), 1);

    expect(tracker.state([b.key, KEY], true)).toEqual({
      broken: ["y@1", "z@1"],
      wasEmpty: false,
      missing: [
        { key: KEY, knownBroken: [], sinceEmpty: true },
        { key: b.key, knownBroken: [], sinceEmpty: true },
      ],
    });
    expect(tracker.state([KEY], true).missing).toHaveLength(1);
  });

  describe("before the cluster has been looked at", () => {
    const before = (): MissingTracker => {
      const tracker = new MissingTracker();
      tracker.advance(desiredSet([a, b], { broken: ["old.yaml@1"] }), 0);
      tracker.advance(desiredSet([b], { broken: ["old.yaml@1", "a.yaml@1"] }), 1);
      return tracker;
    };

    it("keeps every hold that it was given", () => {
      const early = restarted(before(), KEY);
      early.advance(desiredSet([b], { broken: ["old.yaml@1", "a.yaml@1"] }), 0);

      // Stopped again before any list has come.
      const again = new MissingTracker(early.state([], false));
      again.advance(desiredSet([b], { broken: ["old.yaml@1", "a.yaml@1"] }), 0);

      expect(again.holdersOf(KEY)).toEqual(["a.yaml@1"]);
    });

    it("does not take a new fault for an old one", () => {
      const first = new MissingTracker();
      first.advance(desiredSet([a, b]), 0);
      const early = restarted(first);
      early.advance(desiredSet([b], { broken: ["a.yaml@1"] }), 0);

      const again = new MissingTracker(early.state([], false));
      again.advance(desiredSet([b], { broken: ["a.yaml@1"] }), 0);

      expect(again.holdersOf(KEY)).toEqual(["a.yaml@1"]);
    });

    it("remembers that the directory was empty", () => {
      const early = new MissingTracker();
      early.advance(desiredSet([]), 0);

      const again = new MissingTracker(early.state([], false));
      again.advance(desiredSet([b]), 0);

      expect(again.of(KEY).sinceEmpty).toBe(true);
    });
  });
});

describe("a change of leaders", () => {
  it("keeps the holds of the leader before, and our own", () => {
    const before = new MissingTracker();
    before.advance(desiredSet([a, b]), 0);
    before.advance(desiredSet([]), 1);
    const ours = new MissingTracker();
    ours.advance(desiredSet([b]), 0);

    ours.merge(before.state([KEY], true));

    expect(ours.of(KEY).sinceEmpty).toBe(true);
  });

  it("forgets a stored hold of an object that is in the directory here", () => {
    const before = new MissingTracker();
    before.advance(desiredSet([a]), 0);
    before.advance(desiredSet([]), 1);
    const ours = new MissingTracker();
    ours.advance(desiredSet([a]), 0);

    ours.merge(before.state([KEY], true));
    ours.advance(desiredSet([b]), 1);

    expect(ours.of(KEY).sinceEmpty).toBe(false);
  });
});
