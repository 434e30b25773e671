/**
 * Connections to MCP servers: programs of this machine over their standard streams, and others over HTTP.
 *
 * Always holds: a program sees no variable of ours but what its place says; what it writes to stderr is not read, for it may hold secrets;
 * headers are not sent on by a redirect. Not here: which tools are offered, to whom, and when a server is started again (tool/mcp.ts).
 */
import type { Client } from "@modelcontextprotocol/client";
import type { McpAnswer, McpConnect, McpPlace } from "../mcp.ts";
import { NetworkError } from "../network-error.ts";

const self = { name: "agiraph", version: "1" };

/** What the SDK would pass on by itself. */
const unwanted = { LOGNAME: undefined, SHELL: undefined, TERM: undefined, USER: undefined };

export const connectMcp: McpConnect = async (place, { closed, changed }, timeoutMs) => {
  const sdk = await import("@modelcontextprotocol/client");
  const onHttp = "url" in place;
  const client = new sdk.Client(self, {
    // Over stdio asking for the version would start a second process; over HTTP hearing of changes would keep a stream open.
    ...(onHttp
      ? { versionNegotiation: { mode: "auto" as const } }
      : { listChanged: { tools: { autoRefresh: false, onChanged: changed } } }),
  });
  client.onclose = closed;
  client.onerror = () => undefined; // every request says for itself what became of it
  try {
    await client.connect(await transportOf(place, sdk), { timeout: timeoutMs });
  } catch (error) {
    await client.close().catch(() => undefined);
    throw inWords(error, timeoutMs);
  }

  return {
    async list() {
      const { tools } = await client.listTools(undefined, { timeout: timeoutMs }).catch((error) => {
        throw inWords(error, timeoutMs);
      });
      return tools.map(({ name, description = "", inputSchema }) => ({
        name,
        description,
        schema: { ...inputSchema },
      }));
    },
    async call(tool, input, { signal, timeoutMs: most }) {
      try {
        const options = { signal, timeout: most, maxTotalTimeout: most };
        return answerOf(await client.callTool({ name: tool, arguments: input }, options));
      } catch (error) {
        if (signal.aborted) throw new NetworkError("closed", "the call was stopped");
        throw inWords(error, most);
      }
    },
    close: () => client.close().catch(() => undefined),
  };

  function inWords(error: unknown, ms: number): NetworkError {
    const options = { cause: error };
    const said = error instanceof Error ? error.message : String(error);
    if (error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.RequestTimeout)
      return new NetworkError("limit_reached", `it did not answer within ${ms / 1000} s`, options);
    if (error instanceof sdk.ProtocolError) return new NetworkError("invalid", `it refuses: ${said}`, options);
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return new NetworkError("unreachable", "there is no such program", options);
    return new NetworkError("unreachable", said, options);
  }
};

async function transportOf(place: McpPlace, sdk: typeof import("@modelcontextprotocol/client")) {
  if ("url" in place) {
    const requestInit: RequestInit = { headers: place.headers, redirect: "error" };
    return new sdk.StreamableHTTPClientTransport(new URL(place.url), { requestInit });
  }
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const { command, args, env, folder } = place;
  const whole = { ...unwanted, ...env } as unknown as Record<string, string>;
  return new StdioClientTransport({ command, args: [...args], env: whole, cwd: folder, stderr: "ignore" });
}

function answerOf(result: Awaited<ReturnType<Client["callTool"]>>): McpAnswer {
  const { content = [], structuredContent, isError } = result;
  return { content: content as McpAnswer["content"], structured: structuredContent, failed: isError === true };
}
