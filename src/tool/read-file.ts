import { z } from "zod";
import { charactersWithin } from "../lib/text/tokens.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool, type Result } from "../toolkit/tool.ts";

const mostCharacters = 50_000;

export const readFile = defineTool({
  name: "read_file",
  about: "Read a text file: of your scratch, or a published or shared one.",
  guidance:
    "Relative paths are your scratch. Also readable: published/NODE/FILE, documents/…, _plan.md, your _spec.md, skills/NAME/…. " +
    "Read the file rather than trust its summary. Of long files read parts with offset and limit (lines).",
  effect: "reads",
  repeatable: true,
  offer: { always: "everyone", words: "open, cat, view" },
  input: z.object({
    path: z.string().min(1).max(300),
    offset: z.number().int().positive().optional().describe("First line, from 1"),
    limit: z.number().int().positive().optional().describe("How many lines"),
    column: z.number().int().positive().optional().describe("First character of the first line, from 1"),
  }),
  run: async ({ path, ...part }, { files, room }) => show(path, await files.read(path), { ...part, room }),
});

interface Part {
  offset?: number | undefined;
  limit?: number | undefined;
  column?: number | undefined;
  /** In tokens; longer content is shown in parts. */
  room?: number | undefined;
  /** The tool that reads the next part, if it is another one. */
  by?: string;
}

/** A file's content for a model: all of it, or a part and how to get the next. */
export function show(path: string, content: Buffer, part: Part = {}): Result {
  const { offset = 1, limit = Number.POSITIVE_INFINITY, column = 1, room = Number.POSITIVE_INFINITY, by = "" } = part;
  const text = textOf(content);
  if (text === null)
    return { text: `${path} is binary (${content.length} bytes) and cannot be shown as text; use bash to look at it.` };
  if (text === "") return { text: `${path} is empty.` };
  const from = `the file ${path}`;
  const outside = strangerOf(path);
  const whole = offset === 1 && column === 1 && limit === Number.POSITIVE_INFINITY;
  if (whole && text.length <= mostCharacters && charactersWithin(text, room) === text.length)
    return { text: "", data: { from, text, exact: true, outside } };
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (offset > lines.length)
    throw new Problem("invalid", `${path} has ${lines.length} lines; line ${offset} is not there`);
  const wanted = lines.slice(offset - 1, offset - 1 + limit);
  if (column > 1 && column > wanted[0]!.length)
    throw new Problem("invalid", `line ${offset} of ${path} has ${wanted[0]!.length} characters`);
  wanted[0] = wanted[0]!.slice(column - 1);
  const most = Math.max(1, charactersWithin(wanted.join("\n").slice(0, mostCharacters), room));
  const shown: string[] = [];
  let left = most;
  for (const line of wanted) {
    if (line.length > left) break;
    left -= line.length + 1;
    shown.push(line);
  }
  const where = (line: number, more = "") => `; go on with ${by}offset ${line}${more}`;
  if (!shown.length) {
    // One line that is longer than the room: a part of it.
    const rest = column + most;
    const told = `[line ${offset} of ${lines.length}, characters ${column} to ${rest - 1}${where(offset, ` and column ${rest}`)}]`;
    return { text: told, data: { from, text: wanted[0]!.slice(0, most), exact: true, outside } };
  }
  const last = offset + shown.length - 1;
  const next = last < lines.length ? where(last + 1) : "";
  const told = `[lines ${offset} to ${last} of ${lines.length}${next}]`;
  return { text: told, data: { from, text: shown.join("\n"), exact: true, outside } };
}

/** Who may have written the file, if not this agent: the project folder, and files that people gave. */
export const strangerOf = (path: string): string | undefined =>
  /^(\.\/)?(project|_resources)(\/|$)/.test(path) ? path.replace(/^\.\//, "") : undefined;

/** Null if these bytes are not text. */
export function textOf(content: Buffer): string | null {
  if (content.subarray(0, 8_192).includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return null;
  }
}
