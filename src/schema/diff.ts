/** What changed between two versions of a tree of files: in short (a change), and line by line (a diff). */
import { z } from "zod";

const path = z.string().min(1).describe("Relative to the repository or folder");
const count = z.number().int().nonnegative();
/** A commit of git, or the hash of a tree of a folder without git. */
export const Version = z
  .string()
  .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
  .describe("A commit; for a folder without git the hash of its list of files");

const ChangedFile = z
  .object({
    path,
    old_path: path.optional().describe("Before it was renamed"),
    status: z.enum(["added", "modified", "deleted", "renamed"]),
    binary: z.boolean(),
    added: count.describe("Lines; 0 for a binary file"),
    removed: count.describe("Lines; 0 for a binary file"),
  })
  .describe("A file that differs between two versions");
export type ChangedFile = z.infer<typeof ChangedFile>;

export const Change = z
  .object({
    base: Version.describe("The version that the work started from"),
    commit: Version.describe("The version that it resulted in"),
    branch: z.string().optional().describe("The branch that has it, e.g. agiraph/todo-app/n2-list; only with git"),
    files: z.array(ChangedFile).describe("At most 1,000 of them"),
    added: count,
    removed: count,
    more_files: count.optional().describe("Changed files that are not listed"),
  })
  .describe("A change of the user's repository or folder");
export type Change = z.infer<typeof Change>;

const DiffLine = z.object({ kind: z.enum(["context", "added", "removed"]), text: z.string() });

const Hunk = z
  .object({
    old_start: count,
    old_lines: count,
    new_start: count,
    new_lines: count,
    header: z.string().describe("The function or section that it is in, if known; may be empty"),
    lines: z.array(DiffLine),
  })
  .describe("Changed lines that stand together, with the lines around them");
export type Hunk = z.infer<typeof Hunk>;

const FileDiff = ChangedFile.extend({
  hunks: z.array(Hunk).describe("Empty for a binary file"),
  cut: z.string().optional().describe("Why not all of its lines are here"),
}).describe("The changed lines of one file");
export type FileDiff = z.infer<typeof FileDiff>;

export const Diff = z
  .object({
    base: Version,
    commit: Version,
    files: z.array(FileDiff).describe("In the order of their paths"),
    added: count,
    removed: count,
    cut: z.string().optional().describe("Why not all files are here"),
  })
  .describe("The difference between two versions, line by line");
export type Diff = z.infer<typeof Diff>;
