/**
 * What a worker that reviews can look at and try by itself: any file of what is examined, and commands on a copy that is thrown away after each. It
 * can change nothing, and gets no further than the author could, nor than it could itself.
 */
import { z } from "zod";
import { shortenMiddle } from "../../lib/text/text.ts";
import { Problem } from "../../schema/problem.ts";
import type { ToolShape } from "../../schema/tool.ts";
import type { Call } from "../../schema/turn.ts";
import { show } from "../../tool/read-file.ts";
import { asData } from "../../toolkit/data.ts";
import type { Draft } from "../workspace/publish.ts";
import { type RunOn, ranText } from "./command-check.ts";

export interface ReviewTools {
  shapes: ToolShape[];
  /** Never throws but when the review is over. */
  use(call: Call): Promise<{ outcome: "ok" | "error"; result: string }>;
  /** What it looked at and ran, in words, each once. */
  used: ReadonlySet<string>;
}

export interface ReviewToolsOptions {
  draft: Draft;
  run: RunOn;
  /** Why the reviewer may not run commands; nothing if it may. */
  barred: string | undefined;
  signal: AbortSignal;
}

const longest = 20_000;
const mostBytes = 1_000_000;
const seconds = 300;

const ReadFile = z.object({
  path: z.string().min(1).max(1_000),
  offset: z.number().int().positive().optional().describe("First line, from 1"),
  limit: z.number().int().positive().optional().describe("How many lines"),
});
const Bash = z.object({ command: z.string().min(1).max(20_000) });

export function createReviewTools({ draft, run, barred, signal }: ReviewToolsOptions): ReviewTools {
  const used = new Set<string>();
  const shape = (name: string, about: string, input: z.ZodType): ToolShape => {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
    return { name, about, input: schema };
  };

  async function readFile({ path, ...part }: z.infer<typeof ReadFile>): Promise<string> {
    const file = await draft.stat(path);
    if (file?.kind !== "file") throw new Problem("not_found", `there is no file ${path}`);
    if (file.size > mostBytes)
      throw new Problem("limit_reached", `${path} has ${file.size} bytes; use bash to look at parts of it`);
    const { text, data } = show(path, await draft.read(path), { ...part, room: longest / 3 });
    used.add(`read ${path}`);
    return [text, data && asData(data)].filter(Boolean).join("\n");
  }

  async function bash({ command }: z.infer<typeof Bash>): Promise<string> {
    if (barred) throw new Problem("forbidden", `commands are not run: ${barred}`);
    const text = ranText(command, await run(draft, command, seconds), seconds);
    used.add(`ran ${command}`);
    return asData({ from: "the command", text: shortenMiddle(text, longest), exact: true });
  }

  const known: Record<string, (input: unknown) => Promise<string>> = {
    read_file: async (input) => readFile(ReadFile.parse(input)),
    bash: async (input) => bash(Bash.parse(input)),
  };
  return {
    used,
    shapes: [
      shape("read_file", "Read a text file of the whole that is reviewed, also one that was not changed.", ReadFile),
      ...(barred
        ? []
        : [
            shape(
              "bash",
              `Run a shell command in a fresh copy of the whole that is reviewed, for at most ${seconds} s: its tests, or whatever shows whether it works. The copy is thrown away.`,
              Bash,
            ),
          ]),
    ],
    async use({ tool, input }) {
      try {
        const act = Object.hasOwn(known, tool) ? known[tool] : undefined;
        if (!act) throw new Problem("not_offered", `there is no tool ${tool}; tools: ${Object.keys(known).join(", ")}`);
        return { outcome: "ok", result: await act(input) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof z.ZodError) return { outcome: "error", result: z.prettifyError(error) };
        if (!(error instanceof Problem)) throw error;
        return { outcome: "error", result: error.message };
      }
    },
  };
}
