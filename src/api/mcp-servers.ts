/** The MCP servers that the config names: which of their tools are used, and the human's word on those that are new or changed. */
import { z } from "zod";
import { route } from "./route.ts";

const said = {
  tool: z.string().describe("The server's name for it"),
  description: z.string().describe("The server's own description, which models will read"),
  schema: z.record(z.string(), z.unknown()),
};

export const AcceptedTool = z.object(said);
export type AcceptedTool = z.infer<typeof AcceptedTool>;

export const McpServerView = z.object({
  server: z.string(),
  accepted: z.array(z.string()).describe("Accepted tools"),
  waiting: z
    .array(z.object({ ...said, what: z.enum(["new", "changed"]) }))
    .describe("Tools that are not offered until they are accepted"),
  problem: z.string().nullable().describe("Why it could not be reached"),
});
export type McpServerView = z.infer<typeof McpServerView>;

const params = z.object({ server: z.string().min(1).max(100) });

export const mcpServerRoutes = {
  listMcpServers: route({
    method: "GET",
    path: "/mcp-servers",
    tag: "daemon",
    summary: "List the MCP servers of the config, with accepted, new and changed tools",
    about: "Starts servers that are not running, and reloads config.yaml if it changed.",
    ok: 200,
    answer: z.object({ items: z.array(McpServerView) }),
  }),
  acceptMcpTools: route({
    method: "POST",
    path: "/mcp-servers/{server}/accept",
    tag: "daemon",
    summary: "Accept the new and changed tools of a server, or one of them",
    params,
    body: z.object({ tool: z.string().min(1).max(1000).optional() }),
    ok: 200,
    answer: z.object({ accepted: z.array(AcceptedTool) }),
    errors: ["not_found", "unreachable", "not_offered"],
  }),
};
