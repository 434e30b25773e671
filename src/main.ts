/**
 * The program: reads the arguments and hands over to a command.
 *
 * A Problem becomes one line and an exit code; anything else that is thrown is a bug and keeps its stack. Signals stop in order: loops,
 * log, lock. Exit codes: 0 done, 1 a problem, 2 wrong usage, 3 the home is in use, 4 it waits for someone, 128 + n after signal n.
 * Of the daemon: `up` ends with 0 after a signal that was heard out and with 128 + n after a second one; with 0 too if the daemon runs already.
 * `status` ends with 1 if it does not run; `down` with 0 either way.
 */
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { Command, CommanderError, Option } from "commander";
import { budget, count, factor, findHome, port, wasComeUpon } from "./main/environment.ts";
import { version } from "./main/version.ts";

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
  $ agiraph up -d                            the daemon, in the background; agiraph status, logs, down
  $ agiraph demo --home /tmp/try             a small team, without a model and without a key
`,
    );
  const home = () => findHome(program.opts<{ home?: string }>().home);
  // A command's parts are loaded when it is called: --help stays fast. (npm run bench -- start)
  const commands = () => import("./main/commands.ts");
  program
    .command("run")
    .description("give a goal to a new agent and stay with it: watch, answer, talk; Ctrl-C pauses it")
    .argument("<goal>", "what it is to reach, in your words")
    .option("--model <provider/model>", "who thinks (default: the config's, else the first key that is found)")
    .option("--budget <amount>", "the most it may spend: 2usd, 200000tokens, 600seconds", budget)
    .option("--max-turns <n>", "the most model calls", count)
    .option("--name <name>", "what it is called (default: from the goal)")
    .option("--infinite", "it works without end, in cycles")
    .option("--cycle <seconds>", "how often it wakes by itself; with --infinite (default: 1800)", count)
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
    .command("inbox")
    .description("what needs you, over all agents, and how to answer")
    .action(async () => {
      code = await (await import("./main/inbox.ts")).showInbox(home());
    });
  program
    .command("answer")
    .description("answer a question; to an approval say allow, or deny and why")
    .argument("<agent>")
    .argument("<question>", "its id, e.g. q1")
    .argument("<text>")
    .option("--remember", "decide for every further call of this tool by the same asker in this run")
    .action(async (agent: string, question: string, text: string, { remember }: { remember?: boolean }) => {
      code = await (await import("./main/inbox.ts")).answerQuestion(home(), agent, question, text, remember === true);
    });
  program
    .command("send")
    .description(
      "say something to an agent that is not running: it reads it when it goes on; what it asked is answered by it",
    )
    .argument("<agent>")
    .argument("<text>")
    .option(
      "--to <name>",
      "a worker, several with commas, or * for everyone (default: whom the text begins with, else the coordinator)",
    )
    .action(async (agent: string, text: string, { to }: { to?: string }) => {
      code = await (await import("./main/inbox.ts")).sendWord(home(), agent, text, to);
    });
  program
    .command("again")
    .description("give an agent its next run: a new goal, and what it remembers; an open run is ended")
    .argument("<agent>")
    .argument("[goal]", "what it is to reach this time (default: its own goal)")
    .option("--budget <amount>", "the most this run may spend", budget)
    .action(async (agent: string, goal: string | undefined, given) => {
      code = await (await commands()).startAgain(home(), agent, goal, given);
    });
  program
    .command("stop")
    .description("end what an agent and its workers do; it keeps its conversation and waits for your word")
    .argument("<agent>")
    .action(async (agent: string) => {
      code = await (await commands()).endAgent(home(), agent, "agent.stop");
    });
  program
    .command("archive")
    .description("end an agent for good; its files and its log stay")
    .argument("<agent>")
    .action(async (agent: string) => {
      code = await (await commands()).endAgent(home(), agent, "agent.archive");
    });
  program
    .command("doctor")
    .description("look whether keys, models, sandbox and disk are as they should be, and say what to do")
    .option("--call", "also ask the model one tiny question")
    .action(async ({ call }: { call?: boolean }) => {
      code = await (await import("./main/doctor.ts")).doctor(home(), call === true);
    });
  const skill = program.command("skill").description("what agents can read up: list, add, accept, remove");
  const skills = () => import("./main/skills.ts");
  const whose = ["--agent <agent>", "for this agent only"] as const;
  const seen = ["--accept <hash>", "say yes to exactly what was shown before: sha256:…"] as const;
  skill
    .command("add")
    .description("show what is in a skill, and add it after your yes")
    .argument("<source>", "a folder with a SKILL.md, or URL#COMMIT, or URL#COMMIT:folder/in/it")
    .option(...whose)
    .option(...seen)
    .action(async (source: string, given) => {
      code = await (await skills()).addSkill(home(), source, given);
    });
  skill
    .command("list")
    .description("all skills, and whether they are what you accepted")
    .action(async () => {
      code = await (await skills()).listAllSkills(home());
    });
  skill
    .command("accept")
    .description("show a skill whose files changed, and use it again after your yes")
    .argument("<name>")
    .option(...whose)
    .option(...seen)
    .action(async (name: string, given) => {
      code = await (await skills()).acceptSkill(home(), name, given);
    });
  skill
    .command("remove")
    .description("remove a skill with all its files")
    .argument("<name>")
    .option(...whose)
    .action(async (name: string, given) => {
      code = await (await skills()).removeSkill(home(), name, given);
    });
  const mcp = program
    .command("mcp")
    .description("without a command: an MCP server on stdin and stdout, for Claude Code, Cursor and the like; also:")
    .action(async () => {
      code = await (await import("./main/mcp-stdio.ts")).serveMcp(home(), version());
    });
  mcp
    .command("list")
    .description("start the MCP servers of config.yaml and say which of their tools are accepted, new or changed")
    .action(async () => {
      code = await (await import("./main/mcp.ts")).listMcp(home());
    });
  mcp
    .command("accept")
    .description("use a server's new and changed tools as they are now, or one of them")
    .argument("<server>")
    .argument("[tool]")
    .action(async (server: string, tool: string | undefined) => {
      code = await (await import("./main/mcp.ts")).acceptMcp(home(), server, tool);
    });
  program
    .command("up")
    .description("the daemon of this home: agents live on while nobody watches; Ctrl-C ends it in order")
    .option("-d, --detach", "in the background; returns when it answers")
    .option("--port <n>", "where it listens on 127.0.0.1; the next free port if it is taken, any for 0", port, 5099)
    .option("--unit", "print a systemd or launchd unit that keeps it running, and how to install it")
    .addOption(new Option("--quiet").hideHelp())
    .addOption(new Option("--window").hideHelp())
    .addOption(new Option("--plain").hideHelp())
    .action(async (given: UpGiven, command: Command) => {
      if (given.unit) {
        const { text, install } = (await import("./main/unit.ts")).unitFor(process.platform, home(), homedir());
        process.stdout.write(text);
        process.stderr.write(`To install it: ${install}\n`);
      } else if (given.detach) {
        const { ensureDaemon } = await import("./main/ensure.ts");
        const wanted = command.getOptionValueSource("port") === "cli" ? { port: given.port } : {};
        const { url, pid, started } = await ensureDaemon(home(), wanted);
        process.stdout.write(`${started ? "running" : "already running"} at ${url} (pid ${pid})\n`);
      } else {
        const path = home();
        const plain = given.plain === true || wasComeUpon(path);
        const options = { port: given.port, version: version(), plain, quiet: !!given.quiet, window: !!given.window };
        code = await (await import("./main/up.ts")).up(path, options);
      }
    });
  program
    .command("open")
    .description("a window for you: the page of this home's daemon, which is started if it does not run")
    .action(async () => {
      const [{ ensureDaemon }, { showWindow }] = await Promise.all([
        import("./main/ensure.ts"),
        import("./main/window.ts"),
      ]);
      await showWindow(home(), await ensureDaemon(home()));
    });
  program
    .command("down")
    .description("end the daemon of this home; nothing is lost")
    .action(async () => {
      code = await (await import("./main/stop.ts")).down(home());
    });
  program
    .command("status")
    .description("the daemon at a glance: where, since when, agents, what needs you, what was spent today")
    .option("--json", "for programs")
    .action(async ({ json }: { json?: true }) => {
      code = await (await import("./main/status.ts")).status(home(), json === true);
    });
  program
    .command("logs")
    .description("what the daemon wrote")
    .option("-f, --follow", "and what it writes from now on")
    .option("-n, --lines <n>", "how many lines", count, 100)
    .action(async ({ follow, lines }: { follow?: true; lines: number }) => {
      code = await (await import("./main/logs.ts")).logs(home(), { follow: follow === true, lines });
    });
  program.command("welcome", { hidden: true }).action(async () => {
    code = await (await import("./main/status.ts")).welcome(home());
  });
  program
    .command("demo")
    .description("play a scripted team through the real runtime")
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
    // Loaded only now, as above.
    const [{ Problem }, { clean }] = await Promise.all([import("./schema/problem.ts"), import("./cli/text.ts")]);
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`agiraph: ${clean(error.message)}\n`);
    return error.code === "home_locked" ? 3 : 1;
  } finally {
    clearInterval(alive);
  }
}

interface UpGiven {
  port: number;
  detach?: true;
  unit?: true;
  /** For those who start it: nobody watches; the home was come upon; a browser will be opened. */
  quiet?: true;
  plain?: true;
  window?: true;
}

/** Without a command: what is here and what can be done next; the daemon itself for `npm start`, which says --serve. */
function withCommand(program: Command, given: string[]): string[] {
  const args = given.filter((arg) => arg !== "--serve");
  if (args.some((arg) => ["-h", "--help", "-V", "--version"].includes(arg))) return args;
  if (program.parseOptions(args).operands.length) return args;
  return args.length < given.length ? ["up", "--window", ...args] : ["welcome", ...args];
}
