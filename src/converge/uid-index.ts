/**
 * Which uids belong to objects of the desired set, kept current with every event: a set that is built anew for each
 * question costs the whole set for each of thousands of events.
 */
export class UidIndex {
  readonly #uids: Map<string, string> = new Map();
  /** Two desired objects may resolve to one: the same object under two API groups. */
  readonly #counts: Map<string, number> = new Map();

  /** Takes note of what an object resolves to now; undefined: to nothing. */
  set(key: string, uid: string | undefined): void {
    const before = this.#uids.get(key);
    if (before === uid) return;
    if (before !== undefined) this.#add(before, -1);
    if (uid === undefined) this.#uids.delete(key);
    else {
      this.#uids.set(key, uid);
      this.#add(uid, 1);
    }
  }

  /** Whether some object of the set resolves to this uid. */
  has(uid: string): boolean {
    return this.#counts.has(uid);
  }

  #add(uid: string, change: number): void {
    const count = (this.#counts.get(uid) ?? 0) + change;
    if (count > 0) this.#counts.set(uid, count);
    else this.#counts.delete(uid);
  }
}
