/** `agiraph down`: ends the daemon of a home, and no other process: it is asked for a proof first (find.ts). */
import { machine } from "../../lib/machine/index.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import { Problem } from "../../schema/problem.ts";
import { exit } from "../actions/exit.ts";
import { readDaemonFile, removeDaemonFile } from "./daemon-file.ts";
import { findDaemon, isAlive, type RunningDaemon } from "./find.ts";
import { holdHome } from "./hold-home.ts";

/** A little more than the daemon gives itself. */
const patienceMs = 13_000;

export async function down(home: string, json: boolean): Promise<number> {
  const running = await findDaemon(home);
  if (running) {
    await stopDaemon(home, running);
    const { url, pid } = running;
    process.stdout.write(json ? `${visibleJson({ stopped: true, url, pid })}\n` : `stopped ${url} (pid ${pid})\n`);
    return exit.done;
  }
  if ((await machine.files.stat(home)) === null) return notRunning(json);
  // Who can take the home knows that nobody serves it.
  const held = await holdHome(home).catch((error) => {
    if (!(error instanceof Problem) || error.code !== "home_locked") throw error;
    const { pid } = (error.details?.holder ?? {}) as { pid?: number };
    throw new Problem(
      "home_locked",
      `${home} is locked by process ${pid ?? "(unknown)"}, which does not answer as a daemon; check it and stop it with kill ${pid ?? "PID"}`,
    );
  });
  await removeDaemonFile(home);
  await held.release();
  return notRunning(json);
}

function notRunning(json: boolean): number {
  process.stdout.write(json ? `${visibleJson({ stopped: false })}\n` : "not running\n");
  return exit.done;
}

/** Resolves when it has ended. */
export async function stopDaemon(home: string, { pid, url }: RunningDaemon): Promise<void> {
  process.kill(pid, "SIGTERM");
  const until = performance.now() + patienceMs;
  while (await isAlive(pid)) {
    if (performance.now() > until) {
      if ((await readDaemonFile(home))?.pid !== pid) return; // it gave the home back, and ends
      throw new Problem(
        "wrong_state",
        `the daemon at ${url} (pid ${pid}) does not stop; kill -9 ${pid} is safe and loses nothing`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
