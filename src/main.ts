/**
 * The program: reads the arguments and hands over to a command.
 *
 * A Problem becomes one line and an exit code; anything else that is thrown is a bug and keeps its stack. Signals stop in order: loops,
 * log, lock. Exit codes: 0 done, 1 a problem, 2 wrong usage, 3 the home is in use, 4 it waits for someone, 128 + n after signal n.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Command, CommanderError, Option } from "commander";
import { clean } from "./cli/text.ts";
import { budget, count, factor, findHome } from "./main/environment.ts";
import { Problem } from "./schema/problem.ts";

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
      `
Examples:
  $ agiraph run "Compare three ways to store events" --budget 2usd
  $ agiraph resume compare-three-ways        go on with what was paused
  $ agiraph demo --home /tmp/try             a small team, without a model and without a key
`,
    );
  const home = () => findHome(program.opts<{ home?: string }>().home);
  // A command's parts are loaded when it is called: --help stays fast.
  const commands = () => import("./main/commands.ts");
  program
    .command("run")
    .description("give a goal to a new agent and stay with it: watch, answer, talk; Ctrl-C pauses it")
    .argument("<goal>", "what it is to reach, in your words")
    .option("--model <provider/model>", "who thinks (default: the config's, else the first key that is found)")
    .option("--budget <amount>", "the most it may spend: 2usd, 200000tokens, 600seconds", budget)
    .option("--max-turns <n>", "the most model calls", count)
    .option("--name <name>", "what it is called (default: from the goal)")
    .addOption(
      new Option("--mode <mode>", "whether the goal has an end (default: finite)").choices(["finite", "infinite"]),
    )
    .addOption(
      new Option("--agent <agent>", "give the goal to an agent that is there and has finished its last one").conflicts([
        "name",
        "mode",
        "model",
        "budget",
        "maxTurns",
      ]),
    )
    .action(async (goal: string, given) => {
      code = await (await commands()).runGoal(home(), goal, given);
    });
  program
    .command("resume")
    .description("go on with an agent that was paused, or talk to one that is finished")
    .argument("<agent>")
    .option("--budget <amount>", "a new limit for all it has spent and will spend", budget)
    .action(async (agent: string, given) => {
      code = await (await commands()).resumeAgent(home(), agent, given);
    });
  program
    .command("doctor")
    .description("look whether keys, models, sandbox and disk are as they should be, and say what to do")
    .option("--call", "also ask the model one tiny question")
    .action(async ({ call }: { call?: boolean }) => {
      code = await (await import("./main/doctor.ts")).doctor(home(), call === true);
    });
  program
    .command("demo")
    .description("play a scripted team through the real runtime; also without a command")
    .option("--speed <n>", "how many times faster than usual", factor, 1)
    .action(async ({ speed }: { speed: number }) => {
      code = await (await commands()).playDemo(
        home(),
        speed,
        fileURLToPath(new URL("../examples/demo.yaml", import.meta.url)),
      );
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

/** Without a command it is the demo. */
function withCommand(program: Command, args: string[]): string[] {
  if (args.some((arg) => ["-h", "--help", "-V", "--version"].includes(arg))) return args;
  return program.parseOptions(args).operands.length ? args : ["demo", ...args];
}

function version(): string {
  return (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }).version;
}
