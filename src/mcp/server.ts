/**
 * MCP over streamable HTTP, one request at a time: nothing is kept between two of them, so there is no session to steal, to leak or to lose in
 * a restart. Both eras of the protocol are served.
 *
 * Who asks decides what there is: the human's token gives the tools for agents, which are routes called by a client, a participant's secret
 * gives that participant's own. The protocol itself (tools.ts) is loaded with the first request: its schemas take longer than most commands.
 * Not here: who may come in (server/auth/gate.ts).
 */
import type { Client } from "../client/index.ts";
import { Problem } from "../schema/problem.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { Handler } from "./tools.ts";

export interface McpOptions {
  /** For the human; says that it speaks for a program (`through: "mcp"`). Without it only participants are served. */
  client?: Client;
  version: string;
  /** What a participant's program may do. Throw `forbidden` when its run is over. */
  participants: {
    ownTools(bearer: Participant): Promise<ToolShape[]>;
    ownCall(
      bearer: Participant,
      given: { tool: string; input: unknown },
      signal: AbortSignal,
    ): Promise<{ outcome: string; text: string }>;
  };
  /** A bug of ours, for the operator. */
  fault(error: unknown): void;
}

export interface Participant {
  agent: string;
  run: string;
  participant: string;
}

/** Who is asking, as the gate found out. */
export type Caller = { kind: "human" } | ({ kind: "participant" } & Participant);

export interface Mcp {
  serve(request: Request, who: Caller, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

export function createMcpServer(options: McpOptions): Mcp {
  let loading: Promise<Handler> | undefined;
  const load = (): Promise<Handler> => {
    loading ??= import("./tools.ts").then(({ createHandler }) => createHandler(options));
    return loading;
  };
  return {
    async serve(request, who, parsedBody) {
      if (request.method === "POST" && parsedBody === undefined)
        throw new Problem("invalid", "the request has no body; send a JSON-RPC message");
      const authInfo = { token: "", clientId: who.kind, scopes: [], extra: { who } };
      return (await load()).fetch(request, { authInfo, ...(parsedBody === undefined ? {} : { parsedBody }) });
    },
    close: async () => await (await loading)?.close(),
  };
}
