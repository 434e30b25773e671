/**
 * A persistent map whose entries expire: what was set survives a restart, and is gone after `keepMs`. It holds idempotency keys.
 *
 * `set` resolves when the entry is durable; concurrent calls share one fsync. `note` is not waited for and may be lost in a crash. Both can
 * be read at once. A line that cannot be read counts as never written, so a torn tail loses nothing that was promised; after a failed write
 * the whole file is rewritten. At most `most` entries are kept, the newest.
 */
import { dirname } from "node:path";
import { parseJson } from "../json/json.ts";
import type { Clock, Files, OpenFile } from "../world.ts";

export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): Promise<void>;
  note(key: string, value: Value): void;
  forget(key: string): void;
  /** Flushes noted entries, as far as the disk allows. */
  close(): Promise<void>;
}

export interface RecentOptions {
  path: string;
  files: Files;
  clock: Clock;
  keepMs: number;
  most?: number;
}

interface Entry<Value> {
  at: number;
  value: Value;
}

export async function openRecent<Value>(options: RecentOptions): Promise<Recent<Value>> {
  const { path, files, clock, keepMs, most = 100_000 } = options;
  const entries = new Map<string, Entry<Value>>();
  await files.makeDir(dirname(path));
  const before = String((await files.read(path)) ?? "");
  let lines = 0;
  for (const line of before.split("\n")) {
    if (!line) continue;
    lines++;
    const read = parsed<Value>(line);
    if (!read) continue;
    entries.delete(read.key);
    if (read.entry) entries.set(read.key, read.entry);
  }
  prune();

  let file: OpenFile | undefined;
  /** The file is damaged: it is rewritten before anything is appended. */
  let stale = lines !== entries.size || (before !== "" && !before.endsWith("\n"));
  /** A write failed, and its entries are not on disk. */
  let unsaved = false;
  let waiting: string[] = [];
  let promised = false;
  let writing: Promise<void> | undefined;
  let closed = false;

  /** The clock may have been set back; an entry of the future is as old as it looks. */
  function prune(): void {
    const now = clock.now();
    for (const [key, { at }] of entries) {
      if (entries.size <= most && Math.abs(now - at) < keepMs) break;
      entries.delete(key);
    }
  }

  function add(key: string, value: Value | undefined, durable = false): Promise<void> {
    if (closed) return Promise.resolve();
    const at = clock.now();
    entries.delete(key);
    if (value !== undefined) entries.set(key, { at, value });
    prune();
    waiting.push(lineOf(key, value === undefined ? undefined : { at, value }));
    promised ||= durable;
    // Callers during a write wait for the next one.
    const turn = (writing ?? Promise.resolve()).catch(() => undefined).then(flush);
    writing = turn;
    return turn;
  }

  async function flush(): Promise<void> {
    if (waiting.length === 0 && !unsaved) return;
    const taken = waiting;
    const sync = promised;
    waiting = [];
    promised = false;
    if (lines + taken.length > 2 * entries.size + 1_000) stale = true;
    try {
      if (stale) await rewrite();
      else {
        file ??= await files.open(path);
        await file.append(Buffer.from(taken.join("")));
        if (sync) await file.sync();
        lines += taken.length;
      }
    } catch (error) {
      stale = true;
      unsaved = true;
      throw error;
    }
  }

  async function rewrite(): Promise<void> {
    await file?.close().catch(() => undefined);
    file = undefined;
    const count = entries.size;
    await files.write(path, [...entries].map(([key, entry]) => lineOf(key, entry)).join(""));
    lines = count;
    stale = false;
    unsaved = false;
  }

  return {
    get(key) {
      const found = entries.get(key);
      return found && Math.abs(clock.now() - found.at) < keepMs ? found.value : undefined;
    },
    set: (key, value) => add(key, value, true),
    note: (key, value) => void add(key, value).catch(() => undefined),
    forget: (key) => {
      if (entries.has(key)) void add(key, undefined).catch(() => undefined);
    },
    async close() {
      closed = true;
      await writing?.catch(() => undefined);
      await file?.close();
    },
  };
}

/** Opened on first use; after a disk error the next call tries again. */
export function createLazy<One extends { close(): Promise<void> }>(
  open: () => Promise<One>,
): { get(): Promise<One>; close(): Promise<void> } {
  let opened: Promise<One> | undefined;
  return {
    get() {
      opened ??= open().catch((error) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
    close: async () => void (await opened?.then((one) => one.close()).catch(() => undefined)),
  };
}

/** `[at, key, value]`, or `[0, key]` for a deleted one. */
const lineOf = (key: string, entry: Entry<unknown> | undefined): string =>
  `${JSON.stringify(entry ? [entry.at, key, entry.value] : [0, key])}\n`;

function parsed<Value>(line: string): { key: string; entry?: Entry<Value> } | undefined {
  let read: unknown;
  try {
    read = parseJson(line);
  } catch {
    return undefined;
  }
  if (!Array.isArray(read) || typeof read[0] !== "number" || typeof read[1] !== "string") return undefined;
  const [at, key, value] = read as [number, string, Value];
  return value === undefined ? { key } : { key, entry: { at, value } };
}
