/** Commands that make agents, stay with them, and end them. */

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { shellLine } from "../../lib/command-line.ts";
import { budget, count, names, words } from "../home/environment.ts";
import { asClient, type Context } from "./context.ts";
import { examples } from "./examples.ts";

export function addAgents(program: Command, { where, end }: Context): void {
  const given = (command: Command): Command =>
    command
      .argument("<goal>", "what the agent is to achieve", words)
      .option(
        "--model <provider/model>",
        `model to use, from ${shellLine("models")} (default: from config.yaml, else the first provider with a key)`,
      )
      .option(
        "--budget <amount>",
        "spending limit: 2usd, 200000tokens, 600seconds, or none (default: budget in config.yaml, else 10usd)",
        budget,
      )
      .option("--max-turns <n>", "maximum number of model calls", count)
      .option(
        "--folder <dir>",
        "your git repository, or another folder: the agent works on checkouts of it, and you merge (default: none)",
        (dir) => resolve(dir),
      )
      .addOption(
        new Option("--merge <when>", "auto: merge the result into your branch when the agent is done").choices([
          "auto",
        ]),
      )
      .option("--workflow <name>", `team to start with: a name from ${shellLine("workflows")}, or a .yaml file`)
      .option("--soul <file>", `who the agent is: a file such as soul.md, or a template from ${shellLine("souls")}`)
      .option("--tools <names>", "allow only these tools, for the agent and its workers: web_search,web_fetch", names)
      .option("--name <name>", "name of the agent (default: derived from the goal)")
      .option("--infinite", "keep working indefinitely, in cycles")
      .option("--cycle <seconds>", "time between wake-ups, with --infinite (default: 1800)", count);
  given(program.command("run"))
    .description(
      "start a new agent with a goal and follow it: watch, answer, talk; Ctrl-C pauses it, /detach leaves it running",
    )
    .option("-d, --detach", "return at once; the agent runs in the daemon")
    .addHelpText(
      "after",
      examples([
        ['run "Compare three ways to store events" --budget 2usd'],
        ['run "Keep an eye on our issues" --infinite --cycle 3600 --detach'],
        ['run "Is our licence compatible?" --workflow research-brief'],
        ['run "…" --json', "print every event as JSON", " | jq .type"],
      ]),
    )
    .action(async (goal: string, options) => {
      end(await (await asClient()).runGoal(where(), goal, options));
    });
  given(program.command("new"))
    .description("start a new agent with a goal in the background; the same as run --detach")
    .option("--no-start", `create the agent without starting it; start it later with: ${shellLine("rerun AGENT")}`)
    .action(async (goal: string, options) => {
      end(await (await asClient()).make(where(), goal, options));
    });
  program
    .command("souls")
    .description("list the templates for --soul, or print one")
    .argument("[template]", "template to print")
    .action(async (name: string | undefined) => {
      end(await (await asClient()).souls(where(), name));
    });
  program
    .command("models")
    .description("list the models and agent programs for --model, with prices, versions and logins")
    .action(async () => {
      end(await (await asClient()).models(where()));
    });
  program
    .command("ls")
    .description("list agents, most recently active first")
    .option("-a, --all", "include archived agents")
    .action(async ({ all }: { all?: boolean }) => {
      end(await (await asClient()).ls(where(), { all: all === true }));
    });
  program
    .command("watch")
    .alias("chat")
    .description("follow an agent live and talk to it, or to @alice on its team; Ctrl-C leaves it running")
    .argument("[agent]", "default: the most recently active agent")
    .action(async (agent: string | undefined) => {
      end(await (await asClient()).watch(where(), agent));
    });
  program
    .command("resume")
    .description("resume a paused or stopped agent and follow it")
    .argument("<agent>")
    .option("--budget <amount>", "new spending limit for the agent, including what it has spent so far", budget)
    .action(async (agent: string, options) => {
      end(await (await asClient()).resume(where(), agent, options));
    });
  program
    .command("rerun")
    .alias("again")
    .description("start a new run of an agent; it keeps its memory, and an open run is ended")
    .argument("<agent>")
    .argument("[goal]", "goal of this run (default: the agent's own goal)", words)
    .option("--budget <amount>", "spending limit of this run", budget)
    .action(async (agent: string, goal: string | undefined, options) => {
      end(await (await asClient()).rerunAgent(where(), agent, goal, options));
    });
  program
    .command("pause")
    .description("pause an agent: current turns finish, no new ones start")
    .argument("<agent>")
    .action(async (agent: string) => {
      end(await (await asClient()).pause(where(), agent));
    });
  program
    .command("stop")
    .description(
      "stop an agent and its workers, and list what ended; it keeps its conversation and waits for your message",
    )
    .argument("<agent>")
    .action(async (agent: string) => {
      end(await (await asClient()).stop(where(), agent));
    });
  program
    .command("rm")
    .alias("archive")
    .description("archive an agent for good; its files and log are kept")
    .argument("<agent>")
    .action(async (agent: string) => {
      end(await (await asClient()).archive(where(), agent));
    });
}
