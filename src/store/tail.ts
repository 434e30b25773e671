/**
 * The end of a log file, as opening finds it.
 *
 * A crash can leave the last line half written (a torn write), or whole without those that were appended together with it. Neither was ever
 * acknowledged, so both are a torn tail, to be truncated. Only the last line
 * may be bad: if the line before it is bad too, or the last one holds a complete record whose newline was damaged, or the first line is bad, then
 * the file is corrupt and is refused unchanged. A log of a newer version is refused before anything else, since its lines may only look torn to us.
 *
 * Not here: the truncation (log.ts), the lines between the first and the last two (verified when they are read, scan.ts).
 */
import { Problem } from "../schema/problem.ts";
import { hasMore, sealLengths } from "./checksum.ts";
import { decode } from "./log-line.ts";
import { corrupt, eventOf, type Line, lineBefore, lineFrom, type Source } from "./scan.ts";

export interface Tail {
  /** The last whole event's seq, 0 if there is none. */
  seq: number;
  /** Where that event's line ends. */
  end: number;
  /** The bytes after it. */
  torn: Buffer;
}

export async function readTail(source: Source, size: number): Promise<Tail> {
  if (size === 0) return { seq: 0, end: 0, torn: Buffer.alloc(0) };
  const first = await lineFrom(source, 0, size);
  if (first.end < size) eventOf(source.path, first, 1);
  const last = await lineBefore(source, size);
  const isWhole = seqIfWhole(source.path, last) !== null;
  if (!isWhole && holdsWholeRecord(last.bytes))
    throw corrupt(source.path, last.start, "it does not end where its checksum is");
  const { seq, end } = await lastWhole(source, isWhole ? size : last.start);
  return { seq, end, torn: end === size ? Buffer.alloc(0) : await source.read(end, size - end) };
}

/** The last event before `end` that was appended with all that belongs to it. */
async function lastWhole(source: Source, end: number): Promise<{ seq: number; end: number }> {
  if (end === 0) return { seq: 0, end };
  const line = await lineBefore(source, end);
  const { seq } = eventOf(source.path, line);
  return hasMore(line.bytes, line.bytes.length - 1) ? await lastWhole(source, line.start) : { seq, end };
}

function seqIfWhole(path: string, line: Line): number | null {
  try {
    return eventOf(path, line).seq;
  } catch (error) {
    if (error instanceof Problem && error.code === "log_corrupt") return null;
    throw error;
  }
}

/**
 * After a complete record, a torn line has nothing but the zeros of a page that did not reach the disk. Anything else there means that the newline
 * between two records was damaged: truncating would lose the first one, which is not the last line.
 */
function holdsWholeRecord(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(',"sum":"'); at >= 0; at = bytes.indexOf(',"sum":"', at + 1)) {
    for (const length of sealLengths) {
      const end = at + length;
      if (end + 1 >= bytes.length || bytes[end] === 0) continue;
      try {
        decode(bytes, 0, end);
        return true;
      } catch {
        // Not a record that ends here; the next occurrence may be.
      }
    }
  }
  return false;
}
