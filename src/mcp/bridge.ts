/**
 * MCP over standard streams for programs that start their servers themselves: says at once which tools there are, because some clients do not
 * wait for a daemon to start, and passes every call on to the daemon's own server.
 *
 * The daemon may end and come back on another port with another token meanwhile: it is looked up again, and what it certainly did not hear is
 * said once more. Nothing is said twice that may have been heard.
 */
import {
  Client,
  InMemoryTransport,
  ProtocolError,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Tool,
} from "@modelcontextprotocol/client";
import { Server, type ServerContext } from "@modelcontextprotocol/server";
import { Problem } from "../schema/problem.ts";
import type { McpHouse } from "./house.ts";
import { forHuman, instructions } from "./server.ts";

export interface BridgeOptions {
  version: string;
  /** Where the daemon is now. Throws a Problem that says how to start it. */
  reach(): Promise<{ url: string; token: string }>;
}

export interface Bridge {
  /** For every connection, or for a look at what there is. */
  server(): Server;
  close(): Promise<void>;
}

/** Longer than the longest wait there is. */
const patienceMs = 660_000;

export function createBridge({ version, reach }: BridgeOptions): Bridge {
  let known: Promise<Client> | undefined;
  let listed: Promise<Tool[]> | undefined;

  async function connect(): Promise<Client> {
    const { url, token } = await reach();
    const client = new Client({ name: "agiraph-stdio", version }, { versionNegotiation: { mode: "auto" } });
    client.onerror = () => undefined; // every request says for itself what became of it
    const requestInit: RequestInit = { headers: { authorization: `Bearer ${token}` }, redirect: "error" };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    return client;
  }

  async function drop(): Promise<void> {
    const client = known;
    known = undefined;
    await client?.then((one) => one.close()).catch(() => undefined);
  }

  async function ask<T>(what: (client: Client) => Promise<T>, again = true): Promise<T> {
    try {
      known ??= connect();
      return await what(await known);
    } catch (error) {
      if (error instanceof ProtocolError || error instanceof Problem) {
        if (error instanceof Problem) known = undefined;
        throw error;
      }
      await drop();
      if (again && wasNotHeard(error)) return ask(what, false);
      throw error;
    }
  }

  return {
    server() {
      const server = new Server(
        { name: "agiraph", title: "Agiraph", version },
        { capabilities: { tools: {} }, instructions },
      );
      server.setRequestHandler("tools/list", async () => {
        listed ??= listTools(version);
        return { tools: await listed };
      });
      server.setRequestHandler("tools/call", async ({ params }, ctx) => {
        const { name, arguments: input } = params;
        try {
          const options = { signal: ctx.mcpReq.signal, timeout: patienceMs, ...progressOf(ctx) };
          return await ask((client) => client.callTool({ name, arguments: input ?? {} }, options));
        } catch (error) {
          if (error instanceof ProtocolError) throw error;
          const said =
            error instanceof Problem ? `${error.code}: ${error.message}` : `unreachable: ${unreachable(error)}`;
          return { content: [{ type: "text", text: said }], isError: true };
        }
      });
      return server;
    },
    close: drop,
  };
}

/** As the daemon lists them, asked of a server in this process that nobody can call. */
async function listTools(version: string): Promise<Tool[]> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = forHuman({ version } as McpHouse);
  const client = new Client({ name: "agiraph-stdio", version });
  await Promise.all([server.connect(there), client.connect(here)]);
  const { tools } = await client.listTools();
  await client.close();
  return tools;
}

/** Passed on only if whoever asks wants to hear it: what is asked for streams. */
function progressOf({ mcpReq: { _meta, notify } }: ServerContext) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return {};
  return {
    onprogress: (progress: { progress: number; total?: number | undefined; message?: string | undefined }) =>
      void notify({ method: "notifications/progress", params: { progressToken, ...progress } }).catch(() => undefined),
  };
}

/** Nobody listened there, or nobody of ours let it in. */
function wasNotHeard(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 401 || error.status === 403;
  const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
  return cause?.code === "ECONNREFUSED";
}

const unreachable = (error: unknown): string =>
  `the daemon did not answer (${error instanceof Error ? error.message : String(error)}); it may have heard: look before you repeat it`;
