/** Lists a folder in batches: it may hold a million files, and reading all names at once takes gigabytes and blocks the event loop. */
import type { Dirent } from "node:fs";
import * as fs from "node:fs/promises";

/** Batch size of reading and of processing. */
const together = 128;

/** At most so many, in the order of the disk. */
export async function entriesIn(path: string, most: number): Promise<Dirent[]> {
  const found: Dirent[] = [];
  if (most <= 0) return found;
  for await (const entry of await fs.opendir(path, { bufferSize: together })) if (found.push(entry) >= most) break;
  return found;
}

/** Maps in batches; results are in the order of the input. */
export async function inBatches<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += together)
    results.push(...(await Promise.all(all.slice(at, at + together).map(work))));
  return results;
}

/** Calls `take` for every entry, which removes it, until there is none. Folders one after the other: each may have as many again. */
export async function emptyFolder(path: string, take: (entry: Dirent) => Promise<unknown>): Promise<void> {
  for (let entries = await entriesIn(path, 1_000); entries.length > 0; entries = await entriesIn(path, 1_000)) {
    await inBatches(
      entries.filter((entry) => !entry.isDirectory()),
      take,
    );
    for (const entry of entries) if (entry.isDirectory()) await take(entry);
  }
}
