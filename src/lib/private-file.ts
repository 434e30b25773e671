/** A database that SQLite is to open: its owner's only, and so are the files that SQLite puts beside it, which take over its mode. */
import { chmodSync, closeSync, constants, openSync, statSync } from "node:fs";

export function makePrivate(path: string): void {
  if (path === ":memory:" || process.platform === "win32") return;
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK, 0o600));
  for (const one of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`])
    if ((statSync(one, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) chmodSync(one, 0o600);
}
