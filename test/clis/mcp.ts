/** An MCP server on loopback with one tool, `send_message`, for whoever has the secret. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { bodyOf } from "./body.ts";

export interface FakeMcp {
  port: number;
  url: string;
  secret: string;
  /** What was sent, in order. */
  messages: { to: string; text: string }[];
  /** How often its tools were asked for. */
  listings: number;
  /** Requests without the secret. */
  refused: number;
  close(): Promise<void>;
}

const tool = {
  name: "send_message",
  description: "Sends a message to someone of the team.",
  inputSchema: {
    type: "object",
    properties: { to: { type: "string" }, text: { type: "string" } },
    required: ["to", "text"],
  },
};

export async function startMcp(): Promise<FakeMcp> {
  const mcp = { secret: "worker-secret-8a61", messages: [] as FakeMcp["messages"], listings: 0, refused: 0 };
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (body === undefined) return;
    if (request.headers.authorization !== `Bearer ${mcp.secret}`) {
      mcp.refused++;
      return response.writeHead(401).end();
    }
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    const answer = reply(method, params);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });

  // biome-ignore lint/suspicious/noExplicitAny: it is what a CLI sends
  function reply(method: string, params: any): object {
    if (method === "initialize") {
      const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} } };
      return { result: { ...result, serverInfo: { name: "fake", version: "1" } } };
    }
    if (method === "tools/list") {
      mcp.listings++;
      return { result: { tools: [tool] } };
    }
    if (method === "ping") return { result: {} };
    if (method !== "tools/call") return { error: { code: -32601, message: `no ${method}` } };
    mcp.messages.push(params.arguments);
    return { result: { content: [{ type: "text", text: `delivered to ${params.arguments.to}` }] } };
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return Object.assign(mcp, { port, url: `http://127.0.0.1:${port}/mcp`, close });
}
