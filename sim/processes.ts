/**
 * Simulated programs. Each runs for a random time; some hang, longer than the limit of a node, and some ignore a kind request to end. None
 * that is started in calm hangs: a node of a stage may take as long as everything has to come to rest. A killed process of ours leaves its programs
 * running, as on a real machine, until somebody ends them by their tag; a power loss ends them all.
 *
 * The program of an autonomous worker (`agentCommand`) writes files while it runs, says something in `_outbox.md`, may call tools by itself, and
 * leaves a result, a checkpoint or nothing.
 */
import type { Exit, Processes, Program } from "../src/lib/world.ts";
import type { SimDisk } from "./disk.ts";
import type { SimRandom } from "./random.ts";
import type { Life, Time } from "./time.ts";

export interface Running {
  tag: string;
  since: number;
}

/** Told when a program wants to call a tool by itself. */
export type OwnCall = (tag: string) => void;

export interface SimMachine {
  mount(life: Life): Processes;
  /** What runs now, whoever started it. */
  running(): readonly Running[];
  power(): void;
}

export const agentCommand = "sim-agent";

const hangMs = 120_000;

export function createProcesses(options: {
  random: SimRandom;
  time: Time;
  disk: Pick<SimDisk, "put">;
  call: OwnCall;
  isCalm(): boolean;
}): SimMachine {
  const { random, time, disk, call, isCalm } = options;
  let alive: Running[] = [];

  /** What an autonomous worker's program does within `ms`; nothing more once it has ended. */
  function work(one: Running, folder: string, ms: number): void {
    const at = (part: number, act: () => void) =>
      time.after(ms * part, () => {
        if (alive.includes(one)) act();
      });
    const said = `TO: ${random.pick(["coordinator", "human", "ann"])}\nword ${random.int(3)}\n---\n`;
    at(0.2, () => disk.put(`${folder}/made-${random.int(3)}.md`, `made ${random.int(100)}\n`));
    if (random.chance(0.5)) at(0.4, () => disk.put(`${folder}/_outbox.md`, said));
    if (random.chance(0.5)) at(0.5, () => disk.put(`${folder}/_outbox.md`, `${said}TO: coordinator\nmore\n---\n`));
    for (let n = random.int(4); n > 0; n--) at(0.2 + 0.6 * random.next(), () => call(one.tag));
    const end = random.next();
    if (end < 0.85)
      at(0.9, () => disk.put(`${folder}/${end < 0.7 ? "_result" : "_checkpoint"}.md`, "as far as it goes\n"));
  }

  return {
    running: () => alive,
    power() {
      alive = [];
    },
    mount: (life) => ({
      /** One that is talked with hears nothing, and says what it has to say at its end. */
      async start(program: Program) {
        const exit = this.run(program);
        const output = (async function* (): AsyncGenerator<string> {
          yield (await exit).output;
        })();
        return { write: () => undefined, close: () => undefined, output, exit };
      },
      run({ tag, signal, command, folder }: Program) {
        const one: Running = { tag, since: time.mono() };
        alive.push(one);
        const hangs = random.chance(0.1) && !isCalm();
        const stubborn = random.chance(0.3);
        const exit: Exit = { code: random.chance(0.8) ? 0 : 1, output: "out" };
        const ms = hangs ? hangMs : random.int(8_000);
        if (command.includes(agentCommand) && !hangs) work(one, folder, ms);
        return new Promise((resolve) => {
          const end = (given: Exit) => {
            if (!alive.includes(one)) return;
            alive = alive.filter((other) => other !== one);
            resolve(given);
          };
          // The program lives on its own; only the answer belongs to whoever started it.
          time.after(ms, () => end(exit));
          const stop = () => life.after(stubborn ? 2_000 : 5, () => end({ code: null, output: "" }));
          if (signal.aborted) stop();
          else signal.addEventListener("abort", stop, { once: true });
        });
      },
      async sweep(tag) {
        await life.sleep(1);
        const found = alive.filter((one) => one.tag.startsWith(tag));
        alive = alive.filter((one) => !found.includes(one));
        return found.length;
      },
      sandbox: async () => null,
    }),
  };
}
