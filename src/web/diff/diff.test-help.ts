/** A diff from its text: `path` opens a file, `@ old new header` a hunk, then lines that begin with a blank, + or -. */
import type { Diff, FileDiff } from "../../schema/diff.ts";

export function diffOf(text: string): Diff {
  const files: FileDiff[] = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const file = files.at(-1);
    const hunk = file?.hunks.at(-1);
    const opened = /^@ (\d+) (\d+) ?(.*)$/.exec(line);
    if (opened && file)
      file.hunks.push({
        ...{ old_start: Number(opened[1]), new_start: Number(opened[2]), old_lines: 0, new_lines: 0 },
        ...{ header: opened[3] ?? "", lines: [] },
      });
    else if (hunk && /^[ +-]/.test(line)) {
      const kind = line[0] === "+" ? "added" : line[0] === "-" ? "removed" : "context";
      hunk.lines.push({ kind, text: line.slice(1) });
      if (kind === "added") file!.added++;
      if (kind === "removed") file!.removed++;
    } else files.push({ path: line, status: "modified", binary: false, added: 0, removed: 0, hunks: [] });
  }
  const sum = (what: "added" | "removed") => files.reduce((all, file) => all + file[what], 0);
  return { base: "1111111", commit: "2222222", files, added: sum("added"), removed: sum("removed") };
}
