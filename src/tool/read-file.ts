import { z } from "zod";
import { Problem } from "../schema/problem.ts";
import { defineTool, type Result } from "./tool.ts";

const mostCharacters = 50_000;

export const readFile = defineTool({
  name: "read_file",
  about: "Read a text file: of your scratch, or a published or shared one.",
  guidance:
    "Relative paths are your scratch. Also readable: published/NODE/FILE of every node that has published, documents/…, _plan.md, your _spec.md, skills/NAME/…. " +
    "Read what others published instead of doing it again, and read the file rather than trust its summary. " +
    "At most 50,000 characters are shown; of longer files read parts with offset and limit (lines). For a ref of your node use read_ref.",
  effect: "reads",
  repeatable: true,
  input: z.object({
    path: z.string().min(1).max(300),
    offset: z.number().int().positive().optional().describe("First line, from 1"),
    limit: z.number().int().positive().optional().describe("How many lines"),
  }),
  run: async ({ path, offset, limit }, { files }) => show(path, await files.read(path), offset, limit),
});

/** A file's content for a model: all of it, or a part and how to get the next. */
export function show(path: string, content: Buffer, offset = 1, limit = Number.POSITIVE_INFINITY): Result {
  const text = textOf(content);
  if (text === null)
    return { text: `${path} is binary (${content.length} bytes) and cannot be shown as text; use bash to look at it.` };
  if (text === "") return { text: `${path} is empty.` };
  const from = `the file ${path}`;
  const outside = strangerOf(path);
  if (offset === 1 && limit === Number.POSITIVE_INFINITY && text.length <= mostCharacters)
    return { text: "", data: { from, text, exact: true, outside } };
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (offset > lines.length)
    throw new Problem("invalid", `${path} has ${lines.length} lines; line ${offset} is not there`);
  const shown: string[] = [];
  let room = mostCharacters;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    if (line.length + 1 > room) {
      if (!shown.length)
        shown.push(`${line.slice(0, room)}[… ${line.length - room} characters of this line are left out]`);
      break;
    }
    room -= line.length + 1;
    shown.push(line);
  }
  const last = offset + shown.length - 1;
  const next = last < lines.length ? `; go on with offset ${last + 1}` : "";
  const part = `[lines ${offset} to ${last} of ${lines.length}${next}]`;
  return { text: part, data: { from, text: shown.join("\n"), exact: true, outside } };
}

/** Who may have written what lies there, if not somebody of this agent: the folder that it was given, and files that people gave. */
export const strangerOf = (path: string): string | undefined =>
  /^(\.\/)?(project|_resources)(\/|$)/.test(path) ? path.replace(/^\.\//, "") : undefined;

/** Null if these bytes are no text. */
export function textOf(content: Buffer): string | null {
  if (content.subarray(0, 8_192).includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return null;
  }
}
