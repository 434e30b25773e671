/**
 * The daemon without a process of its own: what `agiraph up` starts, in the process that asks for it. Built into the program of the tests
 * (built.ts), so that it is the same code as that of a daemon. Signals and words for people are not here: those are main/daemon/up.ts.
 */
import { clock } from "../src/lib/machine/clock.ts";
import { startDaemon } from "../src/main/daemon/daemon.ts";
import { holdHome } from "../src/main/daemon/hold-home.ts";
import { createLog } from "../src/main/daemon/log.ts";

/** Resolves when every agent is back; the answer ends it in order. */
export async function serveHome(path: string, env: Record<string, string>): Promise<() => Promise<void>> {
  const home = await holdHome(path);
  const log = createLog({ home: path, now: clock.now, secrets: [] });
  const daemon = await startDaemon({ home, version: "0.0.0", port: 0, env, plain: false, log, outside: {} });
  await daemon.ready;
  return () => daemon.close();
}
