/** The lines of a hunk with their numbers, and side by side: what was removed stands beside what was added in its place. */
import type { Hunk } from "../../schema/diff.ts";

export interface Line {
  kind: "context" | "added" | "removed";
  text: string;
  old?: number;
  new?: number;
  /** The line that it replaces, or that replaces it. */
  other?: string;
  /** Its place among the lines of the hunk. */
  index: number;
}

export interface Pair {
  left?: Line;
  right?: Line;
}

const known = new WeakMap<Hunk, readonly Line[]>();

/** In the order of the hunk; the same objects as long as the hunk is the same. */
export function linesOf(hunk: Hunk): readonly Line[] {
  const lines = known.get(hunk) ?? numbered(hunk);
  known.set(hunk, lines);
  return lines;
}

function numbered(hunk: Hunk): Line[] {
  let old = hunk.old_start;
  let now = hunk.new_start;
  const lines = hunk.lines.map(({ kind, text }, index): Line => {
    const numbers =
      kind === "added" ? { new: now++ } : kind === "removed" ? { old: old++ } : { old: old++, new: now++ };
    return { kind, text, ...numbers, index };
  });
  for (const { removed, added } of replacements(lines))
    for (let nth = 0; nth < Math.min(removed.length, added.length); nth++) {
      removed[nth]!.other = added[nth]!.text;
      added[nth]!.other = removed[nth]!.text;
    }
  return lines;
}

export function pairsOf(lines: readonly Line[]): Pair[] {
  const pairs: Pair[] = [];
  for (const { removed, added, context } of replacements(lines)) {
    for (let nth = 0; nth < Math.max(removed.length, added.length); nth++)
      pairs.push({
        ...(removed[nth] ? { left: removed[nth]! } : {}),
        ...(added[nth] ? { right: added[nth]! } : {}),
      });
    for (const line of context) pairs.push({ left: line, right: line });
  }
  return pairs;
}

interface Replacement {
  removed: Line[];
  added: Line[];
  /** What follows it. */
  context: Line[];
}

function replacements(lines: readonly Line[]): Replacement[] {
  const found: Replacement[] = [{ removed: [], added: [], context: [] }];
  for (const line of lines) {
    let last = found.at(-1)!;
    if (line.kind !== "context" && (last.context.length || (line.kind === "removed" && last.added.length))) {
      last = { removed: [], added: [], context: [] };
      found.push(last);
    }
    last[line.kind].push(line);
  }
  return found;
}
