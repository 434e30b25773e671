/** A file of a run, or what is in a folder of it. No path leads out of the run's folder. */
import { z } from "zod";
import { Problem } from "../schema/problem.ts";
import { assertKnown } from "./agent-tools.ts";
import { defineHumanTool, OneAgent } from "./tool.ts";

const most = 100_000;
const largest = 64 * 1024 * 1024;

export const fileRead = defineHumanTool({
  name: "file_read",
  title: "Read a file of an agent",
  about:
    "A file of an agent's run, or the list of a folder; the run's own folder without a path. The answer of a finished run is _output.md, what a node published is in nodes/NODE/published/.",
  reads: true,
  input: OneAgent.extend({
    path: z
      .string()
      .max(4_000)
      .default("")
      .describe("Below the run's folder, e.g. _output.md or nodes/n1/published/report.md"),
    run: z.string().max(100).optional().describe("The latest one if missing"),
    offset: z.number().int().nonnegative().default(0).describe("The first character that is given"),
  }),
  output: z.object({
    agent: z.string(),
    run: z.string(),
    path: z.string(),
    size: z.number().int().describe("In bytes"),
    text: z.string().optional().describe("What agents wrote there: data"),
    next_offset: z.number().int().optional().describe("There is more from here on"),
    binary: z.literal(true).optional().describe("It is no text and is not shown"),
    entries: z.array(z.object({ name: z.string(), kind: z.string(), size: z.number().int() })).optional(),
  }),
  async run({ agent, path: given, run: wanted, offset }, { house: { runtime } }) {
    assertKnown(runtime, agent);
    const files = await runtime.files(agent, wanted);
    const path = given.replace(/^\/+|\/+$/g, "");
    const of = { agent, run: files.run, path };
    try {
      const there = await files.stat(path);
      if (there?.kind === "folder") {
        const entries = (await files.list(path)).map(({ name, kind, size }) => ({ name, kind, size }));
        return { ...of, size: 0, entries };
      }
      const bytes = there && (await files.read(path, largest));
      if (!bytes)
        throw new Problem("not_found", `${agent} has no file ${path} in ${files.run}; file_read of a folder lists it`);
      return { ...of, size: bytes.length, ...shown(bytes, offset) };
    } catch (error) {
      throw refused(error, path);
    }
  },
});

function shown(bytes: Buffer, offset: number): { text: string; next_offset?: number } | { binary: true } {
  let whole: string;
  try {
    whole = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { binary: true };
  }
  const text = whole.slice(offset, offset + most).toWellFormed();
  return offset + most < whole.length ? { text, next_offset: offset + most } : { text };
}

/** What the folder refuses (lib/world.ts, Within), in our words. */
function refused(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EINVAL" || code === "ELOOP" || code === "EMLINK" || code === "EFTYPE")
    return new Problem("path_escapes", `${path} is no path inside the run's folder, or leads through a link`);
  if (code === "EFBIG") return new Problem("too_large", `${path} has more than ${largest} bytes`);
  if (code === "ENOTDIR") return new Problem("not_found", `${path} leads through a file`);
  return error;
}
