/**
 * The program: reads the arguments and hands over to a command.
 *
 * A Problem becomes one line and an exit code; anything else that is thrown is a bug and keeps its stack. With --json it is one line of JSON
 * on stderr, as the daemon would say it. Exit codes: 0 done, 1 a problem, 2 wrong usage, 3 the home is in use, 4 it waits for someone, 128 + n
 * after signal n. Of the daemon: `up` ends with 0 after a signal that was heard out and with 128 + n after a second one; with 0 too if the
 * daemon runs already. `status` ends with 1 if it does not run; `down` with 0 either way.
 */
import { type Command, CommanderError } from "commander";
import { guardStreams } from "./cli/terminal/way-out.ts";
import { setProgram, showCommands } from "./lib/command-line.ts";
import { type CommandSetup, createProgram } from "./main/commands/all.ts";
import type { Context } from "./main/commands/context.ts";
import { findHome } from "./main/home/environment.ts";
import { commandHere, surroundings } from "./main/installation/program-command.ts";

export async function main(args: string[]): Promise<number> {
  let code = 0;
  let outlives = false;
  guardStreams();
  // Until the options are read: what is wrong may be one of them.
  setProgram(commandHere(surroundings()));
  const context: Context = {
    home: () => findHome(program.opts<CommandSetup>().home),
    json: () => program.opts<CommandSetup>().json === true,
    alone: () => program.opts<CommandSetup>().alone === true,
    where: () => ({ home: context.home(), json: context.json(), alone: context.alone() }),
    outlive: () => {
      outlives = true;
    },
    end: (given) => {
      code = given;
    },
  };
  const program = createProgram(context, (message) => {
    // Not by the program's options, for the same reason.
    const isJson = args.includes("--json");
    const line = isJson ? JSON.stringify({ error: { code: "invalid", message } }) : `agiraph: ${message}`;
    process.stderr.write(`${line}\n`);
  }).hook("preAction", () => setProgram(commandHere(surroundings(), program.opts<CommandSetup>().home)));
  // Whoever reads us may have seen enough: agiraph ls | head
  process.stdout.on("error", ({ code: what }: NodeJS.ErrnoException) => {
    if (what === "EPIPE" && !outlives) process.exit(0);
  });
  // Timers of the runtime do not keep a process alive; the command under way does.
  const alive = setInterval(() => undefined, 1 << 30);
  try {
    await program.parseAsync(withCommand(program, args), { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    // Loaded only now: --help stays fast. (npm run bench -- start)
    const [{ Problem }, { circumstance }, { clean }, { visibleJson }, { inspect }] = await Promise.all([
      import("./schema/problem.ts"),
      import("./main/home/circumstance.ts"),
      import("./cli/terminal/text.ts"),
      import("./lib/text/visible.ts"),
      import("node:util"),
    ]);
    const problem = error instanceof Problem ? error : circumstance(error);
    if (!problem && !context.json()) {
      // Node would write it past the guard.
      process.stderr.write(`${inspect(error)}\n`);
      return 1;
    }
    const {
      code: what,
      message,
      details,
    } = problem ?? { code: "internal", message: inspect(error), details: undefined };
    const line = context.json()
      ? visibleJson({ error: { code: what, message, details } })
      : `agiraph: ${clean(showCommands(message))}`;
    process.stderr.write(`${line}\n`);
    return what === "home_locked" ? 3 : 1;
  } finally {
    clearInterval(alive);
  }
}

/** Without a command: what is here and what can be done next; the daemon itself for `npm start`, which says --serve. */
function withCommand(program: Command, given: string[]): string[] {
  const args = given.filter((arg) => arg !== "--serve");
  if (args.some((arg) => ["-h", "--help", "-V", "--version"].includes(arg))) return args;
  if (program.parseOptions(args).operands.length) return args;
  return args.length < given.length ? ["up", "--window", ...args] : ["welcome", ...args];
}
