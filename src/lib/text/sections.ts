/**
 * Splits a Markdown text into chunks that can be found and read on their own: one per heading, long ones split between paragraphs.
 *
 * Nothing is lost but empty lines: every line that is not blank is in exactly one chunk. A heading inside a code fence is not a heading; one with
 * nothing below it goes with what follows.
 */
export interface Section {
  /** Its headings, outermost first: `Deploy › Rollback`; empty above the first heading. */
  heading: string;
  /** With its heading line. */
  text: string;
}

/** A chunk is at most about this long, unless one line is longer. */
const longest = 1500;
const longestHeading = 500;
/** With more headings than these it is split by length alone: each chunk has a cost. */
const mostHeadings = 500;

export function sectionsOf(text: string): Section[] {
  const found: Section[] = [];
  const trail: string[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  let body = false;
  let headings = 0;

  function close(): void {
    const heading = trail.filter(Boolean).join(" › ").slice(0, longestHeading).toWellFormed();
    for (const piece of cut(lines)) found.push({ heading, text: piece });
    [lines, body] = [[], false];
  }

  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && fence && mark.startsWith(fence)) fence = undefined;
    const heading = fence ? undefined : headingOf(line.slice(0, longestHeading));
    if (heading && headings++ < mostHeadings) {
      if (body) close();
      trail.length = heading.level - 1;
      trail[heading.level - 1] = heading.title;
    } else if (line.trim()) body = true;
    lines.push(line);
  }
  close();
  return found;
}

/** `## Title ##`. Step by step: a regular expression for the optional end would backtrack at every blank of the title. */
function headingOf(line: string): { level: number; title: string } | undefined {
  const opening = /^ {0,3}(#{1,6})(?=\s)/.exec(line);
  if (!opening) return undefined;
  let end = line.length;
  while (line[end - 1] === "#") end--;
  return { level: opening[1]!.length, title: line.slice(opening[0].length, end).trim() };
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
