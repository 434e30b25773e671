/** The configured MCP servers over HTTP. */
import type { mcpServerRoutes } from "../../api/mcp-servers.ts";
import { Problem } from "../../schema/problem.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";

export const mcpServerHandlers = ({ mcpServers }: Served): Handlers<typeof mcpServerRoutes> => ({
  listMcpServers: async () => ({ items: (await mcpServers?.list()) ?? [] }),
  async acceptMcpTools({ params: { server }, body: { tool } }) {
    if (!mcpServers) throw new Problem("not_found", `there is no MCP server ${server}`);
    return { accepted: await mcpServers.accept(server, tool) };
  },
});
