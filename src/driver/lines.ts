/**
 * Lines out of pieces of text, never holding more than one line of the longest length. A longer line is dropped as it comes; its length is said when
 * it ends. The last line counts without its newline, too, when nothing more comes.
 */
export interface Line {
  /** Without its end; the beginning of one that was too long. */
  text: string;
  /** Characters that were dropped. */
  dropped: number;
}

export interface LineReader {
  take(piece: string): Line[];
  /** What is left when nothing more comes. */
  rest(): Line[];
  /** Characters of the line that has begun, dropped ones included. */
  open(): number;
}

/** Of a line that is too long this much is kept, for whoever looks at the last output. */
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
