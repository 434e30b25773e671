/** Differences between two trees, line by line. */
import { type DiffLine, diffSequences } from "../../lib/text/diff-lines.ts";
import type { ChangedFile, Diff, FileDiff, Hunk } from "../../schema/diff.ts";
import { diffBounds } from "../diff-bounds.ts";
import { type Blobs, contentOf, differing, type Tree, type TreeFile } from "./tree.ts";

const around = 3;

export async function diffTrees(blobs: Blobs, a: Tree, b: Tree): Promise<Omit<Diff, "base" | "commit">> {
  const files: FileDiff[] = [];
  const paths = differing(a, b);
  for (const path of paths.slice(0, diffBounds.files)) files.push(await diffFile(blobs, a, b, path));
  const sum = (of: "added" | "removed") => files.reduce((total, file) => total + file[of], 0);
  const left = paths.length - files.length;
  const cut = left ? { cut: `${left} of ${paths.length} changed files are not shown` } : {};
  return { files, added: sum("added"), removed: sum("removed"), ...cut };
}

export const inShort = ({ hunks: _hunks, cut: _cut, ...file }: FileDiff): ChangedFile => file;

/** As git apply reads it; of a binary file only its name. */
export async function patchOf(blobs: Blobs, a: Tree, b: Tree): Promise<string> {
  const parts: string[] = [];
  for (const path of differing(a, b)) {
    const [old, now] = [a.get(path), b.get(path)];
    const [before, after] = await contents(blobs, old, now);
    parts.push(`diff --git a/${path} b/${path}\n`);
    const mode = (file: TreeFile | undefined) => (file?.executable ? "100755" : "100644");
    if (!old) parts.push(`new file mode ${mode(now)}\n`);
    else if (!now) parts.push(`deleted file mode ${mode(old)}\n`);
    else if (mode(old) !== mode(now)) parts.push(`old mode ${mode(old)}\nnew mode ${mode(now)}\n`);
    if (isBinary(before) || isBinary(after)) {
      parts.push("Binary files differ\n");
      continue;
    }
    const hunks = hunksOf(String(before), String(after));
    if (hunks.length) parts.push(`--- ${old ? `a/${path}` : "/dev/null"}\n+++ ${now ? `b/${path}` : "/dev/null"}\n`);
    for (const { old_start, old_lines, new_start, new_lines, lines } of hunks) {
      parts.push(`@@ -${old_start},${old_lines} +${new_start},${new_lines} @@\n`);
      for (const { kind, text } of lines)
        parts.push(`${marks[kind]}${text}${text.endsWith("\n") ? "" : "\n\\ No newline at end of file\n"}`);
    }
  }
  return parts.join("");
}

const marks = { context: " ", added: "+", removed: "-" };

const contents = (blobs: Blobs, ...some: (TreeFile | undefined)[]): Promise<[Buffer, Buffer]> =>
  Promise.all(some.map(async (file) => (file ? await contentOf(blobs, file.sha256) : Buffer.alloc(0)))) as Promise<
    [Buffer, Buffer]
  >;

const isBinary = (content: Buffer): boolean => content.subarray(0, 8_000).includes(0);

async function diffFile(blobs: Blobs, a: Tree, b: Tree, path: string): Promise<FileDiff> {
  const [old, now] = [a.get(path), b.get(path)];
  const status = !old ? "added" : !now ? "deleted" : "modified";
  const [before, after] = await contents(blobs, old, now);
  const binary = isBinary(before) || isBinary(after);
  if (binary) return { path, status, binary, added: 0, removed: 0, hunks: [] };
  const hunks = hunksOf(String(before), String(after));
  const count = (kind: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  const counts = { added: count("added"), removed: count("removed") };
  const short = hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.slice(0, diffBounds.linesOfFile).map(withoutEnd) }));
  const isCut = hunks.some(({ lines }) => lines.length > diffBounds.linesOfFile);
  const cut = isCut ? { cut: `only the first ${diffBounds.linesOfFile} lines are shown` } : {};
  return { path, status, binary, ...counts, hunks: short, ...cut };
}

const withoutEnd = ({ kind, text }: Hunk["lines"][number]) => ({ kind, text: text.replace(/\n$/, "") });

const kinds = { same: "context", add: "added", del: "removed" } as const;

/** Lines end as they do in the file. */
export function hunksOf(before: string, after: string): Hunk[] {
  const all = diffSequences(linesOf(before), linesOf(after));
  const changed = all.flatMap(({ look }, at) => (look === "same" ? [] : [at]));
  const spans: [from: number, to: number][] = [];
  for (const at of changed) {
    const last = spans.at(-1);
    if (last && at - last[1] <= 2 * around) last[1] = at;
    else spans.push([at, at]);
  }
  return spans.map(([from, to]) => hunkOf(all, Math.max(0, from - around), to + around + 1));
}

function hunkOf(all: readonly DiffLine[], from: number, to: number): Hunk {
  const count = (some: readonly DiffLine[], other: "add" | "del") => some.filter(({ look }) => look !== other).length;
  const [before, mine] = [all.slice(0, from), all.slice(from, to)];
  const [old_lines, new_lines] = [count(mine, "add"), count(mine, "del")];
  return {
    old_start: count(before, "add") + (old_lines ? 1 : 0),
    old_lines,
    new_start: count(before, "del") + (new_lines ? 1 : 0),
    new_lines,
    header: "",
    lines: mine.map(({ look, text }) => ({ kind: kinds[look], text })),
  };
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.split(/(?<=\n)/));
