/**
 * The MCP servers of a house, which follow the config: those that it names now are there, with the variables that are set now. What is told of
 * them is the same for the command line, alone in the home or not, and for other programs.
 */
import { join } from "node:path";
import type { AcceptedTool, McpServerView } from "../../api/mcp-servers.ts";
import { programTag } from "../../home/layout.ts";
import { machine } from "../../lib/machine/index.ts";
import { connectMcp } from "../../lib/machine/mcp.ts";
import type { Config } from "../../schema/config.ts";
import type { Problem } from "../../schema/problem.ts";
import { createMcp, type Mcp, variablesIn } from "../../toolkit/mcp/mcp.ts";
import type { Tool } from "../../toolkit/tool.ts";

type Env = Record<string, string | undefined>;

/** Where people look at servers and accept what changed. */
export interface McpCounter {
  /** Starts every server and compares its tools with what was accepted. */
  list(): Promise<McpServerView[]>;
  /** Throws the Problem if there is no such server, or it does not answer. */
  accept(server: string, tool: string | undefined): Promise<AcceptedTool[]>;
}

export interface McpServers extends McpCounter {
  /** Those of the config from now on; the same ones go on. */
  serve(servers: Config["mcp"]): Promise<void>;
  tools(): Tool[];
  close(): Promise<void>;
}

/** How long a server that was never seen may take to start, and to list its tools, before we begin without it. */
const newMs = 5_000;
const lookMs = 20_000;

/** Whoever calls holds the home. */
export function createMcpServers(options: { path: string; env: Env; notice(problem: Problem): void }): McpServers {
  const { path, env, notice } = options;
  let mcp: Mcp | undefined;
  let served: string | undefined;

  async function close(): Promise<void> {
    await mcp?.close();
    // What they left behind.
    if (mcp) await machine.processes.sweep(mcpTag(path));
    mcp = undefined;
  }

  function says(server: string, tool: string) {
    const { description, schema } = mcp?.says(server, tool) ?? { description: "", schema: {} };
    return { description, schema };
  }

  return {
    async serve(servers) {
      const values = Object.values(servers).flatMap(variablesIn);
      const wanted = JSON.stringify([servers, values.map((name) => env[name])]);
      if (wanted === served) return;
      await close();
      mcp = await openMcp(path, servers, env);
      served = wanted;
      for (const problem of (await mcp.look("new", newMs)).values()) notice(problem);
    },
    tools: () => mcp?.tools() ?? [],
    async list() {
      const wrong = (await mcp?.look("all", lookMs)) ?? new Map<string, Problem>();
      const waiting = mcp?.waiting() ?? [];
      return [...(mcp?.accepted() ?? [])].map(([server, accepted]) => ({
        server,
        accepted: [...accepted],
        waiting: waiting
          .filter((one) => one.server === server)
          .map(({ tool, what }) => ({ tool, what, ...says(server, tool) })),
        problem: wrong.get(server)?.message ?? null,
      }));
    },
    async accept(server, tool) {
      const problem = (await mcp?.look({ server }, lookMs))?.get(server);
      if (problem) throw problem;
      const chosen = mcp?.waiting().filter((one) => one.server === server && (tool === undefined || one.tool === tool));
      await mcp?.accept(server, tool);
      return (chosen ?? []).map((one) => ({ tool: one.tool, ...says(server, one.tool) }));
    },
    close,
  };
}

/** What a server started is found by its tag when the server is gone. Not one of the runtime's: it sweeps those when it starts. */
const mcpTag = (path: string) => `mcp/${programTag(path)}`;

/** Ends what an earlier life left behind. */
async function openMcp(path: string, servers: Config["mcp"], env: Env): Promise<Mcp> {
  await machine.processes.sweep(mcpTag(path));
  return await createMcp({
    servers,
    connect: connectMcp,
    files: machine.files,
    clock: machine.clock,
    path: join(path, "mcp.json"),
    folder: path,
    env,
    extra: { AGIRAPH_TAG: mcpTag(path) },
  });
}
