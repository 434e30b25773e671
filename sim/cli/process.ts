/**
 * A simulated agent CLI as a process: Claude Code's stream-json over pipes, in chunks that end anywhere. It keeps its conversations on its
 * machine, and what it does in a turn is in turn.ts.
 *
 * Always holds: it acts only while it lives. Whoever started it reads nothing more once their own process has ended.
 * Not here: faults of the pipes themselves, and backpressure.
 */
import type { Exit, Program, Running } from "../../src/lib/world.ts";
import type { SimRandom } from "../random.ts";
import type { Life, Time } from "../time.ts";
import { createTurns } from "./turn.ts";

export const cliFile = "/usr/bin/claude";

/** What the program itself remembers; as long as its machine does. */
export interface Conversation {
  id: string;
  usd: number;
  tokens: number;
}

/** Who the program reaches, and who watches it (people/cli.ts). */
export interface CliSurroundings {
  /** The chance of each kind of trouble in a turn. */
  faults: number;
  /** It calls its models through our gateway; otherwise it reports what it used. */
  gateway: boolean;
  /** `isLost`: the conversation that it is to resume is not there. */
  started(resume: string | undefined, isLost: boolean): void;
  /** It has read this, in this conversation. */
  read(conversation: string, text: string): void;
  /** It said how much this conversation has used so far; `isDone`: at the good end of a turn. */
  reported(conversation: Readonly<Conversation>, isDone: boolean): void;
  trouble(what: string): void;
  /** A tool of ours, by MCP. Rejects if nobody answers. */
  tool(name: string, input: unknown): Promise<{ outcome: string; text: string }>;
  /** A model call through our gateway, with what it costs. Rejects if it is refused. */
  model(usd: number): Promise<void>;
  /** The tool call that it would make next. */
  choose(dice: SimRandom, folder: string): [tool: string, input: unknown];
}

export interface CliOptions {
  program: Program;
  random: SimRandom;
  time: Time;
  life: Life;
  conversations: Map<string, Conversation>;
  around: CliSurroundings;
  isCalm(): boolean;
  /** Writes a file. */
  put(path: string, content: string): void;
  /** It has ended by itself. */
  ended(): void;
}

export interface CliProcess {
  running: Running;
  /** Nothing of it is left from now on. */
  kill(exit?: Exit): void;
}

export function startCli(options: CliOptions): CliProcess {
  const { program, random, time, life } = options;
  const chunks: string[] = [];
  const { promise: exit, resolve: exited } = Promise.withResolvers<Exit>();
  let wake: () => void = () => undefined;
  let alive = true;
  let input = "";

  function kill(given: Exit = { code: null, output: "", signal: "SIGKILL" }): void {
    if (!alive) return;
    alive = false;
    exited(given);
    wake();
  }

  /** A pipe knows no lines: a reader gets what is there. */
  function write(text: string): void {
    if (!alive) return;
    const cut = random.chance(0.2) ? random.int(text.length) : text.length;
    for (const chunk of [text.slice(0, cut), text.slice(cut)]) if (chunk) chunks.push(chunk);
    wake();
  }

  const turns = createTurns({
    ...options,
    isAlive: () => alive,
    write,
    exit(code, words = "") {
      kill({ code, output: words });
      options.ended();
    },
  });

  async function* output(): AsyncGenerator<string> {
    for (;;) {
      const chunk = chunks.shift();
      if (chunk !== undefined) yield chunk;
      else if (!alive) return;
      else
        await life.guard(
          new Promise<void>((resolve) => {
            wake = resolve;
          }),
        );
    }
  }

  // The pipe of a dead process is closed. Some programs end at that, others go on until they are swept.
  life.onEnd(() => {
    if (random.chance(0.5)) time.after(1 + random.int(1_000), () => turns.close());
  });
  const resume = argument(program, "--resume");
  options.around.started(resume, resume !== undefined && !options.conversations.has(resume));
  time.after(1 + random.int(300), () => turns.open(resume));
  return {
    kill,
    running: {
      write(text) {
        if (!alive) return;
        input += text;
        for (let at = input.indexOf("\n"); at >= 0; at = input.indexOf("\n")) {
          const line = input.slice(0, at);
          input = input.slice(at + 1);
          time.after(1, () => turns.hear(JSON.parse(line) as Record<string, unknown>));
        }
      },
      close: () => void time.after(1, () => turns.close()),
      output: output(),
      exit: life.guard(exit),
    },
  };
}

export function argument({ command }: Program, name: string): string | undefined {
  const at = command.indexOf(name);
  return at < 0 ? undefined : command[at + 1];
}
