/**
 * The program: reads the arguments and the environment (nobody else does), wires the parts and hands over to a command.
 *
 * A Problem becomes one line and an exit code; anything else that is thrown is a bug and keeps its stack. Signals stop in order: loops,
 * log, lock. Exit codes: 0 done, 1 a problem, 2 wrong usage, 3 the home is in use, 128 + n after signal n.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { type Backend, BackendError } from "./backend/backend.ts";
import { createScripted, parseScript } from "./backend/scripted.ts";
import { demo } from "./cli/demo.ts";
import { createTerminal, type Terminal } from "./cli/terminal.ts";
import { clean } from "./cli/text.ts";
import { defaultLimits } from "./core/limits.ts";
import { createEmbedded } from "./engine/embedded.ts";
import { machine } from "./lib/machine/index.ts";
import { createOfflineEmbedder } from "./lib/machine/offline-embedder.ts";
import { createRuntime, type Runtime } from "./runtime/runtime.ts";
import { Problem } from "./schema/problem.ts";
import { createFilesStore } from "./store/files.ts";
import { openHome } from "./store/home.ts";
import { agentRoot, runRoot } from "./store/layout.ts";
import { openIndex } from "./store/search.ts";
import { tools } from "./tool/index.ts";

export async function main(args: string[]): Promise<number> {
  let code = 0;
  const program = new Command("agiraph")
    .description("A multi-agent runtime: give it a goal, watch a team grow the work graph, lose nothing.")
    .version(version())
    .option("--home <dir>", "where agents live (default: AGIRAPH_HOME, else the nearest .agiraph, else ~/.agiraph)")
    .exitOverride()
    .configureOutput({
      outputError: (text, write) =>
        write(
          `agiraph: ${text
            .trim()
            .replace(/^error: /, "")
            .replace(/\s*\n\s*/g, " ")}\n`,
        ),
    })
    .addHelpText(
      "after",
      "\nExample:\n  $ agiraph demo --home /tmp/try     a small team, without a model and without a key\n",
    );
  program
    .command("demo")
    .description("play a scripted team through the real runtime; also without a command")
    .option("--speed <n>", "how many times faster than usual", factor, 1)
    .action(async ({ speed }: { speed: number }) => {
      code = await playDemo(findHome(program.opts<{ home?: string }>().home), speed);
    });
  // Timers of the runtime do not keep a process alive; the command under way does.
  const alive = setInterval(() => undefined, 1 << 30);
  try {
    await program.parseAsync(withCommand(program, args), { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`agiraph: ${clean(error.message)}\n`);
    return error.code === "home_locked" ? 3 : 1;
  } finally {
    clearInterval(alive);
  }
}

async function playDemo(home: string, speed: number): Promise<number> {
  const path = fileURLToPath(new URL("../examples/demo.yaml", import.meta.url));
  const script = parseScript(readFileSync(path, "utf8"), path);
  for (const step of Object.values(script.participants).flat()) step.seconds /= speed;
  const scripted = createScripted(script, machine.clock);
  const terminal = openTerminal();
  const signals = hearSignals();
  const house = await openHouse(home, terminal, (model) => (model === "scripted/demo" ? scripted : missing(model)));
  try {
    const outcome = await demo({
      runtime: house.runtime,
      terminal,
      goal: script.goal,
      model: "scripted/demo",
      now: machine.clock.now,
      stop: signals.heard,
      paths: (agent, run) => ({
        output: join(runRoot(home, agent, run), "_output.md"),
        run: runRoot(home, agent, run),
        log: join(agentRoot(home, agent), "events.jsonl"),
      }),
    });
    return outcome === "interrupted" ? signals.exitCode() : 0;
  } finally {
    await house.close();
    signals.end();
  }
}

/** The home, locked for this process, with its agents. */
async function openHouse(
  path: string,
  terminal: Terminal,
  backend: (model: string) => Backend,
): Promise<{ runtime: Runtime; close(): Promise<void> }> {
  const startedAt = new Date(machine.clock.now()).toISOString();
  const home = await openHome({ path, files: machine.files, clock: machine.clock, pid: process.pid, startedAt });
  const store = createFilesStore({ home: path, files: machine.files });
  const index = await openIndex({ path: join(path, "index.sqlite"), files: machine.files });
  const embedder = createOfflineEmbedder();
  const runtime = createRuntime({
    home: path,
    world: machine,
    store,
    engine: createEmbedded({ clock: machine.clock }),
    index,
    embedder,
    limits: defaultLimits,
    tools,
    backend,
    snapshotEvery: 1000,
    restAfterMs: 60_000,
    notice: (agent, problem) => terminal.say([`${terminal.colors.red(agent)}: ${clean(problem.message)}`]),
  });
  async function close(): Promise<void> {
    await runtime.stop();
    await embedder.close();
    await store.close();
    index.close();
    await home.release();
  }
  return { runtime, close };
}

/** Parks whoever asks for a model that this version cannot reach, and says so. */
function missing(model: string): Backend {
  return {
    worst: () => ({ usd: 0, tokens: 0 }),
    // biome-ignore lint/correctness/useYield: it fails before there is anything to yield
    async *call() {
      throw new BackendError("provider", `no backend is installed for the model ${model}`);
    },
  };
}

function openTerminal(): Terminal {
  const { stdout, env } = process;
  const live = stdout.isTTY === true && env.TERM !== "dumb";
  return createTerminal({ out: stdout, live, color: live && !env.NO_COLOR });
}

/** The first signal asks for an orderly stop; one that comes a second later, when that seems to hang, ends the process. */
function hearSignals() {
  const heard = new AbortController();
  const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1, SIGPIPE: 13 };
  let first = 0;
  let code = 0;
  const hear = (signal: NodeJS.Signals) => {
    if (first && machine.clock.mono() - first > 1000) process.exit(code);
    first ||= machine.clock.mono();
    code ||= 128 + numbers[signal as keyof typeof numbers];
    heard.abort();
  };
  const broken = () => hear("SIGPIPE");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, hear);
  process.stdout.on("error", broken);
  return {
    heard: heard.signal,
    exitCode: () => code,
    end() {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, hear);
    },
  };
}

function findHome(given: string | undefined): string {
  const chosen = given || process.env.AGIRAPH_HOME;
  if (chosen) return resolve(chosen);
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".agiraph"))) return join(folder, ".agiraph");
    if (folder === dirname(folder)) return join(homedir(), ".agiraph");
  }
}

/** Without a command it is the demo. */
function withCommand(program: Command, args: string[]): string[] {
  if (args.some((arg) => ["-h", "--help", "-V", "--version"].includes(arg))) return args;
  return program.parseOptions(args).operands.length ? args : ["demo", ...args];
}

function version(): string {
  return (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }).version;
}

function factor(text: string): number {
  const n = Number(text);
  if (n > 0 && n <= 1000) return n;
  throw new InvalidArgumentError("it must be a number above 0, up to 1000.");
}
