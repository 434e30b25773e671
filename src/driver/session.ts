/**
 * The session with an agent CLI, shared by all protocols: one turn at a time, read line by line, with exactly one end whatever the program does.
 *
 * Output is read only while somebody consumes activity, so a program that is too fast blocks (backpressure). One that is silent for too long,
 * floods, or does not stop when asked to is killed. The end of a failed turn has the program's last output, with its secrets redacted.
 */
import { parseJson } from "../lib/json.ts";
import { createRedactor } from "../lib/redact.ts";
import type { Exit, Running } from "../lib/world.ts";
import {
  type Activity,
  type End,
  type Failure,
  kindOf,
  type Limits,
  type OpenOptions,
  type Session,
  type Verdict,
} from "./driver.ts";
import { type Fields, fieldsOf } from "./fields.ts";
import { createLines, type Line } from "./lines.ts";

/** The protocol of one CLI. Its methods are called in order, never concurrently. */
export interface Protocol {
  prompt(text: string): void;
  /** Handles a message of the program. */
  hear(message: Fields): void;
  say(text: string): boolean;
  permit(id: string, verdict: Verdict): void;
  /** Asks it to end its turn. */
  interrupt(): void;
  /** What its exit in the middle of a turn means, if it means more than that. */
  exited?(exit: Exit, output: string): Failure | undefined;
}

/** What a protocol acts with. */
export interface Turn {
  send(message: unknown): void;
  emit(...activities: Activity[]): void;
  done(text: string): void;
  aborted(): void;
  /** The program keeps running and can be prompted again, unless it is `fatal`. */
  fail(failure: Failure, fatal?: "fatal"): void;
}

const usual: Limits = {
  silentMs: 10 * 60_000,
  toolMs: 60 * 60_000,
  graceMs: 2_000,
  line: 32_000_000,
  noise: 4_000_000,
  turn: 512_000_000,
};
type Late = "silent" | "overdue";

/** Characters of its last output that are kept. */
const tail = 4_000;

