/**
 * The program: reads the arguments and hands over to a command.
 *
 * A Problem becomes one line and an exit code; anything else that is thrown is a bug and keeps its stack. Signals stop in order: loops,
 * log, lock. Exit codes: 0 done, 1 a problem, 2 wrong usage, 3 the home is in use, 4 it waits for someone, 128 + n after signal n.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { budget, count, factor, findHome } from "./main/environment.ts";

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
    // Loaded only now, as above.
    const [{ Problem }, { clean }] = await Promise.all([import("./schema/problem.ts"), import("./cli/text.ts")]);
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
