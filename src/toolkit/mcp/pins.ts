/**
 * `mcp.json` of a home: the tools of MCP servers as the user has accepted them (pinning). A tool's description goes into the prompt, so a server
 * that changes it afterwards is not trusted until somebody looked: models see only what is pinned here.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { McpListed } from "../../lib/mcp.ts";
import type { Files } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";

const Pin = z.object({ hash: z.string(), description: z.string(), schema: z.record(z.string(), z.unknown()) });
const Pins = z.object({ servers: z.record(z.string(), z.record(z.string(), Pin)) });
export type Pin = z.infer<typeof Pin>;

export interface McpPins {
  /** By name; undefined if this server was never seen. */
  of(server: string): ReadonlyMap<string, Pin> | undefined;
  /** Durable on return. Tools that are not listed stay as they are. */
  accept(server: string, tools: readonly McpListed[]): Promise<void>;
}

export async function openPins(path: string, files: Files): Promise<McpPins> {
  const known = new Map<string, Map<string, Pin>>();
  for (const [server, tools] of Object.entries(parse(path, await files.read(path)).servers))
    known.set(server, new Map(Object.entries(tools)));
  let writing: Promise<void> = Promise.resolve();

  async function save(): Promise<void> {
    const servers = Object.fromEntries([...known].map(([server, tools]) => [server, Object.fromEntries(tools)]));
    await files.write(path, `${JSON.stringify({ servers }, null, 2)}\n`);
  }

  return {
    of: (server) => known.get(server),
    accept(server, tools) {
      const pins = new Map(known.get(server));
      for (const tool of tools)
        pins.set(tool.name, { hash: printOf(tool), description: tool.description, schema: tool.schema });
      known.set(server, pins);
      writing = writing.then(save, save);
      return writing;
    },
  };
}

/** A fingerprint: the same for the same name, description and schemas, regardless of the order of keys. */
export const printOf = ({ name, description, schema, output }: McpListed): string =>
  createHash("sha256")
    .update(JSON.stringify([name, description, sorted(schema), ...(output ? [sorted(output)] : [])]))
    .digest("hex");

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}

function parse(path: string, bytes: Buffer | null): z.infer<typeof Pins> {
  if (!bytes) return { servers: {} };
  try {
    return Pins.parse(JSON.parse(bytes.toString()));
  } catch (error) {
    // Starting over silently would accept whatever the servers say now.
    throw new Problem(
      "invalid",
      `${path} cannot be read; fix it, or remove it to accept all MCP tools again`,
      undefined,
      { cause: error },
    );
  }
}
