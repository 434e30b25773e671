/**
 * The head of a note: lines such as `tier: core` between two lines `---` at the top of its file (YAML front matter), and what a superseded fact
 * leaves behind at its end.
 *
 * A file without a head, or with one that says something else, is a note as any other: unknown lines are kept and ignored, a wrong value counts as
 * missing. The head is what the file says; the index only repeats it.
 */
import { NoteHead, Tier, Visibility } from "../schema/note.ts";

export interface Note {
  head: NoteHead;
  /** The text below the head. */
  body: string;
}

const fence = /^---[ \t]*\r?\n((?:[^\n]*\n){0,40}?)---[ \t]*(?:\r?\n|$)/;

/** `key: value`; nothing if it is not one. */
function pairIn(line: string): [key: string, value: string] | undefined {
  const at = line.indexOf(":");
  const key = line.slice(0, Math.max(0, at));
  return /^[a-z]{1,20}$/.test(key) ? [key, line.slice(at + 1).trim()] : undefined;
}

export function readNote(text: string, main = false): Note {
  const found = fence.exec(text.slice(0, 10_000));
  const said = new Map<string, string>();
  for (const each of found?.[1]?.split(/\r?\n/) ?? []) {
    const [key, value] = pairIn(each) ?? [];
    if (key && value) said.set(key, value);
  }
  const { subject, source, noted, origin } = NoteHead.shape;
  const head: NoteHead = {
    tier: Tier.safeParse(said.get("tier")).data ?? (main ? "core" : "working"),
    visibility: Visibility.safeParse(said.get("visibility")).data ?? "private",
  };
  const known = { subject, source, noted, origin };
  for (const key of ["subject", "source", "noted", "origin"] as const) {
    const value = known[key].safeParse(said.get(key)).data;
    if (value !== undefined) head[key] = value;
  }
  return { head, body: found ? text.slice(found[0].length) : text };
}

/** The note with these values in its head; lines that are not ours stay. */
export function writeNote(head: Partial<NoteHead>, body: string, before = ""): string {
  const given = Object.entries(head).flatMap(([key, value]) => (value ? [`${key}: ${oneLine(value)}`] : []));
  const kept = (fence.exec(before)?.[1] ?? "")
    .split(/\r?\n/)
    .filter((each) => each.trim() && !((pairIn(each)?.[0] ?? "") in NoteHead.shape));
  return `---\n${[...given, ...kept].join("\n")}\n---\n${body.replace(/^\s*\n/, "")}`;
}

/** The note as a run writes it that has read what strangers wrote: it says so, is never of the core tier, and for nobody else. */
export function markNote(text: string, origin: string): string {
  const { head, body } = readNote(text);
  const tier = head.tier === "core" ? "working" : head.tier;
  return writeNote({ ...head, tier, visibility: "private", origin: origin.slice(0, 500).toWellFormed() }, body, text);
}

/** The note without its origin: a person vouches for it. */
export function trustNote(text: string): string {
  const { head, body } = readNote(text);
  if (head.origin === undefined) return text;
  const { origin: _, ...rest } = head;
  return writeNote(rest, body, text);
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const mark = "\nEarlier:\n";

/** What a note says now, and what it said before, newest first. */
export function splitPast(body: string): { now: string; earlier: string[] } {
  const at = body.lastIndexOf(mark);
  const lines =
    at < 0
      ? []
      : body
          .slice(at + mark.length)
          .trimEnd()
          .split("\n");
  if (!lines.length || !lines.every((line) => line.startsWith("- "))) return { now: body, earlier: [] };
  return { now: body.slice(0, at), earlier: lines.map((line) => line.slice(2)) };
}

/** At most this many stay in the file; all of them stay in its history. */
const mostEarlier = 20;

export const withPast = (now: string, earlier: readonly string[]): string =>
  earlier.length
    ? `${now.trimEnd()}\n\nEarlier:\n${earlier
        .slice(0, mostEarlier)
        .map((each) => `- ${oneLine(each)}\n`)
        .join("")}`
    : `${now.trimEnd()}\n`;
