/**
 * A diff as a flat list of rows, which is what a long one needs to be drawn in part. A row says where it is; nothing of it is drawn here.
 *
 * Long files, deleted files and files that a program wrote begin folded, unless there is nothing else to see. Binary files and files that were cut
 * say so in a row of their own.
 */

import { type Line, linesOf, pairsOf } from "../../core/file/diff-line.ts";
import { type Spot, spotKey, spotOf } from "../../core/file/line-comment.ts";
import type { Diff, FileDiff } from "../../schema/diff.ts";

export type Layout = "unified" | "split";

export type Row =
  | { kind: "file"; file: number; folded: boolean }
  | { kind: "hunk"; file: number; hunk: number; header: string }
  | { kind: "line"; file: number; hunk: number; left?: Line; right?: Line }
  | { kind: "note"; file: number; text: string; unfold?: boolean }
  | { kind: "talk"; file: number; at: Spot }
  | { kind: "gap"; file: number };

export interface Options {
  layout: Layout;
  /** By index of the file: what somebody chose, where it differs from how the file begins. */
  folded: ReadonlyMap<number, boolean>;
  /** Lines with comments, or with one being written, as `spotKey`. */
  talk: ReadonlySet<string>;
}

const longFile = 400;
const written =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|go\.sum|composer\.lock|Gemfile\.lock)$|\.(min\.(js|css)|map|snap)$/;

/** Why a file begins folded. */
export function foldedBecause({ path, status, added, removed }: FileDiff, alone: boolean): string | undefined {
  if (alone) return undefined;
  if (written.test(path)) return "A program writes this file";
  if (status === "deleted") return "The whole file is removed";
  return added + removed > longFile ? "A long change" : undefined;
}

export const isFolded = (diff: Diff, file: number, folded: Options["folded"]): boolean =>
  folded.get(file) ?? foldedBecause(diff.files[file]!, diff.files.length === 1) !== undefined;

export function rowsOf(diff: Diff, { layout, folded, talk }: Options): Row[] {
  const rows: Row[] = [];
  diff.files.forEach((file, index) => {
    const shut = isFolded(diff, index, folded);
    if (index) rows.push({ kind: "gap", file: index });
    rows.push({ kind: "file", file: index, folded: shut });
    if (shut) {
      const why = foldedBecause(file, diff.files.length === 1);
      if (why && !folded.has(index)) rows.push({ kind: "note", file: index, text: why, unfold: true });
      return;
    }
    if (file.binary) rows.push({ kind: "note", file: index, text: "A binary file: its content is not shown" });
    else if (file.hunks.length === 0)
      rows.push({ kind: "note", file: index, text: file.cut ? `Not shown: ${file.cut}` : unchanged(file) });
    file.hunks.forEach((hunk, nth) => {
      rows.push({ kind: "hunk", file: index, hunk: nth, header: hunk.header });
      const lines = linesOf(hunk);
      const pairs =
        layout === "split"
          ? pairsOf(lines)
          : lines.map((line) => (line.kind === "removed" ? { left: line } : { right: line }));
      for (const pair of pairs) {
        rows.push({ kind: "line", file: index, hunk: nth, ...pair });
        for (const at of spotsOf(file.path, pair))
          if (talk.has(spotKey(at))) rows.push({ kind: "talk", file: index, at });
      }
    });
    if (file.cut && file.hunks.length)
      rows.push({ kind: "note", file: index, text: `The rest is not shown: ${file.cut}` });
  });
  if (diff.cut && diff.files.length) rows.push({ kind: "note", file: diff.files.length - 1, text: diff.cut });
  return rows;
}

function spotsOf(path: string, { left, right }: { left?: Line; right?: Line }): Spot[] {
  const sides = [left, right === left ? undefined : right];
  return sides.flatMap((line) => (line ? [spotOf(path, line)] : []));
}

const unchanged = ({ status, old_path }: FileDiff): string =>
  status === "renamed" ? `Renamed from ${old_path ?? "another name"}; its content is the same` : "An empty file";

/** The row to go to: the next file or the next stretch of changes after this row, or before it. */
export function rowAfter(rows: readonly Row[], from: number, what: "file" | "change", by: 1 | -1): number | undefined {
  const starts = (at: number): boolean => {
    const row = rows[at]!;
    if (what === "file") return row.kind === "file";
    return isChange(row) && !(at > 0 && isChange(rows[at - 1]!));
  };
  for (let at = from + by; at >= 0 && at < rows.length; at += by) if (starts(at)) return at;
  return undefined;
}

const isChange = (row: Row): boolean =>
  row.kind === "talk" || (row.kind === "line" && [row.left, row.right].some((line) => line && line.kind !== "context"));

/** The next line, for the one that the keyboard is at. */
export function lineAfter(rows: readonly Row[], from: number, by: 1 | -1): number | undefined {
  for (let at = from + by; at >= 0 && at < rows.length; at += by) if (rows[at]!.kind === "line") return at;
  return undefined;
}
