/** The web tools on the real network seam, against servers of the test. */
import { createNetwork, type NetworkOptions } from "../../lib/machine/network.ts";
import { threads } from "../../lib/machine/threads.ts";
import { Config } from "../../schema/config.ts";
import { createWebTools } from "../../tool/web-tools.ts";
import { shownOf } from "../shown.ts";
import type { Tool, ToolContext } from "../tool.ts";

export interface Options extends NetworkOptions {
  web?: Parameters<typeof Config.shape.web.parse>[0];
  searchKey?: string;
  readMs?: number;
  signal?: AbortSignal;
}

/** The tool's result; throws what it throws. Its input is validated as in the loop. */
export function use({ web = {}, searchKey, readMs = 8_000, signal, ...options }: Options = {}) {
  const network = createNetwork(options);
  const tools = createWebTools({ network, threads, config: Config.parse({ web }).web, searchKey, readMs });
  const call = async (name: string, input: unknown): Promise<string> => {
    const tool = tools.find((one) => one.name === name) as Tool;
    const context = { signal: signal ?? new AbortController().signal } as ToolContext;
    return shownOf(await tool.run(tool.input.parse(input) as never, context));
  };
  return {
    fetch: (url: string) => call("web_fetch", { url }),
    search: (query: string) => call("web_search", { query }),
  };
}
