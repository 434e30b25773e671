/**
 * The session with an agent CLI, shared by all protocols: one turn at a time, read line by line, with exactly one end whatever the program does.
 *
 * Output is read only while somebody consumes activity (wire/output.ts). A program that is silent for too long, floods, or does not stop when asked to is killed. The end of a failed turn has the program's last output, with its secrets redacted.
 */
import { parseJson } from "../../lib/json/json.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import type { Exit, Running } from "../../lib/world.ts";
import {
  type Activity,
  type End,
  type Failure,
  kindOf,
  type Limits,
  type OpenOptions,
  type Session,
  type Verdict,
} from "../driver.ts";
import { type Fields, fieldsOf } from "../wire/fields.ts";
import { createLastOutput } from "../wire/last-output.ts";
import type { Line } from "../wire/lines.ts";
import { createOutput } from "../wire/output.ts";
import { failureOfExit } from "./failure.ts";

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

/** Characters of its last output that are kept. */
const tail = 4_000;

export function createSession(running: Running, options: OpenOptions, speak: (turn: Turn) => Protocol): Session {
  const { clock, launch, stop } = options;
  const limits = { ...usual, ...options.limits };
  const redact = createRedactor(secretsOf(options)).text;
  const queue: Activity[] = [];
  const tools = new Set<string>();
  const asked = new Set<string>();
  const last = createLastOutput(2 * tail);
  let noise = 0;
  let turns = 0;
  let under = false;
  /** The end of the turn is known, and perhaps nobody has heard of it yet. */
  let ending = false;
  let fatal = false;
  let hasSpoken = false;
  let interrupted = false;
  const output = createOutput(running, {
    clock,
    limits,
    patience: () => (asked.size ? undefined : tools.size ? limits.toolMs : limits.silentMs),
  });

  const protocol = speak({
    send: (message) => running.write(`${JSON.stringify(message)}\n`),
    emit: (...activities) => void queue.push(...activities),
    done: (text) => endWith({ type: "end", how: "done", text: text.toWellFormed() }),
    aborted: () => endWith({ type: "end", how: "aborted" }),
    fail(failure, how) {
      fatal ||= how === "fatal";
      endWith(failed(failure));
    },
  });

  function endWith(end: End): void {
    ending = true;
    queue.push(end);
  }

  const failed = ({ reason, why }: Failure): End => ({
    type: "end",
    how: "failed",
    reason,
    kind: kindOf(reason),
    why: redact(why),
    output: redact(last.text()).slice(-tail).toWellFormed(),
  });

  function take({ text, dropped }: Line): void {
    if (!text.trim()) return;
    last.add(text);
    const message = dropped ? undefined : messageIn(text);
    if (message) {
      hasSpoken = true;
      return void protocol.hear(message);
    }
    noise += text.length + dropped;
    if (dropped || noise > limits.noise) flood();
  }

  function flood(): void {
    fatal = true;
    endWith(failed({ reason: "flood", why: `${launch.file} wrote more than can be read; it was ended` }));
  }

  /** Resolves when all its processes have ended. */
  async function finish(): Promise<Exit> {
    stop();
    await output.drain();
    return await running.exit;
  }

  async function exitFailure(): Promise<End> {
    const exit = (await Promise.race([running.exit, later(limits.graceMs)])) ?? (await finish());
    last.add(exit.output);
    const words = last.text();
    return failed(protocol.exited?.(exit, words) ?? failureOfExit(launch.file, exit, hasSpoken ? "" : words));
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
    ending = false;
    interrupted = false;
    noise = 0;
    output.begin();
    last.clear();
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
    const got = await output.more();
    if (got === "line") {
      for (let line = output.take(); line; line = queue.length ? undefined : output.take()) take(line);
      return queue.shift();
    }
    fatal = true;
    if (got === "end") return await exitFailure();
    if (got === "flood") flood();
    last.add((await finish()).output);
    if (got === "overdue") return { type: "end", how: "aborted" };
    if (got === "silent")
      queue.push(failed({ reason: "silent", why: `${launch.file} said nothing for too long; it was ended` }));
    return queue.shift();
  }

  return {
    prompt: (text) => (under ? refuse(failed({ reason: "closed", why: "another turn is still running" })) : turn(text)),
    // Whose end has come already would read it in a turn that is nobody's.
    say: (text) => under && !ending && !interrupted && protocol.say(text),
    permit(id, verdict) {
      if (!asked.delete(id)) return;
      protocol.permit(id, verdict);
      output.restart();
    },
    interrupt() {
      if (!under || interrupted) return;
      interrupted = true;
      const end = turns;
      clock.after(limits.graceMs, () => {
        if (end === turns) output.giveUp();
      });
      protocol.interrupt();
    },
    async close() {
      fatal = true;
      running.close();
      const cancel = clock.after(limits.graceMs, stop);
      await output.drain();
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
  const own = login?.state === "key" ? [login.secret] : login?.state === "file" ? login.secrets : [];
  return [gateway?.token, mcp?.secret, ...own].filter((one) => one !== undefined);
}
