/** A connection to an MCP server (Model Context Protocol), as its tools need it. The real one is in lib/machine; a test may fake one. */
export type McpPlace =
  | { command: string; args: readonly string[]; env: Record<string, string>; folder: string }
  | { url: string; headers: Record<string, string> };

/** A tool as its server lists it: untrusted text. */
export interface McpListed {
  name: string;
  description: string;
  schema: Record<string, unknown>;
  /** Its output schema. Never run: its regular expressions are a stranger's. */
  output?: Record<string, unknown> | undefined;
}

export interface McpConnection {
  /** All throw a NetworkError: unreachable (it is gone), limit_reached (too slow), closed (stopped by the caller), invalid (it refuses). */
  list(): Promise<McpListed[]>;
  call(
    tool: string,
    input: Record<string, unknown>,
    limit: { signal: AbortSignal; timeoutMs: number },
  ): Promise<McpAnswer>;
  /** Ends it, and its process. Never throws. */
  close(): Promise<void>;
}

export interface McpAnswer {
  /** Blocks as the server gave them. */
  content: readonly ({ type: string } & Record<string, unknown>)[];
  structured?: unknown;
  failed: boolean;
}

export interface McpEvents {
  /** Called when the connection ended, whoever ended it. */
  closed(): void;
  /** Called when the server says that its tools changed. */
  changed(): void;
}

export type McpConnect = (place: McpPlace, events: McpEvents, timeoutMs: number) => Promise<McpConnection>;
