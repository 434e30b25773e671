/** Takes the home for this process, or says who has it: for a daemon, how to reach or to end it. */

import { chmodSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Holder, type Home, openHome } from "../../home/lock.ts";
import { commandRef } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";
import { makeHome } from "../home/trust.ts";
import { readDaemonFile } from "./daemon-file.ts";

/** What is in it is the owner's alone. Where others may write, what is there may be theirs already: that is refused elsewhere (up.ts). */
function closeToOthers(path: string): void {
  const { mode, uid } = statSync(path);
  const isOurs = process.getuid?.() === uid;
  if (isOurs && mode & 0o055 && !(mode & 0o022)) chmodSync(path, mode & 0o700);
  // Made before we took care of it.
  for (const name of ["lock", "index.sqlite", "index.sqlite-wal", "index.sqlite-shm"]) {
    const found = lstatSync(join(path, name), { throwIfNoEntry: false });
    if (found?.isFile() && found.mode & 0o077) chmodSync(join(path, name), 0o600);
  }
}

export async function holdHome(path: string): Promise<Home> {
  const { files, clock } = machine;
  try {
    makeHome(path);
    closeToOthers(path);
  } catch {
    // opening it says what is wrong
  }
  try {
    return await openHome({ path, files, clock, pid: process.pid, startedAt: new Date(clock.now()).toISOString() });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "home_locked") throw error;
    const holder = error.details?.holder as Holder | null | undefined;
    const daemon = await readDaemonFile(path);
    if (!daemon || daemon.pid !== holder?.pid) throw error;
    throw new Problem(
      "home_locked",
      `${path} is in use by its daemon at http://${daemon.host}:${daemon.port} (pid ${daemon.pid}); stop it first: ${commandRef("down")}`,
      error.details,
    );
  }
}
