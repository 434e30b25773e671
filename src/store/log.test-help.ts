/** Logs with a given content, on a disk and in memory, for the tests of what becomes of them. */
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { files } from "../lib/machine/files.ts";
import type { Event } from "../schema/event.ts";
import { createFilesStore, type FilesStoreOptions } from "./file-store.ts";
import { encode } from "./log-line.ts";
import type { RamFiles } from "./ram.test-help.ts";
import type { Log } from "./store.ts";
import { tempFolder, tempStore } from "./temp.test-help.ts";

/** The log of events that were appended one by one. */
export const textOf = (list: Event[]) => list.map(encode).join("");

/** Each for itself: a log that is cut off between two of them keeps the first. */
export const appendEach = async (log: Log, list: Event[]) => {
  await Promise.all(list.map((event) => log.append([event])));
};

/** A home in which ann's log has this content; `open` is what the next process would do. */
export async function logWith(content: string | Uint8Array) {
  const home = await tempFolder();
  const path = join(home, "agents", "ann", "events.jsonl");
  await files.makeDir(dirname(path));
  await writeFile(path, content);
  const open = async (options: Partial<FilesStoreOptions> = {}) =>
    await tempStore({ home, files, ...options }).open("ann", { fence: 1 });
  return { home, path, open, content: () => readFile(path) };
}

export const ramLog = "/home/agents/ann/events.jsonl";
export const openRam = (ram: RamFiles, options: { create?: boolean } = {}) =>
  createFilesStore({ home: "/home", files: ram }).open("ann", { fence: 1, ...options });
