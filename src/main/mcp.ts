/** The commands for MCP servers: what they offer, what of it was accepted, and the user's word on what changed. */
import { clean } from "../cli/text.ts";
import { machine } from "../lib/machine/index.ts";
import { exactLines, visibleJson } from "../lib/visible.ts";
import { Problem } from "../schema/problem.ts";
import { readConfig } from "../store/config.ts";
import type { Mcp } from "../tool/mcp.ts";
import { wasComeUpon } from "./environment.ts";
import { exit } from "./exit.ts";
import { holdHome } from "./hold-home.ts";
import { closeMcp, openMcp } from "./house.ts";
import { openTerminal } from "./terminal.ts";

const lookMs = 20_000;

export async function listMcp(home: string, json: boolean): Promise<number> {
  return withMcp(home, async (mcp) => {
    const terminal = openTerminal();
    const { colors } = terminal;
    const wrong = await mcp.look("all", lookMs);
    const waiting = mcp.waiting();
    const servers = mcp.accepted();
    if (json) {
      const items = [...servers].map(([server, accepted]) => ({
        server,
        accepted,
        waiting: waiting.filter((one) => one.server === server).map(({ tool, what }) => ({ tool, what })),
        problem: wrong.get(server)?.message ?? null,
      }));
      process.stdout.write(`${visibleJson(items)}\n`);
      return wrong.size ? exit.problem : exit.done;
    }
    if (!servers.size) terminal.say(["No MCP servers. They are named in config.yaml of the home, under mcp:"]);
    for (const [server, tools] of servers) {
      const problem = wrong.get(server);
      terminal.say([`${colors.bold(server)}${problem ? `  ${colors.red(clean(problem.message))}` : ""}`]);
      const states = new Map(tools.map((tool) => [tool, "accepted"]));
      for (const { tool, what } of waiting.filter((one) => one.server === server)) states.set(tool, what);
      for (const [tool, state] of states)
        terminal.say([
          `  ${state === "accepted" ? state : colors.yellow(state.padEnd(8))}  ${clean(tool)}`,
          ...(state === "accepted" ? [] : said(mcp, server, tool)),
        ]);
      if (waiting.some((one) => one.server === server))
        terminal.say([`  ${colors.bold("→")} not offered until: agiraph mcp accept ${server}`]);
    }
    return wrong.size ? exit.problem : exit.done;
  });
}

export async function acceptMcp(home: string, server: string, tool: string | undefined): Promise<number> {
  return withMcp(home, async (mcp) => {
    const problem = (await mcp.look({ server }, lookMs)).get(server);
    if (problem) throw problem;
    const chosen = mcp.waiting().filter((one) => one.server === server && (tool === undefined || one.tool === tool));
    await mcp.accept(server, tool);
    const terminal = openTerminal();
    if (!chosen.length) terminal.say(["Nothing waits to be accepted."]);
    for (const one of chosen) terminal.say([`Accepted: ${clean(one.tool)}`, ...said(mcp, server, one.tool)]);
    return exit.done;
  });
}

/** What the server says of the tool, which models will read. */
function said(mcp: Mcp, server: string, tool: string): string[] {
  const { description, schema } = mcp.says(server, tool) ?? { description: "", schema: {} };
  return [...exactLines(description), visibleJson(schema)].map((line) => `            ${line}`);
}

/** Alone in the home: whoever else has it open knows what was accepted and would write it back. */
async function withMcp(home: string, act: (mcp: Mcp) => Promise<number>): Promise<number> {
  if (wasComeUpon(home))
    throw new Problem("forbidden", `nobody named ${home}, and its config starts programs; name it: --home ${home}`);
  const { files } = machine;
  const held = await holdHome(home);
  try {
    const { config } = await readConfig(files, home);
    const mcp = await openMcp(home, config.mcp, process.env);
    return await act(mcp).finally(() => closeMcp(home, mcp));
  } finally {
    await held.release();
  }
}
