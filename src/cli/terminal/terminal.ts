/**
 * Where a view is drawn. Lines are appended and stay; on a live terminal a small board stands under them and is the only thing repainted,
 * so the scrollback reads like a log. Under the board, if someone can type, is the line that they type. Piped into a file there is no board
 * and not one escape sequence. Nothing that somebody else wrote steers it (way-out.ts).
 *
 * Each change is one write, past the guard of the stream. Lines must fit the width. After `end` the board is gone and the cursor stands under the last line.
 */
import { stripVTControlCharacters } from "node:util";
import type { Colors } from "../view/mark.ts";
import type { Input } from "./input.ts";
import { widthOf } from "./text.ts";
import { createStyles, terminalText } from "./way-out.ts";

export interface Terminal {
  readonly live: boolean;
  readonly colors: Colors;
  width(): number;
  rows(): number;
  /** Appends lines above the board. */
  say(lines: readonly string[]): void;
  /** Replaces the board; nothing on a terminal that is not live. */
  board(lines: readonly string[]): void;
  end(): void;
}

/** The part of a stream that is needed. */
export interface Output {
  write(text: string): unknown;
  columns?: number;
  rows?: number;
}

/** Wider lines are harder to read, not easier. */
const widest = 100;

export interface TerminalOptions {
  out: Output;
  live: boolean;
  color: boolean;
  /** The line that a person is typing, under everything else. */
  prompt?: Pick<Input, "below" | "redraw">;
}

export function createTerminal({ out, live, color, prompt }: TerminalOptions): Terminal {
  let shown: readonly string[] = [];
  const columns = () => (live && out.columns ? Math.max(20, out.columns) : 80);

  /** Back to the board's first line, everything from there on erased. A terminal made narrower since has folded the longer lines. */
  function erase(): string {
    const rows = shown.map((line) => Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(line)) / columns())));
    const up = rows.reduce((sum, n) => sum + n, prompt?.below() ?? 0);
    if (!up && !prompt) return "";
    return `\r${up ? `\x1b[${up}A` : ""}\x1b[J`;
  }

  /** The lines above are not finished yet; those of the board are. */
  function draw(lines: readonly string[], next: readonly string[]): void {
    const text = [...lines.map(terminalText), ...next].map((line) => `${line}\n`).join("");
    out.write(erase() + text);
    shown = next;
    prompt?.redraw();
  }

  return {
    live,
    colors: createStyles(color),
    width: () => Math.min(columns(), widest),
    rows: () => (live && out.rows ? out.rows : 24),
    say: (lines) => draw(lines, shown),
    board(lines) {
      const next = lines.map(terminalText);
      if (live && !(prompt && same(next, shown))) draw([], next);
    },
    end() {
      if (!prompt) return draw([], []);
      out.write(erase());
      shown = [];
    },
  };
}

const same = (a: readonly string[], b: readonly string[]): boolean => a.join("\n") === b.join("\n");
