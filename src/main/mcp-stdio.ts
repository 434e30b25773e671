/** `agiraph mcp`: a server on the standard streams that speaks for the human to the daemon. Nothing but the protocol goes to stdout. */
import { join } from "node:path";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { machine } from "../lib/machine/index.ts";
import { createBridge } from "../mcp/bridge.ts";
import { Problem } from "../schema/problem.ts";
import { exit } from "./terminal.ts";

const About = z.object({ host: z.string(), port: z.number().int(), token: z.string() });

export async function serveMcp(home: string, version: string): Promise<number> {
  // A library that says something must not say it into the protocol.
  console.log = console.info = console.debug = console.error;
  const reach = () => daemonOf(home);
  await reach();
  const bridge = createBridge({ version, reach });
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close"]) process.stdin.once(event, () => resolve());
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve());
  });
  const handle = serveStdio(() => bridge.server(), { transport: new StdioServerTransport(), onerror: () => undefined });
  await ended;
  await handle.close();
  await bridge.close();
  process.stdin.destroy();
  return exit.done;
}

/** Looked up anew each time: it may have been started again. */
async function daemonOf(home: string): Promise<{ url: string; token: string }> {
  const text = await machine.files.read(join(home, "daemon.json"));
  const known = About.safeParse(jsonOf(String(text)));
  if (!known.success)
    throw new Problem("unreachable", `no daemon serves ${home}; start it with: agiraph --home ${home} up`);
  const { host, port, token } = known.data;
  return { url: `http://${host}:${port}`, token };
}

/** Undefined for what is none: a file that is being removed, or another's. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
