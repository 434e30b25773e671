/**
 * The snapshot file of one agent: a folded state, with the seq and checksum of the last event in it and the offset where that line ends.
 *
 * Always holds: a snapshot that is returned is complete, in the layout this code writes, and the line that ends at its offset has its seq and
 * checksum; so it belongs to this log and is not ahead of it. Any other snapshot is ignored. Losing one loses nothing.
 */

import { parseJson } from "../lib/json/json.ts";
import type { Files } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { seal, sumIn, unseal } from "./checksum.ts";
import { otherLog } from "./refusal.ts";
import { eventOf, find, lineBefore, type Source } from "./scan.ts";
import type { Snapshot } from "./store.ts";

/** The layout of the file itself; `format` belongs to the code that folds. */
const layout = 1;

interface Stored {
  layout: number;
  seq: number;
  event_sum: string;
  end: number;
  format: string;
  state: unknown;
}

export interface StoredSnapshot {
  snapshot: Snapshot;
  /** The offset where the line of its seq ends. */
  end: number;
}

/** `size` is how much of the log counts. Null for every snapshot that cannot be used, whatever the reason. */
export async function readSnapshot(
  files: Files,
  path: string,
  log: Source,
  size: number,
): Promise<StoredSnapshot | null> {
  const bytes = await files.read(path).catch(() => null); // unreadable counts as absent: the log has everything
  if (!bytes) return null;
  try {
    const { layout: found, seq, event_sum: sum, end, format, state } = parseJson(unsealAll(bytes)) as Stored;
    if (found !== layout || end > size) return null;
    const line = await lineBefore(log, end);
    eventOf(log.path, line, seq);
    return sumIn(line.bytes, line.bytes.length - 1) === sum ? { snapshot: { seq, sum, format, state }, end } : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Problem && error.code === "log_corrupt")) return null;
    throw error;
  }
}

/** Returns the offset where the snapshot's line ends. Throws `conflict` when the log has another event at that seq. */
export async function writeSnapshot(
  files: Files,
  path: string,
  log: Source,
  size: number,
  { seq, sum, format, state }: Omit<Snapshot, "sum"> & { sum?: string },
): Promise<number> {
  const line = await find(log, seq, size);
  const found = sumIn(line.bytes, line.bytes.length - 1);
  if (sum !== undefined && found !== sum) throw otherLog(log.path, seq, sum, found);
  const stored: Stored = { layout, seq, event_sum: found, end: line.end, format, state };
  await files.write(path, seal(JSON.stringify(stored)));
  return line.end;
}

const unsealAll = (bytes: Buffer): string => unseal(bytes, 0, bytes.length);
