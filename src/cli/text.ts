/**
 * Words on a terminal.
 *
 * Whatever a model, a worker or a human wrote is data: `clean` takes out everything that could steer the terminal or reorder what is read
 * (escape sequences, control characters, direction marks). What it returns is one line, and its width can be counted.
 * Not here: colours and layout (view.ts).
 */
import { stripVTControlCharacters } from "node:util";

/** One line of harmless text. */
export function clean(text: string): string {
  return stripVTControlCharacters(text.toWellFormed())
    .replace(/\s+/gu, " ")
    .replace(/[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu, "")
    .trim();
}

/** How many columns a text takes; it must be clean. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += wide.test(segment) ? 2 : mark.test(segment) ? 0 : 1;
  return columns;
}

/** At most `width` columns; what is cut off is shown by …. */
export function cut(text: string, width: number): string {
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

/** Several lines of harmless text, broken between words. Indents are kept, and a table's row is cut rather than broken. */
export function wrap(text: string, width: number): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const indent = /^ */.exec(line)![0].slice(0, Math.floor(width / 2));
    const hanging = indent + (/^[-*] /.test(line.trimStart()) ? "  " : "");
    const words = clean(line);
    if (words.startsWith("|")) return [cut(indent + inCells(line), width)];
    const lines: string[] = [];
    let current = indent;
    for (const word of words.split(" ")) {
      const longer = current.trim() ? `${current} ${word}` : indent + word;
      if (widthOf(longer) > width && current.trim()) {
        lines.push(current);
        current = hanging + cut(word, width - hanging.length);
      } else current = cut(longer, width);
    }
    return [...lines, current.trimEnd()];
  });
}

/** A table's columns stay in line: its spaces are kept. */
const inCells = (line: string): string => line.trim().split(" ").map(clean).join(" ");

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const mark = /^[\p{M}\p{Cf}]+$/u;
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|.+\ufe0f)/u;
