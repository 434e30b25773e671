/**
 * Finds and reads lines in a log file. Read-only.
 *
 * Always holds: every event returned had a valid checksum and the seq after its predecessor's. A line that fails this is reported with its file and
 * offset, and nothing after it is read. Lines are sorted by seq, so one is found by binary search; the search trusts what it sees, the line it ends
 * at is verified.
 */
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import { decode } from "./log-line.ts";

export interface Source {
  path: string;
  /** Up to `length` bytes from `offset`; shorter only at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** One line with its newline, if it has one: `bytes` are the file's from `start` to `end`. */
export interface Line {
  start: number;
  end: number;
  bytes: Buffer;
}

const newline = 0x0a;
const window = 16 * 1024;
const near = 4 * 1024;
const chunk = 1024 * 1024;
/** Events per batch: few enough to be collected while young. */
const batch = 256;
/** No event comes near this; a longer "line" is damage, and reading it would exhaust memory. */
const longest = 256 * 1024 * 1024;

/** Events from `offset`, where the line after `seq` begins, up to `end`, where a line ends. */
export async function* scan(
  source: Source,
  { offset, seq, end }: { offset: number; seq: number; end: number },
): AsyncGenerator<Event[]> {
  const read = (from: number) => source.read(from, Math.min(length, end - from));
  let length = chunk;
  if (offset >= end) return;
  let reading = read(offset);
  while (offset < end) {
    const bytes = await reading;
    const stop = bytes.lastIndexOf(newline) + 1;
    if (stop === 0) {
      if (bytes.length < length || length > longest) throw corrupt(source.path, offset, "it has no end");
      length *= 2;
      reading = read(offset);
      continue;
    }
    length = chunk;
    const next = offset + stop;
    if (next < end) reading = read(next); // read ahead while we decode
    reading.catch(() => undefined); // a caller that stops here never awaits it; one that continues gets the error above
    for (let start = 0; start < stop; ) {
      const events: Event[] = [];
      while (start < stop && events.length < batch) {
        const lineEnd = bytes.indexOf(newline, start);
        events.push(decodeAt(source.path, offset + start, bytes, start, lineEnd, ++seq));
        start = lineEnd + 1;
      }
      yield events;
    }
    offset = next;
  }
}

/** The line of `seq`, which must be in [0, end). When it is not found the file is damaged: `log_corrupt` says where. */
export async function find(source: Source, seq: number, end: number): Promise<Line> {
  let low = 0; // a line begins here, and its seq is not above the wanted one
  let high = end; // every line that begins here or later has a seq above the wanted one
  while (high - low > near) {
    const middle = low + Math.floor((high - low) / 2);
    const start = await nextStart(source, middle, high);
    if (start !== null && seqOf(source.path, start, await source.read(start, 32)) <= seq) low = start;
    else high = middle;
  }
  while (low < end) {
    const line = await lineFrom(source, low, end);
    const found = seqOf(source.path, low, line.bytes);
    if (found === seq) {
      eventOf(source.path, line, seq);
      return line;
    }
    if (found > seq) break;
    low = line.end;
  }
  for await (const _ of scan(source, { offset: 0, seq: 0, end }));
  throw corrupt(source.path, low, `event ${seq} is due there`);
}

/** The line that begins at `start`; without a newline before `end`, everything up to `end`. */
export async function lineFrom(source: Source, start: number, end: number): Promise<Line> {
  for (let length = window; ; length *= 2) {
    const bytes = await source.read(start, Math.min(length, end - start));
    const stop = bytes.indexOf(newline) + 1;
    if (stop > 0) return { start, end: start + stop, bytes: bytes.subarray(0, stop) };
    if (bytes.length < length || length > longest) return { start, end: start + bytes.length, bytes };
  }
}

/** The line that ends at `end`, with or without a newline. `end` must be above 0. */
export async function lineBefore(source: Source, end: number): Promise<Line> {
  for (let length = window; ; length *= 2) {
    const from = Math.max(0, end - length);
    const bytes = await source.read(from, end - from);
    const start = bytes.length < 2 ? 0 : bytes.lastIndexOf(newline, bytes.length - 2) + 1;
    if (start > 0 || from === 0) return { start: from + start, end, bytes: bytes.subarray(start) };
  }
}

/** Decodes a complete line; with `seq`, it must be that event. Throws `log_corrupt` with file and offset. */
export function eventOf(path: string, { start, bytes }: Line, seq?: number): Event {
  if (bytes.at(-1) !== newline) throw corrupt(path, start, "it has no end");
  return decodeAt(path, start, bytes, 0, bytes.length - 1, seq);
}

export function corrupt(path: string, offset: number, why: string): Problem {
  return new Problem(
    "log_corrupt",
    `${path} is damaged at byte ${offset}: the line there is bad (${why}); nothing was changed, restore the file from a backup`,
    { path, offset },
  );
}

function decodeAt(path: string, at: number, bytes: Buffer, start: number, end: number, seq?: number): Event {
  let event: Event;
  try {
    event = decode(bytes, start, end);
  } catch (error) {
    if (error instanceof Problem && error.code === "log_corrupt") throw corrupt(path, at, error.message);
    throw error;
  }
  if (seq !== undefined && event.seq !== seq) throw corrupt(path, at, `its seq is ${event.seq} where ${seq} is due`);
  return event;
}

/** Where the first line begins after `from`, if that is before `to`. */
async function nextStart(source: Source, from: number, to: number): Promise<number | null> {
  for (let at = from; at < to; at += window) {
    const bytes = await source.read(at, Math.min(window, to - at));
    const found = bytes.indexOf(newline);
    if (found >= 0) return at + found + 1 < to ? at + found + 1 : null;
    if (bytes.length === 0) return null;
  }
  return null;
}

function seqOf(path: string, start: number, bytes: Buffer): number {
  const found = /^\{"seq":(\d{1,16}),/.exec(bytes.toString("latin1", 0, 32));
  if (!found) throw corrupt(path, start, "it does not begin with a seq");
  return Number(found[1]);
}
