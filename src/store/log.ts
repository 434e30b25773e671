/**
 * The log of one agent in one file, with one writer.
 *
 * Opening reads only the first and the last lines, truncates a torn tail (its bytes are kept beside the log) and finds `seq`. The lines between are
 * verified by the first `read`, which returns them in the same pass. So that nothing is ever appended to a damaged log, the first append verifies
 * what no read has: everything, or everything since the snapshot that the store found usable. A caller that opens, reads to the end and then
 * appends, as the runtime does, pays for one pass.
 *
 * The events of one append are in the log together or not at all: of one that was cut in the middle, nothing was acknowledged, and opening
 * truncates the lines that did reach the disk as well. Otherwise half a command would be found, with the idempotency key of the whole.
 *
 * Group commit: `append` queues; one flush at a time writes everything queued with one append and one sync, then resolves in order. When a flush
 * fails, everything queued is rejected, the log is closed for good and the file is truncated to what was durable: at once if the disk allows it,
 * else by the next opening through `memory`. A failed sync is never retried: afterwards nobody knows what it wrote.
 *
 * Not here: who may open (file-store.ts).
 */
import { basename, dirname, join } from "node:path";
import type { Files } from "../lib/world.ts";
import { onDisk, storageFailed } from "../schema/disk-error.ts";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import type { Handles } from "./file-handles.ts";
import { encodeTogether } from "./log-line.ts";
import { closedProblem, outOfOrder } from "./refusal.ts";
import { corrupt, find, type Source, scan } from "./scan.ts";
import type { Log } from "./store.ts";
import { readTail } from "./tail.ts";

/** What the store remembers about a log between openings. */
export interface Memory {
  /** Everything before this offset was acknowledged; null before the first opening. */
  durable: number | null;
  /** A failed write may have left bytes after it. */
  unclean: boolean;
  /** A verified position: where the line of the usable snapshot ends. */
  mark: { seq: number; end: number } | null;
}

export interface OpenLog extends Log {
  /** Lets a running flush finish, then rejects everything with this Problem. */
  shut(problem: Problem): Promise<void>;
}

/** The appends queued for the next flush, with one promise for all of them. */
interface Batch extends PromiseWithResolvers<void> {
  lines: string[];
  last: number;
}

export interface LogPlace {
  path: string;
  files: Files;
  handles: Handles;
  memory: Memory;
  point?: ((name: string) => Promise<void>) | undefined;
  /** Called when its owner closed it. */
  closed?(): void;
}

/** How many flushes a follower may lag before its position is searched for. */
const mostEnds = 64;

