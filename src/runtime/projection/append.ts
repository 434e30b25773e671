/**
 * Readable files that grow line by line (transcript.ts): written some time after the events are durable, many lines at once and without a sync,
 * so that nobody waits for them. What a crash leaves out is added when the agent is opened; a file that is missing or torn is made anew.
 *
 * Always holds: the lines of a file are in the order of the log, each once, and the same whenever they are made: mail is asked of the state as
 * it was right after its event. Of events that this process folded it is known (`mail`); for others the log is folded again.
 * Nobody reads these files but people.
 */
import { join } from "node:path";
import { type Mail, mailOf } from "../../core/message/inbox.ts";
import { reduce } from "../../core/reduce.ts";
import { emptyState, type State } from "../../core/state.ts";
import type { Files, World } from "../../lib/world.ts";
import type { Event } from "../../schema/event.ts";
import type { Log } from "../../store/store.ts";
import { type Addition, additions, conversationPath, nodeLogPath, threadPath } from "./transcript.ts";

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
  /** What an event brought that was folded in this process: one that was touched, or one of the tail. */
  mail(event: Event): Mail | undefined;
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
export const recentEvents = 1_000;

export function createAppender({ root, world, log, tail, state, mail, failed }: AppenderOptions): Appender {
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
    for (const event of events) gather(found, event, mail(event), turns, wanted);
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

  /**
   * First the end of the log: what it adds to files that are there. Where files are missing, or lack what came before this process folded
   * anything, the log is folded again for those.
   */
  async function mend(): Promise<void> {
    const { run, seq } = state();
    if (!run) return;
    const from = Math.max(0, seq - recentEvents);
    // What came since is waiting, and is added when this is done.
    const tail = restored ?? { after: seq, events: [] };
    const late = collect(tail.events, new Map(nodeOf), (_, at) => at > from);
    const before = tail.after > from ? await glimpse(from, tail.after) : new Map<string, number>();
    const wrong = new Set<string>();
    for (const path of expected(state())) {
      const isLate = late.has(path) || before.has(path);
      const there = isLate ? await lastSeq(files, join(root, path)) : (await isThere(path)) ? 0 : null;
      if (there !== null) read.set(path, there);
      if (there === null || there < (before.get(path) ?? 0)) wrong.add(path);
    }
    const exact = wrong.size ? await foldLines((path) => wrong.has(path)) : late;
    for (const [path, { anew, lines }] of [...late].filter(([path]) => !wrong.has(path)).concat([...exact])) {
      const end = read.get(path) ?? (wrong.has(path) ? 0 : undefined);
      const fresh = end === undefined ? [] : lines.filter((line) => line.seq > end);
      if (!fresh.length) continue;
      // A conversation that was shortened since its file was last written begins anew with what came after; so does a file that is missing.
      const whole = (anew && fresh.length === lines.length) || (wrong.has(path) && !read.has(path));
      await write(path, textOf(fresh), whole);
      read.set(path, fresh.at(-1)!.seq);
    }
  }

  /** Where the last lines of these events would be, as far as the state of today knows. */
  async function glimpse(after: number, upto: number): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const turns = new Map(nodeOf);
    for await (const events of log.read(after))
      for (const event of events) {
        if (event.seq > upto) return found;
        for (const { path, seq } of additions(event, mailOf(state(), event), turns)) found.set(path, seq);
      }
    return found;
  }

  async function foldLines(wanted: (path: string, seq: number) => boolean): Promise<Lines> {
    const found: Lines = new Map();
    const turns = new Map<string, string>();
    for await (const { event, mail } of folded(log)) gather(found, event, mail, turns, wanted);
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
  event: Event,
  mail: Mail | undefined,
  turns: Map<string, string>,
  wanted: (path: string, seq: number) => boolean,
): void {
  for (const { path, seq, line } of additions(event, mail, turns)) {
    if (!wanted(path, seq)) continue;
    const there = found.get(path);
    if (there) there.lines.push({ seq, line });
    else found.set(path, { anew: false, lines: [{ seq, line }] });
  }
  if (event.type !== "context.shortened") return;
  // What came before is in the archive that projection.ts makes of it.
  const path = conversationPath(event.run!, event.data.participant);
  if (wanted(path, event.seq)) found.set(path, { anew: true, lines: [{ seq: event.seq, line: () => "" }] });
}

/** What a conversation held before it was shortened at `seq`, since the time before; of its run. */
export async function linesBefore(log: Log, path: string, participant: string, seq: number): Promise<string> {
  let text = "";
  for await (const { event, mail } of folded(log)) {
    if (event.seq >= seq) break;
    for (const one of additions(event, mail, new Map())) if (one.path === path) text += one.line();
    if (event.type === "context.shortened" && event.data.participant === participant) text = "";
  }
  return text;
}

/** Every event of the log with the mail that it brought when it happened. */
async function* folded(log: Pick<Log, "read">): AsyncGenerator<{ event: Event; mail: Mail | undefined }> {
  const at = emptyState();
  for await (const events of log.read(0))
    for (const event of events) {
      reduce(at, event);
      yield { event, mail: mailOf(at, event) };
    }
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
