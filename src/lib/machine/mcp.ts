/**
 * Connections to MCP servers: programs of this machine over stdio, and others over HTTP.
 *
 * Always holds: a program sees no environment variable but those of its config; its stderr is not read, for it may hold secrets; headers are not
 * forwarded by a redirect; no schema or regular expression of a server is run, and no message is parsed that would take long. Not here: which tools
 * are offered, to whom, and when a server is restarted (toolkit/mcp/mcp.ts).
 */
import type { Client, jsonSchemaValidator } from "@modelcontextprotocol/client";
import { createJsonMeter, outsideJson } from "../json/json-meter.ts";
import type { McpAnswer, McpConnect, McpPlace } from "../mcp.ts";
import { NetworkError } from "../network/network-error.ts";

const self = { name: "agiraph", version: "1" };

/** Variables that the SDK would pass on by itself. */
const unwanted = { LOGNAME: undefined, SHELL: undefined, TERM: undefined, USER: undefined };

export const connectMcp: McpConnect = async (place, { closed, changed }, timeoutMs) => {
  const sdk = await import("@modelcontextprotocol/client");
  const onHttp = "url" in place;
  /** Why we closed the connection, if we did. */
  let tooMuch: string | undefined;
  const meter = (lines: boolean): ((bytes: Uint8Array) => void) => {
    const heavy = createJsonMeter(outsideJson, lines);
    return (bytes) => {
      const why = heavy(bytes);
      if (!why) return;
      tooMuch = `a message of it ${why}`;
      throw new Error(tooMuch);
    };
  };
  const client = new sdk.Client(self, {
    jsonSchemaValidator: believing,
    // Over stdio asking for the version would start a second process; over HTTP listening for changes would keep a stream open.
    ...(onHttp
      ? { versionNegotiation: { mode: "auto" as const } }
      : { listChanged: { tools: { autoRefresh: false, onChanged: changed } } }),
  });
  client.onclose = closed;
  client.onerror = () => undefined; // every request reports its own errors
  try {
    await client.connect(await transportOf(place, sdk, meter), { timeout: timeoutMs });
  } catch (error) {
    await client.close().catch(() => undefined);
    throw inWords(error, timeoutMs);
  }

  return {
    async list() {
      const { tools } = await client.listTools(undefined, { timeout: timeoutMs }).catch((error) => {
        throw inWords(error, timeoutMs);
      });
      return tools.map(({ name, description = "", inputSchema, outputSchema }) => ({
        name,
        description,
        schema: { ...inputSchema },
        output: outputSchema && { ...outputSchema },
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
    if (tooMuch) return new NetworkError("unreachable", tooMuch, options);
    if (error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.RequestTimeout)
      return new NetworkError("limit_reached", `it did not answer within ${ms / 1000} s`, options);
    if (error instanceof sdk.ProtocolError) return new NetworkError("invalid", `it refuses: ${said}`, options);
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return new NetworkError("unreachable", "there is no such program", options);
    return new NetworkError("unreachable", said, options);
  }
};

/** Accepts every answer. An output schema is a stranger's: validating it could take for ever. */
const believing: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

type Meter = (lines: boolean) => (bytes: Uint8Array) => void;

async function transportOf(place: McpPlace, sdk: typeof import("@modelcontextprotocol/client"), meter: Meter) {
  if ("url" in place) {
    const requestInit: RequestInit = { headers: place.headers, redirect: "error" };
    return new sdk.StreamableHTTPClientTransport(new URL(place.url), {
      requestInit,
      fetch: async (url, init) => metered(await fetch(url, init), meter),
    });
  }
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const { command, args, env, folder } = place;
  const whole = { ...unwanted, ...env } as unknown as Record<string, string>;
  const transport = new StdioClientTransport({ command, args: [...args], env: whole, cwd: folder, stderr: "ignore" });
  const count = meter(true);
  /** Counts, and passes on whole lines: the SDK copies and searches its whole buffer for every chunk. */
  class Metered extends sdk.ReadBuffer {
    #parts: Buffer[] = [];
    override append(chunk: Buffer): void {
      count(chunk);
      this.#parts.push(chunk);
      if (!chunk.includes("\n")) return;
      super.append(Buffer.concat(this.#parts));
      this.#parts = [];
    }
  }
  // The SDK has no option for it; test/attack/mcp.test.ts notices if it is no longer used.
  Object.assign(transport, { _readBuffer: new Metered({ maxBufferSize: 2 * outsideJson.bytes }) });
  return transport;
}

/** The same response, whose body fails when it is too much to parse. An event stream has one message per line. */
function metered(response: Response, meter: Meter): Response {
  if (!response.body) return response;
  const count = meter(/^text\/event-stream/i.test(response.headers.get("content-type") ?? ""));
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        count(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function answerOf(result: Awaited<ReturnType<Client["callTool"]>>): McpAnswer {
  const { content = [], structuredContent, isError } = result;
  return { content: content as McpAnswer["content"], structured: structuredContent, failed: isError === true };
}
