/** The commit that is run, and the seeds that are drawn from it: new ones with each commit, the same ones for all who run it. */
import { spawnSync } from "node:child_process";

/** The first letters of the commit's hash; nothing where there is no git. */
export function commitOf(): string | undefined {
  const { status, stdout } = git("rev-parse", "--short=12", "HEAD");
  return status === 0 ? stdout.trim() : undefined;
}

/** Whether files differ from the commit. */
export const isEdited = (): boolean => git("status", "--porcelain", "--untracked-files=no").stdout.trim() !== "";

/** The first of the commit's seeds; a fixed one without a commit. */
export const firstSeed = (commit: string | undefined): number =>
  commit === undefined ? 1_000_001 : Number.parseInt(commit.slice(0, 8), 16);

const git = (...given: string[]) => spawnSync("git", given, { cwd: import.meta.dirname, encoding: "utf8" });
