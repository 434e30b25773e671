/**
 * Workspaces: the folders that participants work in, saved as versions (Archive), and checkouts of the user's repository or folder.
 *
 * A *version* names a whole tree of files: a commit of git, or the hash of a list of files (folder/). Always holds: a version that was returned is
 * durable, and never changes; the user's own folder, refs, index and config are changed by `handOver` alone. What is in a checkout is not trusted:
 * no program, hook, filter or setting of it is used. One caller at a time per checkout; different checkouts do not disturb each other.
 *
 * Failures are Problems: `wrong_state`, `not_found`, `conflict`, `too_large`, `invalid`, and `storage_failed` where git or the disk fails.
 */
import type { ChangedFile, Diff } from "../schema/diff.ts";

/** Folders as versions: saved, compared, brought back. */
export interface Archive {
  /**
   * Saves a folder as a version, without what must be left out. What has not changed since `last`, the version that was saved or checked out last,
   * is that version. What is written meanwhile may be in it or not; the next call finds it.
   */
  keep(name: string, folder: string, commit: Commit, last?: string): Promise<Kept>;
  /** Puts a whole version into a folder that must not exist yet. What happens to it there changes nothing here. */
  restore(version: string, folder: string): Promise<void>;
  /** The files of the version that was saved last which a folder does not have, or has with other content. */
  differences(name: string, folder: string, version: string): Promise<Difference[]>;
  /** Puts files of a version into a folder that is there, over the files in their place; returns which. Links are left out. */
  putBack(version: string, paths: readonly string[], folder: string): Promise<string[]>;
}

export interface Difference {
  path: string;
  /** When what is there was changed; null if nothing is. */
  changed: number | null;
}

export interface Workspaces extends Archive {
  kind: "repository" | "folder";
  /** Folders of the user's outside of the given one that the git of a checkout reads. */
  alsoRead: readonly string[];
  /** What the user has now, as a version, and the branch that is checked out there. */
  base(): Promise<{ version: string; branch: string | null }>;
  /** Makes a checkout in a folder that must not exist yet. Repeating it starts anew. */
  checkOut(name: string, source: Source, folder: string): Promise<void>;
  /** The same files with a description, as a version to be published; the same version where there are no descriptions. */
  describe(version: string, commit: Commit): Promise<string>;
  /** Names the files of a version alone: the same for all versions that have the same files, however they came about. */
  contentOf(version: string): Promise<string>;
  /** Gives a version a name that people use; nothing where there are no branches. */
  setBranch(branch: string, version: string): Promise<void>;
  /** The files that differ. */
  compare(from: string, to: string): Promise<ChangedFile[]>;
  diff(from: string, to: string): Promise<Diff>;
  /** A patch that git apply understands. */
  patch(from: string, to: string): Promise<Buffer>;
  /** Puts the files of a version that differ from another into a folder; returns their paths. Links are left out. */
  copyChanged(from: string, to: string, folder: string): Promise<string[]>;
  /** Merges two versions; `base` is what `theirs` started from. */
  merge(sides: Sides, commit: Commit): Promise<Merged>;
  /** Lets the user have a version. The only thing that writes to what is the user's. */
  handOver(wish: HandOver): Promise<{ version: string; into: string }>;
}

export interface Source {
  version: string;
  /** Another version, merged into the first: conflicts stand in the files, marked. */
  merging?: Pick<Sides, "theirs" | "base"> | undefined;
  /** The branch that the worker's own git shows. */
  branch: string;
}

export interface Sides {
  ours: string;
  theirs: string;
  base: string;
}

export type Merged = { version: string } | { conflicts: string[] };

export interface Commit {
  message: string;
  author: string;
  at: number;
  /** What it was made from. */
  parents: readonly string[];
}

export interface Kept {
  version: string;
  /** How many files it has, where that is known. */
  count?: number;
  left_out: LeftOut[];
  more_left_out: number;
}

export interface LeftOut {
  path: string;
  why: string;
}

export type HandOver = { base: string; version: string; commit: Commit } & (
  | { as: "merge"; into: string | undefined }
  | { as: "branch"; name: string }
);

/** What is not saved: larger files, and what exceeds these together. `entries`: what is looked at, folders and files. */
export const bounds = { file: 50 * 1024 * 1024, files: 5_000, bytes: 512 * 1024 * 1024, named: 20, entries: 20_000 };

/** As the log and people are told of it. */
export const inBounds = (all: readonly LeftOut[]): Pick<Kept, "left_out" | "more_left_out"> => ({
  left_out: all.slice(0, bounds.named),
  more_left_out: Math.max(0, all.length - bounds.named),
});
