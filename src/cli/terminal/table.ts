/** Columns as wide as what stands in them. So that a line fits, the one that may grow is cut first, then those that may be, the widest first. Pure. */
import { pad, truncate, widthOf } from "./text.ts";

export interface Column {
  title: string;
  right?: boolean;
  /** Takes what room is left; at most one does. */
  wide?: boolean;
  /** It may be cut to this, if the line does not fit otherwise. */
  least?: number;
}

/** So that what it is about can be seen. */
const leastWide = 12;

/** The first line is the titles. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string[] {
  const natural = columns.map(({ title }, at) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ""))),
  );
  const widths = [...natural];
  const over = () => widths.reduce((sum, one) => sum + one, 2 * (columns.length - 1)) - width;
  const wide = columns.findIndex((column) => column.wide);
  const leastOf = (at: number) =>
    Math.min(natural[at]!, at === wide ? leastWide : (columns[at]!.least ?? natural[at]!));
  if (wide >= 0) widths[wide] = Math.max(leastOf(wide), natural[wide]! - Math.max(0, over()));
  while (over() > 0) {
    const [widest] = widths
      .keys()
      .filter((at) => widths[at]! > leastOf(at))
      .toArray()
      .sort((a, b) => widths[b]! - widths[a]!);
    if (widest === undefined) break;
    widths[widest]!--;
  }
  const line = (cells: readonly string[]): string =>
    truncate(
      cells
        .map((cell, at) => {
          const text = truncate(cell, widths[at]!);
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