export async function openLog({ path, files, handles, memory, point, closed: letGo }: LogPlace): Promise<OpenLog> {
  const source = sourceOf(path, handles);
  const { seq: found, end, repaired } = await onDisk("open", path, () => repair());
  memory.durable = end;

  let seq = found;
  let next = found + 1;
  /** Every event with a seq above this one was verified, or written by us. */
  let verified = found;
  /** The end offsets of recent flushes: a follower resumes at one of them without a search. */
  const ends = new Map([[found, end]]);
  let over: Problem | null = null;
  let waiting: Batch | null = null;
  let flushing: Promise<void> | null = null;

  async function repair() {
    const size = await handles.use(path, async (file) => {
      const size = await file.size();
      if (memory.durable === null) return size;
      if (size < memory.durable) throw shorter(path, size, memory.durable);
      if (!memory.unclean || size === memory.durable) return size;
      await file.truncate(memory.durable);
      await file.sync();
      return memory.durable;
    });
    memory.unclean = false;
    const { seq, end, torn } = await readTail(source, size);
    if (torn.length === 0) {
      // A killed process may have left complete lines that were never synced; they count as durable from now on, so they must be.
      if (end > 0 && end !== memory.durable) await handles.use(path, (file) => file.sync());
      return { seq, end, repaired: null };
    }
    if (memory.durable !== null && end < memory.durable) throw corrupt(path, end, "and it was acknowledged");
    const keptAs = await keepAside(files, path, torn);
    await handles.use(path, async (file) => {
      await file.truncate(end);
      await file.sync();
    });
    return { seq, end, repaired: { bytes: torn.length, keptAs } };
  }

  async function* read(after: number): AsyncGenerator<Event[]> {
    for await (const events of verify(Math.max(0, after))) {
      if (over?.code === "closed") throw over;
      yield events;
    }
  }

  /** The durable events after this seq. */
  async function* verify(after: number): AsyncGenerator<Event[]> {
    const end = memory.durable ?? 0;
    if (after >= seq) return;
    yield* onDiskEach(path, scan(source, { offset: await endOf(after, end), seq: after, end }));
    verified = Math.min(verified, after);
  }

  async function endOf(seq: number, end: number): Promise<number> {
    if (seq === 0) return 0;
    const known = ends.get(seq) ?? (memory.mark?.seq === seq ? memory.mark.end : undefined);
    if (known !== undefined) return known;
    return await onDisk("read", path, async () => (await find(source, seq, end)).end);
  }

  async function flushAll(): Promise<void> {
    await null; // appends in the same tick join this flush
    while (waiting) await flush();
    flushing = null;
  }

  async function flush(): Promise<void> {
    let batch: Batch | null = null;
    let written = false;
    try {
      const from = memory.mark?.seq ?? 0;
      if (verified > from) for await (const _ of verify(from));
      const durable = memory.durable ?? 0;
      await expectUnchanged(files, path, durable);
      // As late as possible, so that events that follow within the same moment share the sync.
      batch = waiting;
      waiting = null;
      if (!batch) return; // shut meanwhile
      const bytes = Buffer.from(batch.lines.join(""));
      await handles.use(path, async (file) => {
        written = true;
        await file.append(bytes);
        await point?.("log.appended");
        await file.sync();
      });
      memory.durable = durable + bytes.length;
      seq = batch.last;
      ends.set(seq, memory.durable);
      if (ends.size > mostEnds) ends.delete(ends.keys().next().value!);
      await point?.("log.synced");
    } catch (error) {
      const problem = error instanceof Problem ? error : storageFailed("append to", path, error);
      over = problem; // appends during the truncation get this error
      const after = waiting;
      waiting = null;
      if (written) await cutBack();
      over = new Problem("closed", `${path} was closed after a failed write; open it again`, { path });
      batch?.reject(problem);
      after?.reject(problem);
      return;
    }
    batch.resolve();
  }

  /** If the disk refuses this too, the next opening does it before it reads. */
  async function cutBack(): Promise<void> {
    memory.unclean = true;
    try {
      await handles.use(path, (file) => file.truncate(memory.durable ?? 0));
      memory.unclean = false;
    } catch {
      // Remembered in `memory.unclean`.
    }
    await handles.drop(path);
  }

  return {
    get seq() {
      return seq;
    },
    repaired,

    async append(events) {
      if (over) throw over;
      for (const [i, event] of events.entries())
        if (event.seq !== next + i) throw outOfOrder(path, event.seq, next + i);
      if (events.length === 0) return;
      const lines = encodeTogether(events);
      next += events.length;
      waiting ??= { lines: [], last: 0, ...Promise.withResolvers<void>() };
      waiting.lines.push(...lines);
      waiting.last = next - 1;
      flushing ??= flushAll();
      return waiting.promise;
    },

    read,

    async close() {
      over ??= closedProblem(path);
      await flushing;
      await handles.drop(path);
      letGo?.();
    },

    async shut(problem) {
      over ??= problem;
      waiting?.reject(problem);
      waiting = null;
      await flushing;
    },
  };
}

export function sourceOf(path: string, handles: Handles): Source {
  return { path, read: (offset, length) => handles.use(path, (file) => file.read(offset, length)) };
}

/** Writes the bytes to `events.torn-N.bin` beside the log, N being the first free number. */
async function keepAside(files: Files, path: string, torn: Buffer): Promise<string> {
  const folder = dirname(path);
  const taken = new Set((await files.list(folder)).map(({ name }) => name));
  let n = 1;
  const name = () => `${basename(path, ".jsonl")}.torn-${n}.bin`;
  while (taken.has(name())) n++;
  await files.write(join(folder, name()), torn);
  return join(folder, name());
}

/** If someone deleted or wrote to the log behind our back, acknowledged events could be lost. (Behind a link we cannot tell.) */
async function expectUnchanged(files: Files, path: string, size: number): Promise<void> {
  const found = await files.stat(path);
  if (found && (found.kind !== "file" || found.size === size)) return;
  const state = found ? `has ${found.size} bytes` : "is gone";
  throw new Problem(
    "storage_failed",
    `${path} was changed by another program: it ${state}, but ${size} bytes were acknowledged; nothing was written`,
    { path, size: found?.size ?? null, expected: size },
  );
}

async function* onDiskEach<T>(path: string, items: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw error instanceof Problem ? error : storageFailed("read", path, error);
  }
}

function shorter(path: string, size: number, durable: number): Problem {
  return new Problem(
    "log_corrupt",
    `${path} has ${size} bytes but ${durable} were acknowledged: another program truncated or replaced it; restore it, or restart to continue with what is left`,
    { path, offset: size },
  );
}
