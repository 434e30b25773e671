/** Pieces of a line, drawn in colours and cut to a width. */
import type { Colors } from "../view/mark.ts";
import { truncate, widthOf } from "./text.ts";

/** A piece of a line: its text, how it is drawn, how wide it is. The last one of a line is cut if it must be. */
export interface Span {
  text: string;
  width: number;
  draw(text: string): string;
}

export const plain = (text: string, width = widthOf(text)): Span => ({ text, width, draw: String });
export const dim = (colors: Colors, text: string): Span => ({ ...plain(text), draw: colors.dim });
export const bold = (colors: Colors, text: string): Span => ({ ...plain(text), draw: colors.bold });

export function fit(spans: Span[], width: number): string {
  let left = width;
  let line = "";
  for (const { text, width: wanted, draw } of spans) {
    if (left <= 0) break;
    line += wanted <= left ? draw(text) : draw(truncate(text, left));
    left -= wanted;
  }
  return line.trimEnd();
}
