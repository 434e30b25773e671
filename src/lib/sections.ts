/**
 * A Markdown text in pieces that can be found and read on their own: one per heading, long ones cut between paragraphs.
 *
 * Nothing is lost but empty lines: every line that is not blank is in exactly one piece. A heading inside a code fence is no heading; one
 * with nothing below it goes with what follows.
 */
export interface Section {
  /** The headings it is under, the outermost first: `Deploy › Rollback`; empty above the first heading. */
  heading: string;
  /** With its heading line. */
  text: string;
}

/** A piece is at most about this long, unless one line is longer than that. */
const longest = 1500;
const longestHeading = 500;

export function sectionsOf(text: string): Section[] {
  const found: Section[] = [];
  const trail: string[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  let body = false;

  function close(): void {
    const heading = trail.filter(Boolean).join(" › ");
    for (const piece of cut(lines)) found.push({ heading, text: piece });
    [lines, body] = [[], false];
  }

  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && fence && mark.startsWith(fence)) fence = undefined;
    const [, hashes, title] = (!fence && /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/.exec(line.slice(0, longestHeading))) || [];
    if (hashes) {
      if (body) close();
      trail.length = hashes.length - 1;
      trail[hashes.length - 1] = title!;
    } else if (line.trim()) body = true;
    lines.push(line);
  }
  close();
  return found;
}

/** Cut at empty lines where possible, otherwise between lines. */
function cut(lines: readonly string[]): string[] {
  const pieces: string[] = [];
  let [piece, gap] = ["", -1];
  for (const line of lines) {
    if (!piece && !line.trim()) continue; // a piece begins with something
    if (piece && piece.length + line.length > longest) {
      const end = gap > 0 ? gap : piece.length;
      pieces.push(piece.slice(0, end));
      [piece, gap] = [piece.slice(end).replace(/^\s*\n/, ""), -1];
    }
    if (!line.trim() && piece.length > longest / 3) gap = piece.length;
    piece += `${line}\n`;
  }
  return [...pieces, piece].map((one) => one.trimEnd()).filter(Boolean);
}
