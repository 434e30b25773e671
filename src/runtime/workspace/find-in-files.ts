/**
 * Finds words in the files of a tree: in their names and line by line in their texts, as they are written, whatever the case.
 *
 * Always holds: what is found could be read by the same path (file-reader.ts); links are not followed, and what cannot be read is left out
 * and counted. One call looks at so many files and bytes and takes so long at most, then says where to go on; it always gets further.
 */

import { isUtf8 } from "node:buffer";
import { walkTree } from "../../lib/files/tree.ts";
import type { Clock, Within } from "../../lib/world.ts";
import type { ShownFiles, Tree } from "./file-reader.ts";

export interface FoundLine {
  /** From 1. */
  line: number;
  /** The line, or what is around the words in it. */
  text: string;
  /** Where in `text` the words begin and end. */
  from: number;
  to: number;
}
export interface FoundFile {
  path: string;
  /** Whether its path holds the words. */
  named: boolean;
  lines: FoundLine[];
  /** There are more such lines in it. */
  more: boolean;
}
export interface FoundFiles {
  files: FoundFile[];
  /** The last path that was looked at, if there are more. */
  next: string | null;
  /** Files that were not looked into: too large, no text, or not to be read. */
  skipped: number;
}
export interface FindOptions {
  query: string;
  /** The most files that are told. */
  limit: number;
  /** `next` of the call before. */
  after?: string | undefined;
}

export const findBounds = { files: 5_000, bytes: 64_000_000, fileBytes: 5_000_000, lines: 20, ms: 2_000, depth: 40 };
const around = 100;

export async function findInFiles(
  files: ShownFiles,
  clock: Clock,
  tree: Tree,
  { query, limit, after }: FindOptions,
  bounds = findBounds,
): Promise<FoundFiles> {
  const begun = clock.mono();
  const words = new RegExp(RegExp.escape(query), "giu");
  const found: FoundFiles = { files: [], next: null, skipped: 0 };
  let [looked, bytes, last] = [0, 0, ""];
  const enough = () =>
    looked > 0 &&
    (found.files.length >= limit ||
      looked >= bounds.files ||
      bytes >= bounds.bytes ||
      clock.mono() - begun >= bounds.ms);

  async function lookInto(path: string): Promise<void> {
    looked++;
    last = path;
    const named = path.search(words) >= 0;
    const text = await textAt(files.locate(tree, path), bounds.fileBytes);
    if (text === undefined) found.skipped++;
    else bytes += text.length;
    const { lines, more } = linesOf(text ?? "", words, bounds.lines);
    if (named || lines.length > 0) found.files.push({ path, named, lines, more });
  }

  const list = async (folder: string) => {
    const there = await files.look(tree, folder).catch(() => undefined);
    return there?.kind === "folder" ? there.entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : [];
  };
  const walk = walkTree(list, {
    skip: ({ path, kind }) => kind === "other" || isDone(path, kind, after),
    enter: (_, depth) => depth <= bounds.depth,
  });
  for await (const { path, kind } of walk) {
    if (kind === "folder") continue;
    if (enough()) return { ...found, next: last };
    await lookInto(path);
  }
  return found;
}

/** Whether an earlier call has been there: paths are walked step by step in the order of their names. */
function isDone(path: string, kind: "file" | "folder", after: string | undefined): boolean {
  if (after === undefined) return false;
  if (kind === "folder" && after.startsWith(`${path}/`)) return false;
  const [a, b] = [path.split("/"), after.split("/")];
  const at = a.findIndex((step, index) => step !== b[index]);
  return at === -1 || (b[at] !== undefined && a[at]! < b[at]);
}

/** Undefined if it is no text or cannot be read. */
async function textAt(
  { within, path }: { within: Within; path: string },
  mostBytes: number,
): Promise<string | undefined> {
  const content = await within.read(path, mostBytes).catch(() => null);
  if (!content || content.subarray(0, 8_000).includes(0) || !isUtf8(content)) return undefined;
  return content.toString("utf8");
}

function linesOf(text: string, words: RegExp, most: number): { lines: FoundLine[]; more: boolean } {
  const lines: FoundLine[] = [];
  let [line, counted] = [1, 0];
  words.lastIndex = 0;
  for (let hit = words.exec(text); hit; hit = words.exec(text)) {
    if (lines.length === most) return { lines, more: true };
    const begin = text.lastIndexOf("\n", hit.index - 1) + 1;
    const end = text.indexOf("\n", hit.index);
    for (let at = text.indexOf("\n", counted); at !== -1 && at < begin; at = text.indexOf("\n", at + 1)) line++;
    counted = begin;
    lines.push({ line, ...clipped(text, hit.index, hit[0].length, begin, end === -1 ? text.length : end) });
    // Once a line is enough.
    words.lastIndex = end === -1 ? text.length : end;
  }
  return { lines, more: false };
}

function clipped(text: string, at: number, length: number, begin: number, end: number): Omit<FoundLine, "line"> {
  const first = Math.max(begin, at - around);
  const last = Math.min(end, at + length + around);
  const cut = text.slice(first, last).toWellFormed();
  const indent = first === begin ? cut.length - cut.trimStart().length : 0;
  const skipped = Math.min(indent, at - first);
  const [before, behind] = [first > begin ? "…" : "", last < end ? "…" : ""];
  const from = at - first - skipped + before.length;
  return { text: before + cut.slice(skipped).replace(/\r$/, "") + behind, from, to: from + length };
}
