/**
 * Simulated programs. Each runs for a random time; some hang, longer than the limit of a node, and some ignore a kind request to end. None
 * that is started in calm hangs: a node of a stage may take as long as everything has to come to rest. A killed process of ours leaves its programs
 * running, as on a real machine, until somebody ends them by their tag; a power loss ends them all.
 *
 * The program of an autonomous worker (`agentCommand`) writes files while it runs, says something in `_outbox.md`, may call tools by itself, and
 * leaves a result, a checkpoint or nothing. An agent CLI is talked with (cli/process.ts); its conversations are on its machine, and a power loss takes some.
 */
import type { Exit, Processes, Program, Sandbox } from "../src/lib/world.ts";
import { argument, type CliSurroundings, type Conversation, cliFile, startCli } from "./cli/process.ts";
import type { SimDisk } from "./disk.ts";
import type { SimRandom } from "./random.ts";
import type { Life, Time } from "./time.ts";

export interface Running {
  tag: string;
  since: number;
  /** Ends one that is talked with. */
  kill?(): void;
}

/** What an agent CLI reaches that was started in this life of a process; nothing where there are none. */
export type Surroundings = (tag: string, life: Life, model: string) => CliSurroundings | undefined;

/** Told when a program wants to call a tool by itself. */
export type OwnCall = (tag: string) => void;

export interface SimMachine {
  mount(life: Life): Processes;
  /** What runs now, whoever started it. */
  running(): readonly Running[];
  power(): void;
}

export const agentCommand = "sim-agent";
/** What a program and we say to each other by. */
export const agentFiles: ReadonlySet<string> = new Set(
  ["task", "inbox", "outbox", "result", "checkpoint"].map((name) => `_${name}.md`).concat("_context.json"),
);
/** A check: passes if nothing in its folder has a flaw, and then does mischief there. */
export const checkCommand = "sim-check";
/** What a model writes is flawed now and then. */
export const isFlawed = (content: string): boolean => /^(text|made) \d*[0-3]\b/m.test(content);

const hangMs = 120_000;

export function createProcesses(options: {
  random: SimRandom;
  time: Time;
  disk: Pick<SimDisk, "put" | "peek" | "paths">;
  call: OwnCall;
  around: Surroundings;
  isCalm(): boolean;
}): SimMachine {
  const { random, time, disk, call, around, isCalm } = options;
  const conversations = new Map<string, Conversation>();
  let alive: Running[] = [];
  let clis = 0;

  function remove(gone: readonly Running[]): void {
    alive = alive.filter((one) => !gone.includes(one));
    for (const one of gone) one.kill?.();
  }

  /** As programs write: nothing is synced. */
  const leave = (path: string, content: string | Uint8Array | null) => disk.put(path, content, { durable: false });

  /** What an autonomous worker's program does within `ms`; nothing more once it has ended. */
  function work(one: Running, folder: string, ms: number): void {
    const at = (part: number, act: () => void) =>
      time.after(ms * part, () => {
        if (alive.includes(one)) act();
      });
    const said = `TO: ${random.pick(["coordinator", "human", "ann"])}\nword ${random.int(3)}\n---\n`;
    at(0.2, () => leave(`${folder}/made-${random.int(3)}.md`, `made ${random.int(100)}\n`));
    if (random.chance(0.5)) at(0.4, () => leave(`${folder}/_outbox.md`, said));
    if (random.chance(0.5)) at(0.5, () => leave(`${folder}/_outbox.md`, `${said}TO: coordinator\nmore\n---\n`));
    for (let n = random.int(4); n > 0; n--) at(0.2 + 0.6 * random.next(), () => call(one.tag));
    const end = random.next();
    if (end < 0.85)
      at(0.9, () => leave(`${folder}/${end < 0.7 ? "_result" : "_checkpoint"}.md`, "as far as it goes\n"));
  }

  /** What a check says of its folder; it mends what it finds there, or breaks it, and that must change nothing. */
  function check(one: Running, folder: string, ms: number): Exit {
    const inside = disk.paths().filter((path) => path.startsWith(`${folder}/`));
    const flawed = inside.filter((path) => isFlawed(String(disk.peek(path))));
    time.after(ms * 0.9, () => {
      const folderIsThere = disk.paths().some((path) => path.startsWith(`${folder}/`));
      if (alive.includes(one) && folderIsThere)
        for (const path of inside) disk.put(path, flawed.length ? "mended" : "text 1");
    });
    return { code: flawed.length ? 1 : 0, output: flawed.join("\n") || "x".repeat(random.pick([0, 10, 20_000])) };
  }

  /** It wants to reach hosts while it runs; its connections end with it, or are given up before. */
  function reach(life: Life, one: Running, admit: NonNullable<Sandbox["admit"]>, ms: number): void {
    for (let n = 1 + random.int(3); n > 0; n--) {
      const host = random.pick(["pypi.org", "registry.npmjs.org", `h${random.int(4)}.example.com`]);
      life.after(ms * random.next(), () => {
        if (!alive.includes(one)) return;
        const gone = new AbortController();
        life.after(random.int(2 * ms), () => gone.abort());
        admit(host, gone.signal).catch(() => undefined); // the process is over
      });
    }
  }

  return {
    running: () => alive,
    power() {
      remove(alive);
      const dice = random.fork(`power ${clis}`);
      for (const { id } of [...conversations.values()]) if (dice.chance(0.3)) conversations.delete(id);
    },
    mount: (life) => ({
      /** One that is not an agent CLI hears nothing, and says what it has to say at its end. */
      async start(program: Program) {
        const reach =
          program.command[0] === cliFile ? around(program.tag, life, argument(program, "--model") ?? "") : undefined;
        if (reach) {
          const one: Running = { tag: program.tag, since: time.mono() };
          const dice = random.fork(`cli ${++clis}`);
          const cli = startCli({
            ...{ program, life, time, conversations, isCalm, around: reach, random: dice, put: leave },
            ended: () => remove([one]),
          });
          one.kill = cli.kill;
          alive.push(one);
          const stop = () => life.after(dice.chance(0.3) ? 2_000 : 5, () => remove([one]));
          if (program.signal.aborted) stop();
          else program.signal.addEventListener("abort", stop, { once: true });
          return cli.running;
        }
        const exit = this.run(program);
        const output = (async function* (): AsyncGenerator<string> {
          yield (await exit).output;
        })();
        return { write: () => undefined, close: () => undefined, output, exit };
      },
      run({ tag, signal, command, folder, sandbox }: Program) {
        const one: Running = { tag, since: time.mono() };
        alive.push(one);
        const hangs = random.chance(0.1) && !isCalm();
        const stubborn = random.chance(0.3);
        const code = random.chance(0.8) ? 0 : 1;
        const ms = hangs ? hangMs : random.int(8_000);
        const exit = command.includes(checkCommand) ? check(one, folder, ms) : { code, output: "out" };
        if (command.includes(agentCommand) && !hangs) work(one, folder, ms);
        if (sandbox?.admit && random.chance(0.4)) reach(life, one, sandbox.admit, ms);
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
        remove(found);
        return found.length;
      },
      sandbox: async () => null,
    }),
  };
}
