/**
 * The opening: what a participant is shown of its memory at the start. A small memory is shown whole, so that nothing has to be searched; of a
 * large one the main file, the logs of today and yesterday, and a list of the rest. What is left out is named. It is untrusted data, wrapped by
 * file, and without secrets.
 */
import type { NoteFiles, NoteStat } from "./memory-files.ts";
import { logName } from "./memory-log.ts";
import { type Place, todo } from "./memory-place.ts";
import { scrub } from "./secrets.ts";

/** Characters; a memory up to this is shown whole. */
const small = 20_000;
/** Characters of each part of a large one. */
const most = { main: 12_000, log: 4000, index: 4000, todo: 3000 };
const listed = 60;

/** `shown` is called for every file that is shown whole. */
export async function openingOf(
  place: Place,
  files: NoteFiles,
  now: number,
  shown: (name: string, text: string) => void,
): Promise<string> {
  const notes = await files.list(2000);
  const sum = notes.reduce((total, { size }) => total + size, 0);
  if (sum === 0) return "";
  const [today, yesterday] = [logName(now), logName(now, 1)];
  const parts: string[] = [];
  const put = async (name: string, bound: number, keep: "begin" | "end") => {
    const text = await files.read(name).catch(() => null);
    if (!text?.trim()) return;
    if (text.length <= bound) shown(name, text);
    parts.push(wrap(name, cut(name, scrub(text), bound, keep)));
  };
  if (notes.length < 2000 && sum <= small) {
    for (const { path } of inOrder(notes, place)) await put(path, small, "begin");
    return `This is your whole memory; there is nothing else to search.\n\n${parts.join("\n\n")}`;
  }
  await put(place.main, most.main, "begin");
  await put("memory/index.md", most.index, "begin");
  const rest = notes.filter(({ path }) => ![place.main, todo, "memory/index.md", today, yesterday].includes(path));
  if (!notes.some(({ path }) => path === "memory/index.md") && rest.length) parts.push(listing(rest));
  await put(yesterday, most.log, "end");
  await put(today, most.log, "end");
  await put(todo, most.todo, "end");
  const left = `${rest.length} more ${rest.length === 1 ? "note is" : "notes are"} not shown; search for what you need.`;
  return `This is a part of your memory. ${left}\n\n${parts.join("\n\n")}`;
}

/** Replaces an index that nobody wrote: the notes by folder, newest first. */
export function listing(notes: readonly NoteStat[]): string {
  const newest = notes.toSorted((a, b) => b.changed - a.changed || (a.path < b.path ? -1 : 1));
  const lines = newest.slice(0, listed).map(({ path, size }) => `- ${path} (${size} bytes)`);
  const more = notes.length > listed ? [`- … and ${notes.length - listed} older ones`] : [];
  return `There is no memory/index.md yet; these notes exist, the newest first:\n${[...lines, ...more].join("\n")}`;
}

/** The main file first, the daily logs last. */
const inOrder = (notes: readonly NoteStat[], { main }: Place): NoteStat[] => {
  const rank = ({ path }: NoteStat) => (path === main ? 0 : /\/\d{4}-\d{2}-\d{2}\.md$/.test(path) ? 2 : 1);
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
