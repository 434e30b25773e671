/**
 * Splits chunks of text into lines, buffering at most one line of the maximum length. The rest of a longer line is dropped; its length is reported
 * when it ends. The last line counts without its newline, too, at the end.
 */
export interface Line {
  /** Without its newline; truncated if it was too long. */
  text: string;
  /** Characters that were dropped. */
  dropped: number;
}

export interface LineReader {
  take(piece: string): Line[];
  /** The unfinished line at the end. */
  rest(): Line[];
  /** Characters of the unfinished line, dropped ones included. */
  open(): number;
}

/** How much of a too long line is kept, for debugging output. */
const keep = 2_000;

export function createLines(longest: number): LineReader {
  let parts: string[] = [];
  let held = 0;
  let dropped = 0;

  function add(piece: string): void {
    if (dropped) dropped += piece.length;
    else if (held + piece.length > longest) {
      const beginning = [...parts, piece].join("").slice(0, keep);
      dropped = held + piece.length - beginning.length;
      parts = [beginning];
      held = beginning.length;
    } else if (piece) {
      parts.push(piece);
      held += piece.length;
    }
  }

  function end(): Line {
    const line = { text: parts.join("").replace(/\r$/, "").toWellFormed(), dropped };
    parts = [];
    held = 0;
    dropped = 0;
    return line;
  }

  return {
    take(piece) {
      const lines: Line[] = [];
      let from = 0;
      for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", from)) {
        add(piece.slice(from, at));
        lines.push(end());
        from = at + 1;
      }
      add(piece.slice(from));
      return lines;
    },
    rest: () => (held ? [end()] : []),
    open: () => held + dropped,
  };
}
