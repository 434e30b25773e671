/** Columns as wide as what stands in them; the one that may grow is cut so that a line fits. Pure. */
import { cut, pad, widthOf } from "./text.ts";

export interface Column {
  title: string;
  right?: boolean;
  /** Takes what room is left; at most one does. */
  wide?: boolean;
}

/** The first line is the titles. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string[] {
  const natural = columns.map(({ title }, at) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ""))),
  );
  const fixed = natural.reduce((sum, one, at) => sum + (columns[at]!.wide ? 0 : one), 2 * (columns.length - 1));
  const widths = natural.map((one, at) => (columns[at]!.wide ? Math.max(8, Math.min(one, width - fixed)) : one));
  const line = (cells: readonly string[]): string =>
    cut(
      cells
        .map((cell, at) => {
          const text = cut(cell, widths[at]!);
          return columns[at]!.right
            ? " ".repeat(Math.max(0, widths[at]! - widthOf(text))) + text
            : pad(text, widths[at]!);
        })
        .join("  ")
        .trimEnd(),
      width,
    );
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}