export function createSession(running: Running, options: OpenOptions, speak: (turn: Turn) => Protocol): Session {
  const { clock, launch, stop } = options;
  const limits = { ...usual, ...options.limits };
  const redact = createRedactor(secretsOf(options)).text;
  const pieces = running.output[Symbol.asyncIterator]();
  const lines = createLines(limits.line);
  const read: Line[] = [];
  const queue: Activity[] = [];
  const tools = new Set<string>();
  const asked = new Set<string>();
  let piece: Promise<string | undefined> | undefined;
  let last = "";
  let noise = 0;
  let volume = 0;
  let turns = 0;
  let under = false;
  let fatal = false;
  let interrupted = false;
  let overdue = false;
  /** Wakes the consumer of output. */
  let notice: (late: Late | "again") => void = () => undefined;

  const protocol = speak({
    send: (message) => running.write(`${JSON.stringify(message)}\n`),
    emit: (...activities) => void queue.push(...activities),
    done: (text) => void queue.push({ type: "end", how: "done", text: text.toWellFormed() }),
    aborted: () => void queue.push({ type: "end", how: "aborted" }),
    fail(failure, how) {
      fatal ||= how === "fatal";
      queue.push(failed(failure));
    },
  });

  const failed = ({ reason, why }: Failure): End => ({
    type: "end",
    how: "failed",
    reason,
    kind: kindOf(reason),
    why: redact(why),
    output: redact(last.trim()).slice(-tail).toWellFormed(),
  });

  /** The next chunk of output; undefined at its end. A requested chunk is not lost when nobody waits for it any more. */
  function nextPiece(): Promise<string | undefined> {
    piece ??= pieces.next().then(
      ({ done, value }) => (done ? undefined : value),
      () => undefined,
    );
    return piece;
  }

  /** Resolves when there is something in `read`, or with why there is nothing. */
  async function more(): Promise<"read" | Late | "end" | "flood"> {
    while (!read.length) {
      if (overdue) return "overdue";
      let cancel: () => void = () => undefined;
      const got = await new Promise<string | undefined | { late: Late | "again" }>((resolve) => {
        void nextPiece().then(resolve);
        notice = (late) => resolve({ late });
        const limit = tools.size ? limits.toolMs : limits.silentMs;
        if (!asked.size) cancel = clock.after(limit, () => resolve({ late: "silent" }));
      });
      cancel();
      if (typeof got === "object") {
        if (got.late !== "again") return got.late;
        continue;
      }
      piece = undefined;
      if (got === undefined) {
        read.push(...lines.rest());
        if (read.length) break;
        return "end";
      }
      volume += got.length;
      read.push(...lines.take(got));
      if (lines.open() > limits.line || volume > limits.turn) return "flood";
    }
    return "read";
  }

  function take({ text, dropped }: Line): void {
    if (!text.trim()) return;
    last = `${last}${text.slice(0, tail)}\n`.slice(-2 * tail);
    const message = dropped ? undefined : messageIn(text);
    if (message) return void protocol.hear(message);
    noise += text.length + dropped;
    if (dropped || noise > limits.noise) flood();
  }

  function flood(): void {
    fatal = true;
    queue.push(failed({ reason: "flood", why: `${launch.file} wrote more than can be read; it was ended` }));
  }

  /** Resolves when all its processes have ended. */
  async function finish(): Promise<Exit> {
    stop();
    await drain();
    return await running.exit;
  }

  /** Without a reader it would block and never exit. */
  async function drain(): Promise<void> {
    while ((await nextPiece()) !== undefined) piece = undefined;
  }

  async function exitFailure(): Promise<End> {
    const exit = await Promise.race([running.exit, later(limits.graceMs)]);
    const { code, signal, ended, output } = exit ?? (await finish());
    const words = `${last}\n${output}`.trim();
    last = words;
    const meant = protocol.exited?.({ code, output, ...(signal && { signal }), ...(ended && { ended }) }, words);
    if (meant) return failed(meant);
    const name = launch.file;
    if (ended) return failed({ reason: "killed", why: `${name} was ended: ${ended}` });
    if (signal ?? (code !== null && code > 128))
      return failed({ reason: "killed", why: `${name} was killed (${signal ?? `exit code ${code}`})` });
    return failed({ reason: "exit", why: `${name} ended (exit code ${code}) without a result` });
  }

  function later(ms: number): Promise<undefined> {
    return new Promise((resolve) => void clock.after(ms, () => resolve(undefined)));
  }

  /** An external reason may explain its end better. */
  async function settled(end: End): Promise<End> {
    if (end.how === "aborted") return end;
    if (end.how === "failed" && interrupted) return { type: "end", how: "aborted" };
    const outside = await options.outside?.();
    return outside ? failed(outside) : end;
  }

  async function* turn(text: string): AsyncGenerator<Activity> {
    let whole = false;
    turns++;
    under = true;
    interrupted = false;
    overdue = false;
    noise = 0;
    volume = 0;
    last = "";
    queue.length = 0;
    tools.clear();
    asked.clear();
    try {
      if (fatal) queue.push(failed({ reason: "closed", why: `${launch.file} has ended; start it again and resume` }));
      else protocol.prompt(text);
      while (!whole) {
        const activity = queue.shift() ?? (await next());
        if (activity?.type === "tool") tools.add(activity.id);
        if (activity?.type === "result") tools.delete(activity.id);
        if (activity?.type === "permission") asked.add(activity.id);
        whole = activity?.type === "end";
        if (activity?.type === "end") {
          const end = await settled(activity);
          if (fatal) await finish();
          under = false;
          yield end;
        } else if (activity) yield activity;
      }
    } finally {
      under = false;
      if (!whole) {
        fatal = true;
        stop();
      }
    }
  }

  async function next(): Promise<Activity | undefined> {
    const got = await more();
    if (got === "read") {
      while (read.length && !queue.length) take(read.shift()!);
      return queue.shift();
    }
    fatal = true;
    if (got === "end") return await exitFailure();
    if (got === "flood") flood();
    const { output } = await finish();
    last = `${last}\n${output}`;
    if (got === "overdue") return { type: "end", how: "aborted" };
    if (got === "silent")
      queue.push(failed({ reason: "silent", why: `${launch.file} said nothing for too long; it was ended` }));
    return queue.shift();
  }

  return {
    prompt: (text) => (under ? refuse(failed({ reason: "closed", why: "a turn is under way already" })) : turn(text)),
    say: (text) => under && !interrupted && protocol.say(text),
    permit(id, verdict) {
      if (!asked.delete(id)) return;
      protocol.permit(id, verdict);
      notice("again"); // the silence timeout starts again
    },
    interrupt() {
      if (!under || interrupted) return;
      interrupted = true;
      const end = turns;
      clock.after(limits.graceMs, () => {
        overdue ||= end === turns;
        if (overdue) notice("overdue");
      });
      protocol.interrupt();
    },
    async close() {
      fatal = true;
      running.close();
      const cancel = clock.after(limits.graceMs, stop);
      await drain();
      await running.exit;
      cancel();
    },
  };
}

/** A session that could not be started: every turn ends with this failure. */
export const failedSession = ({ reason, why }: Failure, output = ""): Session => ({
  prompt: () => refuse({ type: "end", how: "failed", reason, kind: kindOf(reason), why, output }),
  say: () => false,
  permit: () => undefined,
  interrupt: () => undefined,
  close: async () => undefined,
});

async function* refuse(end: End): AsyncGenerator<Activity> {
  yield end;
}

function messageIn(text: string): Fields | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return fieldsOf(parseJson(text));
  } catch {
    return undefined;
  }
}

function secretsOf({ launch: { gateway, mcp, login } }: OpenOptions): string[] {
  return [gateway?.token, mcp?.secret, login?.state === "key" ? login.secret : undefined].filter(
    (one) => one !== undefined,
  );
}
