/** What git prints about a difference, as our shapes. Names that are not valid UTF-8 are shown with a replacement character. */
import type { ChangedFile, FileDiff, Hunk } from "../../schema/diff.ts";
import { diffBounds } from "../diff-bounds.ts";

/** Of `diff-tree -z --raw --numstat`. `mode` is of the newer file. */
export function parseChanges(output: string): (ChangedFile & { mode: string; typeChanged: boolean })[] {
  const parts = output.split("\0");
  const files: (ChangedFile & { mode: string; typeChanged: boolean })[] = [];
  let counted = 0;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!;
    const raw = /^:\d{6} (\d{6}) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/.exec(part);
    if (raw) {
      const [, mode = "", letter = "M"] = raw;
      const status = statuses[letter] ?? "modified";
      const first = parts[++at]!;
      const path = status === "renamed" ? parts[++at]! : first;
      const old = status === "renamed" ? { old_path: first } : {};
      files.push({ path, ...old, status, binary: false, added: 0, removed: 0, mode, typeChanged: letter === "T" });
      continue;
    }
    const [, added, removed, name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(part) ?? [];
    const file = added === undefined ? undefined : files[counted++];
    if (!file) continue;
    if (name === "") at += 2; // a rename: both names follow
    file.binary = added === "-";
    file.added = Number(added) || 0;
    file.removed = Number(removed) || 0;
  }
  return files;
}

const statuses: Record<string, ChangedFile["status"]> = { A: "added", D: "deleted", R: "renamed", C: "added" };

/** Of `diff-tree -p`, whose files are in the same order; a changed type comes as two. `whole`: nothing of the output is missing. */
export function parsePatch(
  output: string,
  files: readonly (ChangedFile & { mode: string; typeChanged: boolean })[],
  whole: boolean,
): { files: FileDiff[]; cut?: string } {
  const sections = output.split(/^diff --git .*\n/m).slice(1);
  const last = sections.length - 1;
  let at = 0;
  let lines = 0;
  const shown: FileDiff[] = [];
  for (const { mode: _mode, typeChanged, ...file } of files) {
    if (at > last || lines > diffBounds.lines) return { files: shown, cut: cutFiles(shown.length, files.length) };
    const mine = sections.slice(at, at + (typeChanged ? 2 : 1));
    at += mine.length;
    const { hunks, cut } = hunksIn(mine, whole || at <= last);
    lines += hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    shown.push({ ...file, hunks, ...(cut ? { cut } : {}) });
  }
  return { files: shown };
}

function hunksIn(sections: readonly string[], whole: boolean): { hunks: Hunk[]; cut?: string } {
  const hunks: Hunk[] = [];
  let lines = 0;
  for (const section of sections)
    for (const line of section.split("\n")) {
      const begin = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line);
      if (begin) {
        const [, old_start, old_lines = "1", new_start, new_lines = "1", header = ""] = begin;
        const where = [old_start, old_lines, new_start, new_lines].map(Number) as [number, number, number, number];
        hunks.push({
          old_start: where[0],
          old_lines: where[1],
          new_start: where[2],
          new_lines: where[3],
          header,
          lines: [],
        });
        continue;
      }
      const kind = kinds[line[0] ?? ""];
      if (!kind || !hunks.length) continue;
      if (++lines > diffBounds.linesOfFile)
        return { hunks, cut: `only the first ${diffBounds.linesOfFile} lines are shown` };
      hunks.at(-1)!.lines.push({ kind, text: shortened(line.slice(1)) });
    }
  return whole ? { hunks } : { hunks, cut: "the rest is not shown: the whole diff is too long" };
}

const kinds: Record<string, "context" | "added" | "removed"> = { " ": "context", "+": "added", "-": "removed" };

const shortened = (line: string): string =>
  line.length > diffBounds.line ? `${line.slice(0, diffBounds.line).toWellFormed()} […]` : line;

const cutFiles = (shown: number, all: number): string => `${all - shown} of ${all} changed files are not shown`;
