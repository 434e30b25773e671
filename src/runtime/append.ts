/**
 * Readable files that grow line by line (thread.ts): written some time after the events are durable, many lines at once and without a sync,
 * so that nobody waits for them. What a crash leaves out is added when the agent is opened; a file that is missing or torn is made anew.
 *
 * Always holds: the lines of a file are in the order of the log, each once. Nobody reads these files but people.
 */
import { join } from "node:path";
import type { State } from "../core/state.ts";
import type { Files, World } from "../lib/world.ts";
import type { Event } from "../schema/event.ts";
import type { Log } from "../store/store.ts";
import { type Addition, additions, conversationPath, nodeLogPath, threadPath } from "./thread.ts";

export interface Appender {
  touch(events: readonly Event[]): void;
  /** Brings every file up to date with the log. */
  verify(): Promise<void>;
  /** What was touched so far is written. */
  idle(): Promise<void>;
  /** Nothing is written any more: another life of the agent does it. */
  abandon(): void;
}

export interface AppenderOptions {
  root: string;
  world: World;
  log: Log;
  /** What was read of the log when the agent was opened. */
  tail: Tail;
  state(): State;
  failed(path: string, error: unknown): void;
}

/** The end of a log: the events after a seq, or what is left of them. */
export interface Tail {
  after: number;
  events: readonly Event[];
}

/** How long lines may wait for others. */
const delay = 500;
const mostWaiting = 300;
/** Events at the end of the log whose lines a crash may have lost: many times what comes about in the delay. */
export const lately = 1_000;

export function createAppender({ root, world, log, tail, state, failed }: AppenderOptions): Appender {
  const { files } = world;
  /** Durable events of which nothing is written yet: their lines are made when they are, not while somebody waits. */
  const waiting: Event[] = [];
  const nodeOf = turnsUnderWay(state());
  let cancel: (() => void) | undefined;
  /** One after the other. */
  let work: Promise<void> = Promise.resolve();
  let abandoned = false;
  /** Before it is known how far the files are, nothing is added to them. */
  let mended = false;
  /** Let go when it has been used. */
  let restored: Tail | undefined = tail;
  /** What a file has already, where it may have more than it was given: an event may be read from the log and touched. */
  const read = new Map<string, number>();

  function touch(events: readonly Event[]): void {
    for (const event of events) if (!/^(file|budget|log|inbox)\./.test(event.type)) waiting.push(event);
    if (waiting.length > mostWaiting) void flush();
    else if (waiting.length) cancel ??= world.clock.after(delay, () => void flush());
  }

  function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    if (waiting.length && mended) work = work.then(() => append(waiting.splice(0)));
    return work;
  }

  async function append(events: readonly Event[]): Promise<void> {
    const lines = collect(events, nodeOf, (path, seq) => seq > (read.get(path) ?? 0));
    for (const [path, { anew, lines: some }] of lines) await write(path, textOf(some), anew);
  }

  function collect(
    events: readonly Event[],
    turns: Map<string, string>,
    wanted: (path: string, seq: number) => boolean,
  ) {
    const found: Lines = new Map();
    for (const event of events) gather(found, state(), event, turns, wanted);
    return found;
  }

  async function write(path: string, text: string, anew: boolean): Promise<void> {
    if (abandoned) return;
    try {
      if (anew || !(await files.stat(join(root, path))))
        return await files.within(root).write(path, text, { durable: false });
      const file = await files.open(join(root, path));
      await file.append(Buffer.from(text)).finally(() => file.close());
    } catch (error) {
      failed(path, error);
    }
  }

  /** First the end of the log: what it adds to files that are there. Then, if files are missing, the whole log for those. */
  async function mend(): Promise<void> {
    const { run, seq } = state();
    if (!run) return;
    const from = Math.max(0, seq - lately);
    // What came since is waiting, and is added when this is done.
    const late =
      restored && restored.after <= from
        ? collect(restored.events, new Map(nodeOf), () => true)
        : await readLines(from, () => true);
    const missing = new Set<string>();
    for (const path of expected(state())) {
      const there = late.has(path) ? await lastSeq(files, join(root, path)) : (await isThere(path)) ? 0 : null;
      if (there === null) missing.add(path);
      else read.set(path, there);
    }
    for (const [path, { anew, lines }] of late) {
      const end = missing.has(path) ? undefined : read.get(path);
      const fresh = end === undefined ? [] : lines.filter((line) => line.seq > end);
      if (!fresh.length) continue;
      // A conversation that was shortened since its file was last written begins anew with what came after.
      await write(path, textOf(fresh), anew && fresh.length === lines.length);
      read.set(path, fresh.at(-1)!.seq);
    }
    if (!missing.size) return;
    const first = missing.has(threadPath) ? 0 : run.first_seq - 1;
    for (const [path, { lines }] of await readLines(first, (path) => missing.has(path))) {
      await write(path, textOf(lines), true);
      read.set(path, lines.at(-1)!.seq);
    }
  }

  async function readLines(from: number, wanted: (path: string, seq: number) => boolean): Promise<Lines> {
    const found: Lines = new Map();
    const turns = new Map(nodeOf);
    for await (const events of log.read(from)) for (const event of events) gather(found, state(), event, turns, wanted);
    return found;
  }

  const isThere = async (path: string): Promise<boolean> => (await files.stat(join(root, path)))?.kind === "file";

  return {
    touch,
    async verify() {
      const done = work.then(mend);
      work = done.catch(() => undefined);
      await done;
      mended = true;
      restored = undefined;
      await flush();
    },
    idle: flush,
    abandon() {
      abandoned = true;
      cancel?.();
    },
  };
}

