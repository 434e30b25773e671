/**
 * Sockets and pipes in folders that a sandbox may read. A read-only mount does not close them: a service that listens behind one (a database, an
 * agent, Docker) would be reachable from the sandbox.
 *
 * Not covered: what is created in the folder after the sandbox was started or after the last scan, what is deeper or further on than is scanned,
 * and folders that may be entered but not listed.
 */
import type { Dirent } from "node:fs";
import * as fs from "node:fs/promises";
import { join } from "node:path";

const most = { entries: 200_000, depth: 32, ms: 2_000, openings: 256 };
/** Repeated scans must not take more than this share of the time. */
const share = 0.1;

interface Look {
  until: number;
  openings: Promise<string[]>;
}
const looks = new Map<string, Look>();

/** `except` are folders that are not entered. Throws if there are too many to be closed. */
export async function findOpenings(
  folders: readonly string[],
  except: readonly string[],
  bounds = most,
): Promise<string[]> {
  const all: string[] = [];
  for (const folder of folders)
    for (const path of await remembered(folder, except, bounds)) if (await isOpening(path)) all.push(path);
  if (all.length > bounds.openings)
    throw new Error(
      `more than ${bounds.openings} sockets and pipes lie in ${folders.join(", ")}: the sandbox cannot close them all`,
    );
  return all;
}

async function remembered(folder: string, except: readonly string[], bounds: typeof most): Promise<string[]> {
  const now = performance.now();
  const known = looks.get(folder);
  if (known && known.until > now) return await known.openings;
  for (const [path, { until }] of looks) if (until <= now) looks.delete(path);
  const look: Look = { until: Number.POSITIVE_INFINITY, openings: lookInto(folder, except, bounds) };
  looks.set(folder, look);
  try {
    return await look.openings;
  } finally {
    look.until = performance.now() + (performance.now() - now) / share;
  }
}

/** Breadth first. */
async function lookInto(root: string, except: readonly string[], bounds: typeof most): Promise<string[]> {
  const end = performance.now() + bounds.ms;
  const openings: string[] = [];
  let seen = 0;
  let level = [root];
  for (let depth = 0; level.length && depth < bounds.depth; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (seen > bounds.entries || performance.now() > end) return openings;
      for (const entry of await fs.readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])) {
        seen++;
        const path = join(folder, entry.name);
        if (entry.isDirectory() && !except.includes(path)) next.push(path);
        else if (entry.isSocket() || entry.isFIFO()) openings.push(path);
      }
    }
    level = next;
  }
  return openings;
}

/** It may be gone since it was found, and a missing path cannot be masked. */
async function isOpening(path: string): Promise<boolean> {
  const found = await fs.lstat(path).catch(() => null);
  return Boolean(found && (found.isSocket() || found.isFIFO()));
}
