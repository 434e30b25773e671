/** Values in rows as a table. */
import { useMemo } from "react";
import { plural } from "../parts/words.ts";

const mostRows = 1_000;

export function Csv({ text, separator }: { text: string; separator: string }) {
  const { head, rows, more } = useMemo(() => tableOf(text, separator), [text, separator]);
  const numeric = useMemo(() => head.map((_, at) => rows.every((row) => isNumber(row[at] ?? ""))), [head, rows]);
  return (
    <>
      <table className="grid-t">
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col" className={numeric[at] ? "n" : ""}>
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {head.map((_, at) => (
                <td key={at} className={numeric[at] ? "n" : ""} title={row[at]}>
                  {row[at] ?? ""}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 ? <p className="dim">and {plural(more, "row")} more; download it to see all</p> : null}
    </>
  );
}

const isNumber = (cell: string): boolean => cell === "" || /^[-+$€]?\s?[\d.,]+\s?%?$/.test(cell);

function tableOf(text: string, separator: string): { head: string[]; rows: string[][]; more: number } {
  const all = parseRows(text, separator);
  const [head = [], ...rows] = all;
  const widest = Math.max(head.length, ...rows.slice(0, mostRows).map(({ length }) => length));
  const filled = Array.from({ length: widest }, (_, at) => head[at] ?? "");
  return { head: filled, rows: rows.slice(0, mostRows), more: Math.max(0, rows.length - mostRows) };
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
