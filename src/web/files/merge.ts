/** A three-way merge of two texts with a common base: changes of one side are taken, lines that both changed are marked as a conflict. */
import { diffLines } from "../../lib/text/diff-lines.ts";

export interface Merged {
  text: string;
  /** Places that both changed. */
  clashes: number;
}

interface Hunk {
  /** Of the lines of the base: the first, and the one after the last. */
  from: number;
  to: number;
  lines: string[];
}

const marks = ["<<<<<<< yours", "=======", ">>>>>>> theirs"] as const;

/** Whether a text still has places that nobody decided. */
export const isMarked = (text: string): boolean =>
  text.split("\n").some((line) => line === marks[0] || line === marks[2]);

export function merge(base: string, mine: string, theirs: string): Merged {
  const lines = base.split("\n");
  const [ours, others] = [hunksOf(base, mine), hunksOf(base, theirs)];
  const out: string[] = [];
  let [at, i, j, clashes] = [0, 0, 0, 0];
  while (i < ours.length || j < others.length) {
    const from = Math.min(ours[i]?.from ?? Number.POSITIVE_INFINITY, others[j]?.from ?? Number.POSITIVE_INFINITY);
    let to = from;
    const [a, b]: [Hunk[], Hunk[]] = [[], []];
    const joins = (hunk: Hunk | undefined) => hunk && (hunk.from < to || hunk.from === from);
    while (joins(ours[i]) || joins(others[j])) {
      const [side, hunk] = joins(ours[i]) ? [a, ours[i++]!] : [b, others[j++]!];
      side.push(hunk);
      to = Math.max(to, hunk.to);
    }
    out.push(...lines.slice(at, from));
    const [left, right] = [applied(lines, a, from, to), applied(lines, b, from, to)];
    if (b.length === 0 || left.join("\n") === right.join("\n")) out.push(...left);
    else if (a.length === 0) out.push(...right);
    else {
      clashes++;
      out.push(marks[0], ...left, marks[1], ...right, marks[2]);
    }
    at = to;
  }
  return { text: [...out, ...lines.slice(at)].join("\n"), clashes };
}

function hunksOf(before: string, after: string): Hunk[] {
  const hunks: Hunk[] = [];
  let at = 0;
  let open: Hunk | undefined;
  for (const { look, text } of diffLines(before, after)) {
    if (look === "same") {
      open = undefined;
      at++;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, lines: [] };
      hunks.push(open);
    }
    if (look === "add") open.lines.push(text);
    else open.to = ++at;
  }
  return hunks;
}

function applied(lines: readonly string[], hunks: readonly Hunk[], from: number, to: number): string[] {
  const out: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    out.push(...lines.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...out, ...lines.slice(at, to)];
}
