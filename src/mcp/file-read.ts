/** A file of a run, or what is in a folder of it. No path leads out of the run's folder. */

import { z } from "zod";
import { withoutSlashes } from "../lib/steps.ts";
import { assertKnown } from "./agent-tools.ts";
import { defineHumanTool, OneAgent } from "./tool.ts";

const most = 100_000;

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
    const path = withoutSlashes(given);
    const { files } = await runtime.reading(agent);
    const found = await files.look({ of: "workspace", run: wanted }, path);
    const of = { agent, run: wanted ?? (await runtime.read(agent, ({ run }) => run!.id)), path };
    if (found.kind === "file") return { ...of, size: found.content.length, ...shown(found.content, offset) };
    return { ...of, size: 0, entries: found.entries.map(({ name, kind, size }) => ({ name, kind, size })) };
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