/** `anew`: the file begins with these lines. */
type Lines = Map<string, { anew: boolean; lines: Pick<Addition, "seq" | "line">[] }>;

const textOf = (lines: readonly Pick<Addition, "line">[]): string => lines.map(({ line }) => line()).join("");

function gather(
  found: Lines,
  state: State,
  event: Event,
  turns: Map<string, string>,
  wanted: (path: string, seq: number) => boolean,
): void {
  for (const { path, seq, line } of additions(state, event, turns)) {
    if (!wanted(path, seq)) continue;
    const there = found.get(path);
    if (there) there.lines.push({ seq, line });
    else found.set(path, { anew: false, lines: [{ seq, line }] });
  }
  if (event.type !== "context.shortened") return;
  // What came before is in the archive that project.ts makes of it.
  const path = conversationPath(event.run!, event.data.participant);
  if (wanted(path, event.seq)) found.set(path, { anew: true, lines: [{ seq: event.seq, line: () => "" }] });
}

/** What a conversation held before it was shortened at `seq`, since the time before. */
export async function linesBefore(
  log: Log,
  state: State,
  path: string,
  participant: string,
  from: number,
  seq: number,
): Promise<string> {
  let text = "";
  for await (const events of log.read(from))
    for (const event of events) {
      if (event.seq >= seq) continue;
      for (const one of additions(state, event, new Map())) if (one.path === path) text += one.line();
      if (event.type === "context.shortened" && event.data.participant === participant) text = "";
    }
  return text;
}

/** The files that must be there by now. */
function expected({ run, participants, nodes }: State): string[] {
  const paths = [threadPath];
  for (const one of participants.values())
    if (one.kind !== "human" && (one.turns > 0 || one.unread.length)) paths.push(conversationPath(run!.id, one.id));
  for (const id of nodes.keys()) paths.push(nodeLogPath(run!.id, id));
  return paths;
}

function turnsUnderWay({ participants }: State): Map<string, string> {
  const found = new Map<string, string>();
  for (const one of participants.values())
    if (one.kind !== "human" && one.turn?.node) found.set(one.turn.id, one.turn.node);
  return found;
}

/** Of the last line; null if there is no such file or its end is torn. */
async function lastSeq(files: Files, path: string): Promise<number | null> {
  if ((await files.stat(path))?.kind !== "file") return null;
  const file = await files.open(path);
  try {
    const size = await file.size();
    if (size === 0) return 0;
    for (let length = 4_096; ; length *= 8) {
      const text = String(await file.read(Math.max(0, size - length), Math.min(size, length)));
      if (!text.endsWith("\n")) return null;
      const from = text.lastIndexOf("\n", text.length - 2);
      if (from < 0 && length < size) continue;
      return Number((JSON.parse(text.slice(from + 1)) as { seq: number }).seq) || null;
    }
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  } finally {
    await file.close();
  }
}
