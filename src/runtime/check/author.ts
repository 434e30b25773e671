/**
 * What the author of a result could do by itself, and so its checks may do for it: run a command as `bash` would, fetch an address as `web_fetch`
 * would. A check never gets further than its author: where the policy forbids the tool, or wants the human asked, the check is not done.
 */
import { join } from "node:path";
import type { World } from "../../lib/world.ts";
import { judgeFor, mayCall } from "../../loop/features/policy.ts";
import type { ParticipantContext } from "../../loop/participant-context.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Tool, ToolContext } from "../../toolkit/tool.ts";
import type { RunOn } from "./command-check.ts";

export interface AuthorOptions extends Pick<ParticipantContext, "me" | "state" | "policy" | "taint"> {
  world: World;
  /** The folder of the node or the run. */
  root: string;
  tools: readonly Tool[];
  /** As `bash` runs it, in this folder. */
  /** The tools that this participant may use. */
  granted(one: Thinker): readonly Tool[];
  runIn(
    where: { folder: string; output: number },
    ...given: Parameters<ToolContext["run"]>
  ): ReturnType<ToolContext["run"]>;
  context: ToolContext;
}

export interface Author {
  run: RunOn;
  /** Why it may not fetch this address by itself; nothing if it may. */
  may(url: string): string | undefined;
  /** Why this worker, who reviews, may not run commands; nothing if it may. */
  barred(worker: string): string | undefined;
  /** Removes what a crash may have left of a check. */
  clear(): Promise<void>;
  /** Strangers whose text may be in the output of what was run. */
  sources: Set<string>;
}

export function createAuthor(options: AuthorOptions): Author {
  const { tools, context, world, root } = options;
  const toolNamed = (name: string) => tools.find((tool) => tool.name === name);

  /** Why it may not do this by itself, without asking anyone. */
  function refusal(tool: Tool, input: unknown): string | undefined {
    const verdict = mayCall(options, tool, "", { id: "check", input });
    if (verdict.do === "allow") return undefined;
    return verdict.do === "deny" ? verdict.why : `the human would have to be asked: ${verdict.why}`;
  }

  const folder = join(root, "checking");
  const sources = new Set<string>();
  return {
    sources,
    clear: () => world.files.remove(folder),
    may(url) {
      const tool = toolNamed("web_fetch");
      return tool ? refusal(tool, { url }) : "this agent has no web_fetch";
    },
    barred(worker) {
      const one = options.state().participants.get(worker);
      const tool = toolNamed("bash");
      if (!one || one.kind === "human" || !tool || !options.granted(one).includes(tool)) return `${worker} has no bash`;
      const verdict = judgeFor(options.state(), options.policy, tool, one);
      return verdict.do === "allow" ? undefined : verdict.why;
    },
    async run(draft, command, seconds) {
      const tool = toolNamed("bash");
      if (!tool) throw new Problem("not_offered", "it needs bash, and this agent has none");
      const refused = refusal(tool, { command });
      if (refused) throw new Problem("forbidden", `it needs bash, and ${refused}`);
      await world.files.remove(folder);
      await draft.lay(folder);
      await world.point?.("check.laid");
      let exit: Awaited<ReturnType<RunOn>> | undefined;
      const run: ToolContext["run"] = async (...given) => {
        const ran = await options.runIn({ folder, output: mostOutput }, ...given);
        exit = ran;
        return ran;
      };
      const inFolder: ToolContext = Object.create(context, { run: { value: run } });
      try {
        const result = await tool.run({ command, timeout: seconds } as never, inFolder);
        if (typeof result !== "string" && result.data?.outside !== undefined) sources.add(result.data.outside);
      } finally {
        await world.files.remove(folder).catch(() => undefined); // the next check would; there may be none
      }
      if (!exit) throw new Problem("not_offered", "bash did not run it");
      return exit;
    },
  };
}

const mostOutput = 100_000;
