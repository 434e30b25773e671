/**
 * The commands for MCP servers: what they offer, what of it was accepted, and the user's word on what changed. The daemon does it where one serves
 * the home, because it has the servers and knows what was accepted; without one it is done here.
 */

import type { AcceptedTool } from "../../api/mcp-servers.ts";
import { clean } from "../../cli/terminal/text.ts";
import { createClient } from "../../client/index.ts";
import { readConfig } from "../../home/config.ts";
import { shellLine } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import { exactLines, visibleJson } from "../../lib/text/visible.ts";
import { Problem } from "../../schema/problem.ts";
import { findDaemon } from "../daemon/find.ts";
import { handOver } from "../daemon/hand-over.ts";
import { holdHome } from "../daemon/hold-home.ts";
import { wasDiscovered } from "../home/environment.ts";
import { createMcpServers, type McpCounter } from "../house/mcp-servers.ts";
import { exit } from "./exit.ts";
import { openTerminal } from "./terminal.ts";

export async function listMcp(home: string, json: boolean): Promise<number> {
  const servers = await atCounter(home, json, ({ list }) => list());
  const code = servers.some(({ problem }) => problem !== null) ? exit.problem : exit.done;
  if (json) {
    const items = servers.map((one) => ({ ...one, waiting: one.waiting.map(({ tool, what }) => ({ tool, what })) }));
    process.stdout.write(`${visibleJson(items)}\n`);
    return code;
  }
  const terminal = openTerminal();
  const { colors } = terminal;
  if (!servers.length) terminal.say(["No MCP servers. They are named in config.yaml of the home, under mcp:"]);
  for (const { server, accepted, waiting, problem } of servers) {
    terminal.say([`${colors.bold(server)}${problem === null ? "" : `  ${colors.red(clean(problem))}`}`]);
    const others = new Map(waiting.map((one) => [one.tool, one]));
    for (const tool of new Set([...accepted, ...others.keys()])) {
      const other = others.get(tool);
      const state = other ? colors.yellow(other.what.padEnd(8)) : "accepted";
      terminal.say([`  ${state}  ${clean(tool)}`, ...(other ? inItsWords(other) : [])]);
    }
    if (waiting.length) terminal.say([`  ${colors.bold("→")} not offered until: ${shellLine(`mcp accept ${server}`)}`]);
  }
  return code;
}

export async function acceptMcp(
  home: string,
  server: string,
  tool: string | undefined,
  json: boolean,
): Promise<number> {
  const accepted = await atCounter(home, json, (counter) => counter.accept(server, tool));
  if (json) process.stdout.write(`${visibleJson({ server, accepted: accepted.map((one) => one.tool) })}\n`);
  else {
    const terminal = openTerminal();
    if (!accepted.length) terminal.say(["Nothing waits to be accepted."]);
    for (const one of accepted) terminal.say([`Accepted: ${clean(one.tool)}`, ...inItsWords(one)]);
  }
  return exit.done;
}

/** What the server says of the tool, which models will read. */
const inItsWords = ({ description, schema }: AcceptedTool): string[] =>
  [...exactLines(description), visibleJson(schema)].map((line) => `            ${line}`);

async function atCounter<T>(home: string, quiet: boolean, act: (counter: McpCounter) => Promise<T>): Promise<T> {
  if (wasDiscovered(home))
    throw new Problem(
      "forbidden",
      `${home} was found automatically and its config starts programs. To trust it: --home ${home}`,
    );
  const daemon = await findDaemon(home);
  if (daemon) {
    await handOver(home, daemon, (line) => void (quiet || process.stderr.write(`agiraph: ${line}\n`)));
    const client = createClient({ url: daemon.url, token: daemon.token });
    return await act({
      list: async () => (await client.listMcpServers()).items,
      accept: async (server, tool) =>
        (await client.acceptMcpTools({ params: { server }, body: tool === undefined ? {} : { tool } })).accepted,
    });
  }
  const held = await holdHome(home);
  const wrong: Problem[] = [];
  const servers = createMcpServers({ path: home, env: process.env, notice: (problem) => wrong.push(problem) });
  try {
    await servers.serve((await readConfig(machine.files, home)).config.mcp);
    return await act(servers);
  } finally {
    await servers.close();
    await held.release();
  }
}
