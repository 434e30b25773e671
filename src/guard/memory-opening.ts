/**
 * The opening: what a participant is shown of its memory at the start. A small memory is shown whole, so that nothing has to be searched; of a
 * large one the main file, notes of the core tier, the working notes that were used last, the logs of today and yesterday, and a list of others.
 * Archived notes, and working ones that have faded, are left out of both; what is left out is named. It is untrusted data, wrapped by file, and
 * without secrets.
 */
import { withTimeout } from "../lib/timeout.ts";
import type { Clock } from "../lib/world.ts";
import type { NoteRow } from "../search/notes.ts";
import { fadingOf, freshSince } from "./memory-fade.ts";
import type { NoteFiles, NoteStat } from "./memory-files.ts";
import type { NoteIndex } from "./memory-index.ts";
import { isLog, logName } from "./memory-log.ts";
import { type Place, todo } from "./memory-place.ts";
import { readNote } from "./note-head.ts";
import { scrub } from "./secrets.ts";

/** Characters; a memory up to this is shown whole. */
const small = 20_000;
/** Characters of each part of a large one. */
const most = { main: 12_000, log: 4000, index: 4000, todo: 3000, core: 8000, working: 8000 };
const listed = 60;
/** A memory of more files is known from the index alone. */
const many = 2000;
/** Notes that are looked at for the space that there is. */
const considered = 200;

export interface OpeningOptions {
  place: Place;
  files: NoteFiles;
  index: NoteIndex;
  clock: Clock;
  now: number;
  lookMs: number;
}

/** `shown` is called for every file that is shown whole. */
export async function openingOf(
  { place, files, index, clock, now, lookMs }: OpeningOptions,
  shown: (name: string, text: string) => void,
): Promise<string> {
  const known = await index.ask((all) => all.count(place.owner, freshSince(now)).files).catch(() => 0);
  const looked = index.look().catch(() => undefined);
  // A large memory takes long to check; the next opening finds what was edited by hand.
  if (known < many) await withTimeout(clock, lookMs, looked);
  const notes = known < many ? await files.list(many) : [];
  const sum = notes.reduce((total, { size }) => total + size, 0);
  if (known < many && sum === 0) return "";
  const [today, yesterday] = [logName(now), logName(now, 1)];
  const parts: string[] = [];
  const put = async (name: string, bound: number, keep: "begin" | "end"): Promise<number> => {
    const text = await files.read(name).catch(() => null);
    if (!text?.trim()) return 0;
    if (text.length <= bound) shown(name, text);
    const part = wrap(name, cut(name, scrub(text), bound, keep));
    parts.push(part);
    return part.length;
  };

  if (known < many && notes.length < many && sum <= small) {
    const left: string[] = [];
    for (const stat of inOrder(notes, place)) {
      const row = await index.ask((all) => all.file(place.owner, stat.path)).catch(() => undefined);
      const isLeft = stat.path !== place.main && stat.path !== todo && (row ? isOut(row, now) : await isArchived(stat));
      if (isLeft) left.push(stat.path);
      else await put(stat.path, small, "begin");
    }
    const all = "This is your whole memory; there is nothing else to search.";
    const some = `This is your memory without ${left.length === 1 ? "one note" : `${left.length} notes`} that you have not used for long or have put away; a search finds ${left.length === 1 ? "it" : "them"}.`;
    return [left.length ? some : all, ...parts].join("\n\n");
  }

  const special = [place.main, todo, "memory/index.md", today, yesterday];
  await put(place.main, most.main, "begin");
  const { core, working, count } = await index.ask((all) => ({
    core: all.list(place.owner, { tier: "core", limit: considered }),
    working: all.list(place.owner, { tier: "working", since: freshSince(now), limit: considered }),
    count: all.count(place.owner, freshSince(now)),
  }));
  const shownNames = new Set(special);
  const fill = async (rows: readonly NoteRow[], space: number) => {
    let room = space;
    for (const { path, size } of rows) {
      if (shownNames.has(path) || size > room) continue;
      shownNames.add(path);
      room -= await put(path, room, "begin");
    }
  };
  await fill(core, most.core);
  const indexed = await put("memory/index.md", most.index, "begin");
  // What the guard noted is one fact each; files that the participant keeps by itself are listed, and it knows their names.
  await fill(
    working.filter(({ path, subject }) => subject !== undefined && !isLog(path)),
    most.working,
  );
  const rest = working.filter(({ path }) => !shownNames.has(path));
  if (!indexed && rest.length)
    parts.push(listing(rest.map(({ path, size, fresh }) => ({ path, size, changed: fresh }))));
  await put(yesterday, most.log, "end");
  await put(today, most.log, "end");
  await put(todo, most.todo, "end");
  const existing = special.filter((name) => notes.some(({ path }) => path === name)).length;
  const total = Math.max(count.files, notes.length);
  const hidden = Math.max(0, total - existing - (shownNames.size - special.length));
  const faded = count.faded ? ` ${count.faded} of them were not used for long.` : "";
  const left = `${hidden} more ${hidden === 1 ? "note is" : "notes are"} not shown; search for what you need.${faded}`;
  return `This is a part of your memory. ${left}\n\n${parts.join("\n\n")}`;

  async function isArchived({ path }: NoteStat): Promise<boolean> {
    const text = await files.read(path).catch(() => null);
    return text !== null && readNote(text).head.tier === "archive";
  }
}

/** A note without a subject is not the guard's: it does not fade from a memory that has room for it. */
const isOut = ({ tier, subject, fresh }: NoteRow, now: number): boolean =>
  tier === "archive" || (subject !== undefined && fadingOf(tier, fresh, now) === "faded");

/** Replaces an index that nobody wrote: the notes by folder, newest first. */
export function listing(notes: readonly NoteStat[]): string {
  const newest = notes.toSorted((a, b) => b.changed - a.changed || (a.path < b.path ? -1 : 1));
  const lines = newest.slice(0, listed).map(({ path, size }) => `- ${path} (${size} bytes)`);
  const more = notes.length > listed ? [`- … and ${notes.length - listed} older ones`] : [];
  return `There is no memory/index.md yet; these notes exist, the newest first:\n${[...lines, ...more].join("\n")}`;
}

/** The main file first, the daily logs last. */
const inOrder = (notes: readonly NoteStat[], { main }: Place): NoteStat[] => {
  const rank = ({ path }: NoteStat) => (path === main ? 0 : isLog(path) ? 2 : 1);
  return notes.toSorted((a, b) => rank(a) - rank(b));
};

function cut(name: string, text: string, bound: number, keep: "begin" | "end"): string {
  if (text.length <= bound) return text;
  const said = `[… ${text.length - bound} of ${text.length} characters of ${name} are left out; read it for the rest …]`;
  return keep === "begin"
    ? `${text.slice(0, bound)}\n${said}`.toWellFormed()
    : `${said}\n${text.slice(-bound)}`.toWellFormed();
}

/** No text can close its own wrapper. */
const wrap = (name: string, text: string): string =>
  `<note path="${name.replaceAll('"', "'")}">\n${text.trimEnd().replaceAll("</note", "<\\/note")}\n</note>`;
