/**
 * A diff on a terminal in two columns: before on the left, after on the right, what was removed beside what was added in its place. Pure.
 *
 * A line that is too long for its column continues below; nothing of it is cut. Signs and numbers say what colours say.
 */
import { type Line, linesOf, pairsOf } from "../../core/file/diff-line.ts";
import { visible } from "../../lib/text/visible.ts";
import type { Diff, FileDiff } from "../../schema/diff.ts";
import { broken, clean, pad, widthOf } from "../terminal/text.ts";
import type { Colors } from "../view/mark.ts";
import { colorCode } from "./code-colors.ts";

interface Look {
  width: number;
  colors: Colors;
}

export const sideBySideLines = ({ files, cut }: Pick<Diff, "files" | "cut">, look: Look): string[] => [
  ...files.flatMap((file) => fileLines(file, look)),
  ...(cut ? [look.colors.yellow(clean(cut))] : []),
];

function fileLines(file: FileDiff, look: Look): string[] {
  const { path, old_path, status, binary, cut, hunks } = file;
  const { colors, width } = look;
  const name = old_path ? `${clean(old_path)} → ${clean(path)}` : clean(path);
  const last = hunks.at(-1);
  const digits = last ? String(Math.max(last.old_start + last.old_lines, last.new_start + last.new_lines)).length : 0;
  const column = Math.max(12, Math.floor((width - 3) / 2));
  return [
    colors.bold(`${name}, ${status}`),
    ...(binary ? [colors.dim("A binary file: its content is not shown")] : []),
    ...hunks.flatMap((hunk) => [
      colors.cyan(`@@ -${hunk.old_start},${hunk.old_lines} +${hunk.new_start},${hunk.new_lines} @@`) +
        (hunk.header ? ` ${clean(hunk.header)}` : ""),
      ...pairsOf(linesOf(hunk)).flatMap(({ left, right }) => {
        const before = cells(path, left, left?.old, { digits, column, colors });
        const after = cells(path, right, right?.new, { digits, column, colors });
        const rows = Math.max(before.length, after.length);
        return Array.from({ length: rows }, (_, nth) => {
          const { drawn = "", taken = 0 } = before[nth] ?? {};
          return `${drawn}${" ".repeat(Math.max(0, column - taken))} ${colors.dim("│")} ${after[nth]?.drawn ?? ""}`;
        });
      }),
    ]),
    ...(cut ? [colors.yellow(clean(cut))] : []),
    "",
  ];
}

interface Cell {
  drawn: string;
  /** Columns. */
  taken: number;
}

const signs = { context: " ", added: "+", removed: "-" } as const;

/** The line in as many rows as it needs. */
function cells(
  path: string,
  line: Line | undefined,
  number: number | undefined,
  { digits, column, colors }: { digits: number; column: number; colors: Colors },
): Cell[] {
  if (!line) return [];
  const draw = { context: String, added: colors.green, removed: colors.red }[line.kind];
  const room = column - digits - 3;
  return broken(visible(line.text).replaceAll("\t", "  "), room).map((piece, nth) => {
    const label = pad(nth ? "" : String(number ?? "").padStart(digits), digits);
    const sign = nth ? " " : signs[line.kind];
    return {
      drawn: `${colors.dim(label)} ${draw(`${sign} ${colorCode(path, piece, colors)}`)}`,
      taken: digits + 3 + widthOf(piece),
    };
  });
}
