/**
 * # history: what was desired, and what was written
 *
 * - Revisions (`revision-store.ts`): each desired set that was applied, kept in the cluster as Secrets: an index for each
 *   revision, and packs of object bodies that revisions share. `revision-diff.ts` compares two of them.
 * - Journal (`journal.ts`): one line of JSON for each write that was made or refused, on the disk of the machine that
 *   wrote it; each line holds the hash of the one before it. `journal-reader.ts` searches, follows and verifies it.
 *
 * Invariants: a revision never changes once it is stored, and no number is given twice; no body is stored twice in a row;
 * what the journal cannot write never stops anything, and what it lost it says; values of Secrets leave this folder only
 * as manifests to be applied, and masked in everything that people read.
 *
 * It decides neither when a revision is due nor what becomes of one; and it does not know the engine: who hands in
 * entries has made them.
 */
export { Journal, type JournalOptions, type JournalState } from "./journal.ts";
export type { JournalEntry, JournalField, JournalLine, JournalTail } from "./journal-line.ts";
export {
  followJournal,
  type JournalCheck,
  type JournalFault,
  type JournalPlace,
  type JournalQuery,
  searchJournal,
  verifyJournal,
} from "./journal-reader.ts";
export { matchesPattern, type ObjectPattern, parseObjectPattern } from "./object-pattern.ts";
export {
  compareSets,
  type Revision,
  type RevisionCounts,
  type RevisionMode,
  type RevisionObject,
  type RevisionSummary,
  type SetDifference,
  type SetMember,
  setDigest,
} from "./revision.ts";
export { contentOf, diffRevisions, type RevisionChange } from "./revision-diff.ts";
export { type RevisionDraft, RevisionStore, type RevisionStoreOptions } from "./revision-store.ts";
export { unservedKinds } from "./served.ts";
