/**
 * The program: reads the arguments and hands over to a command.
 *
 * A Problem becomes one line and an exit code; anything else that is thrown is a bug and keeps its stack. With --json it is one line of JSON
 * on stderr, as the daemon would say it. Exit codes: 0 done, 1 a problem, 2 wrong usage, 3 the home is in use, 4 it waits for someone, 128 + n
 * after signal n. Of the daemon: `up` ends with 0 after a signal that was heard out and with 128 + n after a second one; with 0 too if the
 * daemon runs already. `status` ends with 1 if it does not run; `down` with 0 either way.
 */
import { Command, CommanderError } from "commander";
import { guardStreams } from "./cli/way-out.ts";
import { addAgents } from "./main/commands/agents.ts";
import { addDaemon } from "./main/commands/daemon.ts";
import { addHouse } from "./main/commands/house.ts";
import { addLook } from "./main/commands/look.ts";
import { addTalk } from "./main/commands/talk.ts";
import { addTriggers } from "./main/commands/triggers.ts";
import { findHome } from "./main/environment.ts";
import { version } from "./main/version.ts";

export async function main(args: string[]): Promise<number> {
  let code = 0;
  let outlives = false;
  guardStreams();
  const program = new Command("agiraph")
    .description("A multi-agent runtime: give it a goal, watch a team grow the work graph, lose nothing.")
    .version(version())
    .option("--home <dir>", "where agents live (default: AGIRAPH_HOME, else the nearest .agiraph, else ~/.agiraph)")
    .option("--json", "for programs: answers and events as JSON, one a line")
    .option("--alone", "without the daemon: this process does the work, and it ends with it (run, resume, again)")
    .exitOverride()
    .configureOutput({
      outputError(text, write) {
        const message = text
          .trim()
          .replace(/^error: /, "")
          .replace(/\s*\n\s*/g, " ");
        // Not by the program's options: what is wrong may be one of them.
        const isJson = args.includes("--json");
        write(isJson ? `${JSON.stringify({ error: { code: "invalid", message } })}\n` : `agiraph: ${message}\n`);
      },
    })
    .addHelpText(
      "after",
      `
Examples:
  $ agiraph run "Compare three ways to store events" --budget 2usd
  $ agiraph ls                               all agents; inbox: what needs you
  $ agiraph watch compare-three-ways         look and talk; why n3: why a node waits
  $ agiraph up -d                            the daemon, in the background; status, logs, down
  $ agiraph demo                             a small team, without a model and without a key
`,
    );
  const said = () => program.opts<{ home?: string; json?: boolean; alone?: boolean }>();
  const context = {
    home: () => findHome(said().home),
    json: () => said().json === true,
    alone: () => said().alone === true,
    outlive: () => {
      outlives = true;
    },
    end: (given: number) => {
      code = given;
    },
  };
  const groups = {
    "Agents:": addAgents,
    "Talk:": addTalk,
    "Look:": addLook,
    "Wake:": addTriggers,
    "Daemon:": addDaemon,
    "This home:": addHouse,
  };
  for (const [title, add] of Object.entries(groups)) add(program.commandsGroup(title), context);
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
      import("./main/circumstance.ts"),
      import("./cli/text.ts"),
      import("./lib/visible.ts"),
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
      : `agiraph: ${clean(message)}`;
    process.stderr.write(`${line}\n`);
    return what === "home_locked" ? 3 : 1;
  } finally {
    clearInterval(alive);
    if (process.stdout.isTTY && process.stderr.isTTY && !context.json())
      for (const line of (await import("./main/called.ts")).calledNote(process.env)) process.stderr.write(`${line}\n`);
  }
}

/** Without a command: what is here and what can be done next; the daemon itself for `npm start`, which says --serve. */
function withCommand(program: Command, given: string[]): string[] {
  const args = given.filter((arg) => arg !== "--serve");
  if (args.some((arg) => ["-h", "--help", "-V", "--version"].includes(arg))) return args;
  if (program.parseOptions(args).operands.length) return args;
  return args.length < given.length ? ["up", "--window", ...args] : ["welcome", ...args];
}
