/** A CSV file as a table. Only visible rows are drawn, so the table may be long. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { plural } from "../parts/text/words.ts";

const rowHeight = 29;
const mostColumns = 200;

export function Csv({ text, separator, cut }: { text: string; separator: string; cut: boolean }) {
  const { head, rows, widths, numeric, more } = useMemo(() => tableOf(text, separator, cut), [text, separator, cut]);
  const box = useRef<HTMLDivElement>(null);
  const shown = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  const items = shown.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = shown.getTotalSize() - (items.at(-1)?.end ?? 0);
  const name = `${plural(rows.length, "row")}, ${plural(head.length, "column")}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
    <section className="grid-s" ref={box} tabIndex={0} aria-label={name}>
      <p className="grid-n">
        {name}
        {more > 0 ? `; ${plural(more, "more column")} not shown` : ""}
        {cut ? "; only the beginning of the file is shown, download it for the rest" : ""}
      </p>
      <table className="grid-t" aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th className="rn" scope="col">
              <span className="sr">Row</span>
            </th>
            {head.map((cell, at) => (
              <th key={at} scope="col" className={numeric[at] ? "n" : ""} style={{ minWidth: widths[at] }}>
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 ? <tr style={{ height: above }} /> : null}
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              <td className="rn">{index + 1}</td>
              {head.map((_, at) => (
                <td key={at} className={numeric[at] ? "n" : ""} title={rows[index]![at]}>
                  {rows[index]![at] ?? ""}
                </td>
              ))}
            </tr>
          ))}
          {below > 0 ? <tr style={{ height: below }} /> : null}
        </tbody>
      </table>
    </section>
  );
}

const isNumber = (cell: string): boolean => cell === "" || /^[-+$€]?\s?[\d.,]+\s?%?$/.test(cell);

/** Columns keep their width while one scrolls: it is that of their longest cell. */
function tableOf(text: string, separator: string, cut: boolean) {
  const all = parseRows(text, separator);
  // The last row of a part may be a half one.
  const [head = [], ...rows] = cut && all.length > 1 ? all.slice(0, -1) : all;
  let widest = head.length;
  for (const { length } of rows) widest = Math.max(widest, length);
  const columns = Math.min(widest, mostColumns);
  const filled = Array.from({ length: columns }, (_, at) => head[at] ?? "");
  const numeric = filled.map((_, at) => rows.every((row) => isNumber(row[at] ?? "")));
  const widths = filled.map((cell, at) => {
    let longest = cell.length;
    for (const row of rows) longest = Math.max(longest, row[at]?.length ?? 0);
    return `${Math.min(longest, 44) + 2}ch`;
  });
  return { head: filled, rows, widths, numeric, more: widest - columns };
}

/** Quoted cells may hold separators, line ends and doubled quotes. */
export function parseRows(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    row.push(cell);
    cell = "";
  };
  const endRow = () => {
    endCell();
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else quoted = false;
    } else if (letter === '"' && cell === "") quoted = true;
    else if (letter === separator) endCell();
    else if (letter === "\n") endRow();
    else if (letter !== "\r") cell += letter;
  }
  endRow();
  return rows;
}
