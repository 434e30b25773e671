/** `agiraph mcp`: a server on the standard streams that speaks for the human to the daemon. Nothing but the protocol goes to stdout. */
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createBridge } from "../../mcp/bridge.ts";
import { ensureWorking } from "../daemon/ensure.ts";
import { exit } from "./exit.ts";

export async function serveMcp(home: string, version: string): Promise<number> {
  // A library that says something must not say it into the protocol.
  console.log = console.info = console.debug = console.error;
  // Looked up anew each time, but by one at a time: it may have been started again.
  let under: ReturnType<typeof ensureWorking> | undefined;
  const reach = () => {
    under ??= ensureWorking(home, { quiet: true }).finally(() => {
      under = undefined;
    });
    return under;
  };
  // Not waited for: whoever connects is answered at once, and the first call says what is wrong with it.
  void reach().catch(() => undefined);
  const bridge = createBridge({ version, reach });
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close"]) process.stdin.once(event, () => resolve());
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve());
  });
  const handle = serveStdio(() => bridge.server(), { transport: new StdioServerTransport(), onerror: () => undefined });
  await ended;
  await under?.catch(() => undefined);
  await handle.close();
  await bridge.close();
  process.stdin.destroy();
  return exit.done;
}
