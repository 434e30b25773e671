/** A fake program for tests: what it writes, when it exits. Time is manual. */
import type { Clock, Exit, Random, Running } from "../lib/world.ts";
import type { Activity, Cli, LaunchOptions, Limits, OpenOptions, Session } from "./driver.ts";

export interface Played extends Omit<Process, "running"> {
  session: Session;
  stopped(): boolean;
  pass(ms: number): void;
}

export const launch: LaunchOptions = {
  file: "/bin/program",
  system: "Be kind.",
  workspace: "/work",
  home: "/home/it",
  path: "/usr/bin",
  mcp: { name: "team", url: "http://127.0.0.1:1/mcp", secret: "mcp-secret-1" },
  gateway: { url: "http://127.0.0.1:2", token: "gateway-token-1" },
  asks: true,
};

/** What a program can do. */
export interface Process {
  running: Running;
  /** What was written to it, as messages. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  heard: any[];
  /** Writes a message, or a text as it is. */
  say(...messages: (string | object)[]): void;
  /** Writes the same messages again and again, as fast as they are read. */
  repeat(times: number, ...messages: object[]): void;
  exit(exit: Partial<Exit>): void;
}

/** `answer` is called with each message that is written to it. It ends when its input does. */
export function playProcess(answer: (message: never, process: Process) => void): Process {
  const pieces: string[] = [];
  let wake: () => void = () => undefined;
  let over = false;
  const { promise: exit, resolve } = Promise.withResolvers<Exit>();

  const end = (given: Partial<Exit>) => {
    over = true;
    resolve({ code: 0, output: "", ...given });
    wake();
  };
  async function* output(): AsyncGenerator<string> {
    while (pieces.length || !over) {
      if (pieces.length) yield pieces.shift()!;
      else
        await new Promise<void>((go) => {
          wake = go;
        });
    }
  }
  const process: Process = {
    running: {
      write(text) {
        for (const line of text.trim().split("\n")) {
          const message = JSON.parse(line);
          process.heard.push(message);
          if (!over) queueMicrotask(() => answer(message as never, process));
        }
      },
      close: () => end({}),
      output: output(),
      exit,
    },
    heard: [],
    say(...messages) {
      pieces.push(messages.map((one) => (typeof one === "string" ? one : `${JSON.stringify(one)}\n`)).join(""));
      wake();
    },
    repeat(times, ...messages) {
      const many = 100;
      const text = messages
        .map((one) => `${JSON.stringify(one)}\n`)
        .join("")
        .repeat(many);
      for (let n = 0; n < times; n += many) pieces.push(text);
      wake();
    },
    exit: end,
  };
  return process;
}

/** `answer` is called with each message that is written to it. */
export function playCli(
  cli: Pick<Cli, "open">,
  answer: (message: never, played: Played) => void = () => undefined,
  options: {
    limits?: Partial<Limits>;
    launch?: Partial<LaunchOptions>;
    stubborn?: boolean;
    outside?: OpenOptions["outside"];
  } = {},
): Played {
  let stopped = false;
  const process = playProcess((message) => answer(message, played));
  const { clock, pass } = createClock();
  const stop = () => {
    stopped = true;
    if (!options.stubborn) process.exit({ code: null, signal: "SIGTERM" });
  };
  let count = 0;
  const random: Random = { next: () => 0.5, hex: (length) => String(++count).padStart(2 * length, "0") };
  const { running: _, ...acts } = process;
  const played: Played = {
    ...acts,
    session: cli.open(process.running, {
      clock,
      random,
      launch: { ...launch, ...options.launch },
      stop,
      ...(options.limits && { limits: options.limits }),
      ...(options.outside && { outside: options.outside }),
    }),
    stopped: () => stopped,
    pass,
  };
  return played;
}

function createClock(): { clock: Clock; pass(ms: number): void } {
  let now = 0;
  let timers: { at: number; call: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    mono: () => now,
    after(ms, call) {
      const timer = { at: now + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  };
  const pass = (ms: number) => {
    now += ms;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { call } of due) call();
  };
  return { clock, pass };
}

export async function all(
  turn: AsyncIterable<Activity>,
  act: (activity: Activity) => void = () => undefined,
): Promise<Activity[]> {
  const seen: Activity[] = [];
  for await (const activity of turn) {
    seen.push(activity);
    act(activity);
  }
  return seen;
}

/** Lets pending promises run. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
