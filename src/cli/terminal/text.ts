/**
 * Words on a terminal.
 *
 * Whatever a model, a worker or a human wrote is data: `clean` writes out everything that could steer the terminal or reorder what is read
 * (lib/text/visible.ts). What it returns is one line, and its width can be counted.
 * Not here: colours and layout (view/view.ts), what leaves the process (way-out.ts).
 */
import { exactText, visibleLine } from "../../lib/text/visible.ts";

/** One line of harmless text. */
export const clean = (text: string): string => visibleLine(text);

/** How many columns a text takes; it must be clean. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += wide.test(segment) ? 2 : mark.test(segment) ? 0 : 1;
  return columns;
}

/** At most `width` columns; what is cut off is shown by …. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) {
    columns += widthOf(segment);
    if (columns > width - 1) break;
    kept += segment;
  }
  return width > 0 ? `${kept.trimEnd()}…` : "";
}

export const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));

/** Several lines of harmless text, broken between words, and within one that is too long. Indents are kept; a table's row is cut rather than broken. */
export function wrap(text: string, width: number): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const indent = /^ */.exec(line)![0].slice(0, Math.floor(width / 2));
    const hanging = indent + (/^[-*] /.test(line.trimStart()) ? "  " : "");
    const words = clean(line);
    if (words.startsWith("|")) return [truncate(indent + inCells(line), width)];
    const lines: string[] = [];
    let current = indent;
    for (const word of words.split(" ")) {
      const longer = current.trim() ? `${current} ${word}` : indent + word;
      if (widthOf(longer) <= width) {
        current = longer;
        continue;
      }
      if (current.trim()) lines.push(current);
      const pieces = broken(word, width - hanging.length);
      lines.push(...pieces.slice(0, -1).map((piece) => hanging + piece));
      current = hanging + pieces.at(-1)!;
    }
    return [...lines, current.trimEnd()];
  });
}

/** What somebody is to say yes to: to the last sign, whatever the width, and what to look at closely. */
export function wrapExact(text: string, width: number): string[] {
  const { lines, risks } = exactText(text);
  return [
    ...lines.flatMap((pieces) => broken(pieces.map((piece) => piece.text.replaceAll("\t", "  ")).join(""), width)),
    ...risks.flatMap((risk) => wrap(`Look closely: ${risk}`, width)),
  ];
}

/** The whole text in pieces of at most this width. */
export function broken(text: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) {
    const wanted = widthOf(segment);
    if (columns + wanted > width && piece) {
      pieces.push(piece);
      piece = "";
      columns = 0;
    }
    piece += segment;
    columns += wanted;
  }
  return [...pieces, piece];
}

/** A table's columns stay in line: its spaces are kept. */
const inCells = (line: string): string => line.trim().split(" ").map(clean).join(" ");

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const mark = /^[\p{M}\p{Cf}]+$/u;
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|.+\ufe0f)/u;
