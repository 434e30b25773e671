/**
 * `agiraph mcp`: a server on the standard streams that speaks for the human. Nothing but the protocol goes to stdout. It says at once which
 * tools there are, because some programs do not wait for a daemon to start.
 *
 * The daemon may end and come back on another port with another token meanwhile: it is looked up, or started, again. A change that may have
 * been heard is asked for once more with the same key, so it happens once.
 */
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Client, createClient } from "../../client/index.ts";
import { platform } from "../../client/platform.ts";
import { type Address, overHttp } from "../../client/transport.ts";
import { forHuman } from "../../mcp/tools.ts";
import { ensureWorking } from "../daemon/ensure.ts";
import { exit } from "./exit.ts";

export async function serveMcp(home: string, version: string, alone: boolean): Promise<number> {
  // A library that says something must not say it into the protocol.
  console.log = console.info = console.debug = console.error;
  const { client, close } = alone ? await openHere(home) : reachDaemon(home);
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close"]) process.stdin.once(event, () => resolve());
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve());
  });
  const serve = () => forHuman({ client, version, fault: (error) => console.error(error) });
  const handle = serveStdio(serve, { transport: new StdioServerTransport(), onerror: () => undefined });
  await ended;
  await handle.close();
  await close();
  process.stdin.destroy();
  return exit.done;
}

/** Agents work as long as somebody is connected. */
async function openHere(home: string): Promise<Reached> {
  const say = (lines: readonly string[]) => console.error(lines.join("\n"));
  return await (await import("./alone.ts")).openAlone({ home, works: true, say, through: "mcp" });
}

interface Reached {
  client: Client;
  close(): Promise<unknown>;
}

function reachDaemon(home: string): Reached {
  let daemon: Promise<Address> | undefined;
  const reach = (): Promise<Address> => {
    daemon ??= ensureWorking(home, { quiet: true });
    // One that could not be started may be able to later.
    daemon.catch(() => {
      daemon = undefined;
    });
    return daemon;
  };
  const renew = () => {
    daemon = undefined;
    return true;
  };
  // Not waited for: whoever connects is answered at once, and the first call says what is wrong with it.
  void reach().catch(() => undefined);
  const client = createClient({ transport: overHttp(platform.fetch, reach, renew), through: "mcp" });
  return { client, close: async () => await daemon?.catch(() => undefined) };
}
